// `intervox distance`: how far the solids of posed pairs are apart, and between which points.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "geometry/grid/grid_cells.h"
#include "host/cli/bulk.h"
#include "host/cli/cli.h"
#include "host/cli/pair_rows.h"
#include "host/cli/validators.h"
#include "host/contact/points/curvature.h"
#include "host/distance/distance.h"
#include "host/scene/names.h"
#include "host/scene/pairs.h"

namespace intervox::cli {
namespace {

struct DistanceArguments : PairsOptions {
  double tolerance = 1e-9;
};

struct Row {
  std::string name;
  host::Separation separation;
  double seconds = 0.0;
  /// At the witness points, where the solids are apart; of a grid, whose voxels have edges:
  /// nothing.
  std::optional<host::points::Curvatures> a, b;
};

Row Measure(const PosedPair& pair, const host::DistanceOptions& options, CellStore* store) {
  Row row{pair.name, {}, 0.0, {}, {}};
  row.separation.reason = store->FaultOf(pair);
  if (!row.separation.reason.empty()) return row;
  const CellStore::Solid &a = store->Of(pair.a), &b = store->Of(pair.b);
  row.seconds = Seconds([&] {
    row.separation = host::MeasureDistance(a.cells, b.cells, pair.X_WA, pair.X_WB, options);
  });
  const host::Separation& s = row.separation;
  if (s.status == Status::kInvalid || !(s.distance > 0)) return row;
  using host::points::CurvaturesOf;
  if (!geometry::HasGrid(a.cells)) row.a = CurvaturesOf(a.cells, pair.X_WA, s.p_WA, -s.n);
  if (!geometry::HasGrid(b.cells)) row.b = CurvaturesOf(b.cells, pair.X_WB, s.p_WB, s.n);
  return row;
}

bool Measured(const Row& row) { return row.separation.status != Status::kInvalid; }

/** The two radii of curvature [m]: 0 across an edge, null where it is flat, below 0 in hollows. */
nlohmann::ordered_json Radii(const host::points::Curvatures& c) {
  auto j = nlohmann::ordered_json::array();
  for (const double k : {c.k_1, c.k_2}) {
    j.push_back(k == 0.0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(1.0 / k));
  }
  return j;
}

nlohmann::ordered_json ToJson(const Row& row) {
  const host::Separation& s = row.separation;
  nlohmann::ordered_json j;
  j["name"] = row.name;
  for (const char* key :
       {"distance", "lower", "point_a", "point_b", "normal", "radii_a", "radii_b"}) {
    j[key] = nullptr;
  }
  if (Measured(row)) {
    j["distance"] = s.distance;
    j["lower"] = s.lower;
    j["point_a"] = Numbers(s.p_WA);
    j["point_b"] = Numbers(s.p_WB);
    if (s.distance > 0) {
      j["normal"] = Numbers(s.n);
      if (row.a) j["radii_a"] = Radii(*row.a);
      if (row.b) j["radii_b"] = Radii(*row.b);
    }
  }
  j["status"] = host::WordOf(s.status);
  if (!s.reason.empty()) j["reason"] = s.reason;
  j["boxes"] = s.boxes;
  j["seconds"] = row.seconds;
  return j;
}

void PrintTable(const std::vector<Row>& rows) {
  const std::size_t width = NameWidth(rows);
  std::cout << fmt::format("{:<{}}  {:<17} {:>16} {:>9} {:>36} {:>36} {:>9}\n", "name", width,
                           "status", "distance [m]", "error", "point of a [m]", "point of b [m]",
                           "time [us]");
  for (const Row& row : rows) {
    const host::Separation& s = row.separation;
    if (!Measured(row)) {
      std::cout << fmt::format("{:<{}}  {:<17} {:>16} {:>9} {:>36} {:>36} {:>9.1f}\n", row.name,
                               width, host::WordOf(s.status), "-", "-", "-", "-",
                               1e6 * row.seconds);
      continue;
    }
    std::cout << fmt::format("{:<{}}  {:<17} {:>16.10g} {:>9.1e} {} {} {:>9.1f}\n", row.name, width,
                             host::WordOf(s.status), s.distance, s.distance - s.lower,
                             Triple(s.p_WA), Triple(s.p_WB), 1e6 * row.seconds);
  }
  PrintReasons(rows, [](const Row& row) -> const std::string& { return row.separation.reason; });
}

constexpr std::array<ColumnSpec, 7> kDistanceColumns = {{
    {"distance", 1, "m"},
    {"lower", 1, "m"},
    {"point_a", 3, "m"},
    {"point_b", 3, "m"},
    {"normal", 3, "1"},
    {"status", 1, "1: 0 ok, 2 tolerance_not_met, 4 invalid", true},
    {"boxes", 1, "1", true},
}};

/** Measures the one pair at many poses. */
int RunBulk(const BulkPair& pair, const DistanceArguments& options,
            const host::DistanceOptions& measure) {
  const std::string& out = options.bulk.out;
  BulkRows rows(out, "intervox/distances/1", kDistanceColumns, pair.X_WA.size());
  bool all_met = true;
  std::vector<host::Separation> separations;
  InStretches(pair, out, &rows, [&](std::span<const Pose> X_WA, std::span<const Pose> X_WB) {
    separations.assign(X_WA.size(), {});
    host::MeasureDistances(pair.a, pair.b, X_WA, X_WB, measure, options.threads, separations);
    for (const host::Separation& s : separations) {
      all_met = all_met && s.status == Status::kOk;
      rows.Put(0, std::array{s.distance});
      rows.Put(1, std::array{s.lower});
      rows.Put(2, std::array{s.p_WA.x, s.p_WA.y, s.p_WA.z});
      rows.Put(3, std::array{s.p_WB.x, s.p_WB.y, s.p_WB.z});
      rows.Put(4, std::array{s.n.x, s.n.y, s.n.z});
      rows.PutInteger(5, static_cast<int>(s.status));
      rows.PutInteger(6, s.boxes);
    }
  });
  return all_met ? kDone : kFailed;
}

int RunDistance(const DistanceArguments& options) {
  const PairsFile file = ReadPairs(options.file, "distance");
  host::DistanceOptions measure;
  measure.tolerance = options.tolerance;
  if (!options.bulk.poses.empty()) {
    return RunBulk(ReadBulk(file, options.file, options.bulk), options, measure);
  }
  std::vector<Row> rows;
  CellStore store;
  for (const PosedPair& pair : file.pairs) rows.push_back(Measure(pair, measure, &store));
  if (options.json) {
    PrintJson(rows, ToJson);
  } else {
    PrintTable(rows);
  }
  const bool all_met = std::all_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.separation.status == Status::kOk;
  });
  return all_met ? kDone : kFailed;
}

}  // namespace

void AddDistance(CLI::App& app, int& status) {
  const auto options = std::make_shared<DistanceArguments>();
  CLI::App* command =
      app.add_subcommand("distance", "Measure how far the solids of posed pairs are apart");
  AddPairsOptions(command, options.get());
  command
      ->add_option("--tolerance", options->tolerance,
                   "In sizes of the smaller solid, or in distances where that is more [1e-12, "
                   "0.1]; default 1e-9")
      ->check(InRange(1e-12, 0.1));
  command->callback([options, &status] { status = RunDistance(*options); });
}

}  // namespace intervox::cli
