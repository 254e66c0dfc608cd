#include "host/cli/bulk.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "host/cli/cli.h"
#include "host/cli/npy.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/scene/keys.h"

namespace intervox::cli {
namespace {

using host::InputError;

std::vector<Pose> ReadPoses(const std::string& path) {
  const Array array = ReadNpy(path);
  if (array.columns != 7) {
    throw InputError(path + ": array: it has " + std::to_string(array.columns) +
                     " columns. Give 7: position and quaternion w, x, y, z of A in B.");
  }
  std::vector<Pose> poses(array.rows);
  for (std::size_t i = 0; i < array.rows; ++i) {
    const double* row = &array.values[7 * i];
    for (int k = 0; k < 7; ++k) {
      if (std::fabs(row[k]) <= host::kLength.hi) continue;
      throw InputError(path + ": row " + std::to_string(i) + ": the number " +
                       fmt::format("{:g}", row[k]) + " is out of range. Give numbers up to 1e9.");
    }
    const Quaternion q{row[3], row[4], row[5], row[6]};
    if (!(std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z) > 1e-12)) {
      throw InputError(path + ": row " + std::to_string(i) +
                       ": the quaternion is zero. Write 1, 0, 0, 0 for no rotation.");
    }
    poses[i] = {ToRotation(Normalized(q)), {row[0], row[1], row[2]}};
  }
  return poses;
}

constexpr std::array<ColumnSpec, 9> kMetricsColumns = {{
    {"volume", 1, "m^3"},
    {"centroid", 3, "m"},
    {"inertia", 9, "m^5"},
    {"area_vector", 3, "m^2"},
    {"area_moment", 3, "m^3"},
    {"volume_error", 1, "m^3"},
    {"status", 1, "1: 0 ok, 1 disjoint, 2 tolerance_not_met, 3 unbounded, 4 invalid", true},
    {"cells", 1, "1", true},
    {"volume_bounds", 2, "m^3"},
}};

constexpr const char* kSchema = "intervox/metrics/1";

/** Adds a row, in the order of kMetricsColumns. */
void PutMetrics(const InterferenceMetrics& m, BulkRows* rows) {
  const Vec3 &p = m.p_WC, &x = m.J_W.row0, &y = m.J_W.row1, &z = m.J_W.row2;
  const Vec3 &S = m.area_vector, &G = m.area_moment;
  rows->Put(0, std::array{m.volume});
  rows->Put(1, std::array{p.x, p.y, p.z});
  rows->Put(2, std::array{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z});
  rows->Put(3, std::array{S.x, S.y, S.z});
  rows->Put(4, std::array{G.x, G.y, G.z});
  rows->Put(5, std::array{m.volume_error});
  rows->PutInteger(6, static_cast<int>(m.status));
  rows->PutInteger(7, m.work);
  rows->Put(8, std::array{m.volume_lo, m.volume_hi});
}

}  // namespace

BulkRows::BulkRows(const std::string& path, const char* schema, std::span<const ColumnSpec> columns,
                   std::size_t rows) {
  if (std::filesystem::path(path).extension() == ".npz") {
    npz_.emplace(path, rows);
    npz_->AddText("schema", schema);
    npz_->AddText("program_version", VersionText());
    for (const ColumnSpec& c : columns) {
      numbers_.push_back(npz_->AddColumn(c.name, c.width, c.integer));
    }
    return;
  }
  hdf5_.emplace(host::ColumnFile::Create(path));
  hdf5_->SetAttribute("schema", std::string(schema));
  hdf5_->SetAttribute("program_version", VersionText());
  for (const ColumnSpec& c : columns) {
    numbers_.push_back(hdf5_->Column(c.name, c.width, c.units, c.integer));
  }
}

void BulkRows::Put(std::size_t column, std::span<const double> row) {
  npz_ ? npz_->Put(numbers_[column], row) : hdf5_->Put(numbers_[column], row);
}

void BulkRows::PutInteger(std::size_t column, std::int64_t value) {
  npz_ ? npz_->PutInteger(numbers_[column], value) : hdf5_->PutInteger(numbers_[column], value);
}

void AddBulkOptions(CLI::App* command, BulkOptions* options) {
  auto* poses = command->add_option("--poses", options->poses,
                                    "n x 7 .npy: position, quaternion of A in B, for the one pair");
  command->add_option("-o,--out", options->out, "Results of --poses, .npz or else HDF5")
      ->needs(poses);
}

BulkPair ReadBulk(const PairsFile& file, const std::string& file_name, const BulkOptions& options) {
  if (file.pairs.size() != 1) {
    throw InputError(file_name + ": pairs: --poses moves one pair, the file has " +
                     std::to_string(file.pairs.size()) + ". Keep one.");
  }
  if (options.out.empty()) {
    throw InputError("command line: --out: missing. Name an HDF5 or .npz file with -o.");
  }
  const PosedPair& pair = file.pairs.front();
  BulkPair bulk{pair.name, {}, {}, pair.X_WB, ReadPoses(options.poses)};
  for (Pose& X : bulk.X_WA) X = pair.X_WB * X;
  try {
    bulk.a = geometry::ToCells(*pair.a);
    bulk.b = geometry::ToCells(*pair.b);
  } catch (const std::invalid_argument& error) {
    throw InputError(pair.place + ": pairs: " + error.what());
  }
  host::RequireOther(options.out, file_name);
  host::RequireOther(options.out, options.poses);
  return bulk;
}

void SayWritten(const BulkPair& pair, const std::string& out) {
  std::cout << pair.X_WA.size() << " poses of '" << pair.name << "' written to " << out << '\n';
}

int MeasureBulk(const Engine& engine, const BulkPair& pair, const std::string& out,
                const host::MeasureOptions& options) {
  BulkRows rows(out, kSchema, kMetricsColumns, pair.X_WA.size());
  bool failed = false;
  std::vector<InterferenceMetrics> sums;
  InStretches(pair, out, &rows, [&](std::span<const Pose> X_WA, std::span<const Pose> X_WB) {
    sums.resize(X_WA.size());
    host::MeasurePoses(engine, pair.a, pair.b, X_WA, X_WB, options, sums);
    for (const InterferenceMetrics& sum : sums) {
      failed = failed || (sum.status != Status::kOk && sum.status != Status::kDisjoint);
      PutMetrics(sum, &rows);
    }
  });
  return failed ? kFailed : kDone;
}

}  // namespace intervox::cli
