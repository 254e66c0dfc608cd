#include "host/cli/bulk.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>

#include "host/cli/cli.h"
#include "host/cli/npy.h"
#include "host/cli/npz.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/column_file.h"
#include "host/scene/keys.h"

namespace intervox::cli {
namespace {

using host::InputError;

/** Poses measured between two writes. */
constexpr std::size_t kPosesAtOnce = 65536;

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

/** A column of the results. */
struct ColumnSpec {
  const char* name;
  int width;
  const char* units;
  bool integer = false;
};

constexpr std::array<ColumnSpec, 8> kColumns = {{
    {"volume", 1, "m^3"},
    {"centroid", 3, "m"},
    {"inertia", 9, "m^5"},
    {"area_vector", 3, "m^2"},
    {"area_moment", 3, "m^3"},
    {"volume_error", 1, "m^3"},
    {"status", 1, "1: 0 ok, 1 disjoint, 2 tolerance_not_met, 3 unbounded, 4 invalid", true},
    {"cells", 1, "1", true},
}};

constexpr const char* kSchema = "intervox/metrics/1";

/** Results in rows: HDF5, or .npz where the file's name says so. */
class Output {
 public:
  Output(const std::string& path, std::size_t rows) {
    if (std::filesystem::path(path).extension() == ".npz") {
      npz_.emplace(path, rows);
      npz_->AddText("schema", kSchema);
      npz_->AddText("program_version", VersionText());
      for (std::size_t i = 0; i < kColumns.size(); ++i) {
        numbers_[i] = npz_->AddColumn(kColumns[i].name, kColumns[i].width, kColumns[i].integer);
      }
      return;
    }
    hdf5_.emplace(host::ColumnFile::Create(path));
    hdf5_->SetAttribute("schema", std::string(kSchema));
    hdf5_->SetAttribute("program_version", VersionText());
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const ColumnSpec& c = kColumns[i];
      numbers_[i] = hdf5_->Column(c.name, c.width, c.units, c.integer);
    }
  }

  /** Adds a row, in the order of kColumns. */
  void Put(const InterferenceMetrics& m) {
    const Vec3 &p = m.p_WC, &x = m.J_W.row0, &y = m.J_W.row1, &z = m.J_W.row2;
    const Vec3 &S = m.area_vector, &G = m.area_moment;
    PutNumbers(0, std::array{m.volume});
    PutNumbers(1, std::array{p.x, p.y, p.z});
    PutNumbers(2, std::array{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z});
    PutNumbers(3, std::array{S.x, S.y, S.z});
    PutNumbers(4, std::array{G.x, G.y, G.z});
    PutNumbers(5, std::array{m.volume_error});
    PutInteger(6, static_cast<int>(m.status));
    PutInteger(7, m.work);
  }

  void Flush() { npz_ ? npz_->Flush() : hdf5_->Spill(); }
  void Close() { npz_ ? npz_->Close() : hdf5_->Flush(); }

 private:
  void PutNumbers(std::size_t column, std::span<const double> row) {
    npz_ ? npz_->Put(numbers_[column], row) : hdf5_->Put(numbers_[column], row);
  }
  void PutInteger(std::size_t column, std::int64_t value) {
    npz_ ? npz_->PutInteger(numbers_[column], value) : hdf5_->PutInteger(numbers_[column], value);
  }

  std::optional<NpzFile> npz_;
  std::optional<host::ColumnFile> hdf5_;
  std::array<int, kColumns.size()> numbers_{};
};

}  // namespace

int MeasureBulk(const Engine& engine, const PairsFile& file, const std::string& file_name,
                const std::string& poses_path, const std::string& out,
                const host::MeasureOptions& options) {
  if (file.pairs.size() != 1) {
    throw InputError(file_name + ": pairs: --poses moves one pair, the file has " +
                     std::to_string(file.pairs.size()) + ". Keep one.");
  }
  if (out.empty())
    throw InputError("command line: --out: missing. Name an HDF5 or .npz file with -o.");
  const PosedPair& pair = file.pairs.front();
  const std::vector<Pose> poses = ReadPoses(poses_path);
  std::vector<geometry::Cell> a, b;
  try {
    a = geometry::ToCells(*pair.a);
    b = geometry::ToCells(*pair.b);
  } catch (const std::invalid_argument& error) {
    throw InputError(pair.place + ": pairs: " + error.what());
  }
  host::RequireOther(out, file_name);
  host::RequireOther(out, poses_path);
  Output output(out, poses.size());
  bool failed = false;
  std::vector<InterferenceMetrics> sums;
  for (std::size_t begin = 0; begin < poses.size(); begin += kPosesAtOnce) {
    const std::size_t count = std::min(poses.size() - begin, kPosesAtOnce);
    std::vector<Pose> X_WA(count);
    for (std::size_t i = 0; i < count; ++i) X_WA[i] = pair.X_WB * poses[begin + i];
    sums.resize(count);
    host::MeasurePoses(engine, a, b, X_WA, std::vector<Pose>(count, pair.X_WB), options, sums);
    for (const InterferenceMetrics& sum : sums) {
      failed = failed || (sum.status != Status::kOk && sum.status != Status::kDisjoint);
      output.Put(sum);
    }
    output.Flush();
  }
  output.Close();
  std::cout << poses.size() << " poses of '" << pair.name << "' written to " << out << '\n';
  return failed ? kFailed : kDone;
}

}  // namespace intervox::cli
