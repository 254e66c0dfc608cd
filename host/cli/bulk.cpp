#include "host/cli/bulk.h"

#include <array>
#include <cmath>
#include <iostream>

#include "host/cli/cli.h"
#include "host/cli/npy.h"
#include "host/cli/version.h"
#include "host/results/column_file.h"
#include "host/scene/error.h"

namespace intervox::cli {
namespace {

using host::InputError;

/** Queries given to the engine at once; bounds the memory. */
constexpr std::size_t kQueriesAtOnce = 65536;

std::vector<Pose> ReadPoses(const std::string& path) {
  const Array array = ReadNpy(path);
  if (array.columns != 7) {
    throw InputError(path + ": array: it has " + std::to_string(array.columns) +
                     " columns. Give 7: position and quaternion w, x, y, z of A in B.");
  }
  std::vector<Pose> poses(array.rows);
  for (std::size_t i = 0; i < array.rows; ++i) {
    const double* row = &array.values[7 * i];
    const Quaternion q{row[3], row[4], row[5], row[6]};
    if (!(std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z) > 1e-12)) {
      throw InputError(path + ": row " + std::to_string(i) +
                       ": the quaternion is zero. Write 1, 0, 0, 0 for no rotation.");
    }
    poses[i] = {ToRotation(Normalized(q)), {row[0], row[1], row[2]}};
  }
  return poses;
}

class Output {
 public:
  explicit Output(const std::string& path) : file_(host::ColumnFile::Create(path)) {
    file_.SetAttribute("schema", std::string("intervox/metrics/1"));
    file_.SetAttribute("program_version", VersionText());
    volume_ = file_.Column("volume", 1, "m^3");
    centroid_ = file_.Column("centroid", 3, "m");
    inertia_ = file_.Column("inertia", 9, "m^5");
    area_vector_ = file_.Column("area_vector", 3, "m^2");
    area_moment_ = file_.Column("area_moment", 3, "m^3");
    error_ = file_.Column("volume_error", 1, "m^3");
    status_ = file_.Column("status", 1,
                           "1: 0 ok, 1 disjoint, 2 tolerance_not_met, 3 unbounded, "
                           "4 invalid",
                           true);
    work_ = file_.Column("cells", 1, "1", true);
  }

  void Put(const InterferenceMetrics& m) {
    const auto vector = [&](int column, const Vec3& v) {
      file_.Put(column, std::array<double, 3>{v.x, v.y, v.z});
    };
    file_.Put(volume_, m.volume);
    vector(centroid_, m.p_WC);
    for (int i = 0; i < 3; ++i) vector(inertia_, m.J_W.Row(i));
    vector(area_vector_, m.area_vector);
    vector(area_moment_, m.area_moment);
    file_.Put(error_, m.volume_error);
    file_.PutInteger(status_, static_cast<int>(m.status));
    file_.PutInteger(work_, m.work);
  }

  void Flush() { file_.Flush(); }

 private:
  host::ColumnFile file_;
  int volume_, centroid_, inertia_, area_vector_, area_moment_, error_, status_, work_;
};

}  // namespace

int MeasureBulk(const Engine& engine, const PairsFile& file, const std::string& file_name,
                const std::string& poses_path, const std::string& out,
                const host::MeasureOptions& options) {
  if (file.pairs.size() != 1) {
    throw InputError(file_name + ": pairs: --poses moves one pair, the file has " +
                     std::to_string(file.pairs.size()) + ". Keep one.");
  }
  if (out.empty()) throw InputError("command line: --out: missing. Name an HDF5 file with -o.");
  const PosedPair& pair = file.pairs.front();
  const std::vector<Pose> poses = ReadPoses(poses_path);
  std::vector<geometry::Cell> a, b;
  try {
    a = geometry::ToCells(*pair.a);
    b = geometry::ToCells(*pair.b);
  } catch (const std::invalid_argument& error) {
    throw InputError(pair.place + ": pairs: " + error.what() + ". Correct the solid.");
  }
  Output output(out);
  const std::size_t cells = a.size() * b.size();
  const std::size_t step = std::max<std::size_t>(1, kQueriesAtOnce / cells);
  bool failed = false;
  for (std::size_t begin = 0; begin < poses.size(); begin += step) {
    const std::size_t end = std::min(poses.size(), begin + step);
    std::vector<PairQuery> queries;
    queries.reserve((end - begin) * cells);
    for (std::size_t i = begin; i < end; ++i) {
      const Pose X_WA = pair.X_WB * poses[i];
      for (const geometry::Cell& cell_a : a) {
        for (const geometry::Cell& cell_b : b) {
          queries.push_back({&cell_a, &cell_b, X_WA, pair.X_WB, options.tolerance,
                             options.voxel_size, options.rule});
        }
      }
    }
    const std::vector<InterferenceMetrics> parts = engine.Compute(queries);
    for (std::size_t i = 0; i < end - begin; ++i) {
      const InterferenceMetrics sum = host::SumOfParts(std::span(parts).subspan(i * cells, cells));
      failed = failed || (sum.status != Status::kOk && sum.status != Status::kDisjoint);
      output.Put(sum);
    }
    output.Flush();
  }
  std::cout << poses.size() << " poses of '" << pair.name << "' written to " << out << '\n';
  return failed ? kFailed : kDone;
}

}  // namespace intervox::cli
