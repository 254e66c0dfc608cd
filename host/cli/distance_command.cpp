// `intervox distance`: how far the solids of posed pairs are apart, and between which points.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/pair_rows.h"
#include "host/cli/validators.h"
#include "host/distance/distance.h"
#include "host/input/error.h"
#include "host/scene/names.h"
#include "host/scene/pairs.h"

namespace intervox::cli {
namespace {

struct Options {
  std::string file;
  double tolerance = 1e-9;
  bool json = false;
};

struct Row {
  std::string name;
  host::Separation separation;
  double seconds = 0.0;
};

Row Measure(const PosedPair& pair, const host::DistanceOptions& options, CellStore* store) {
  const CellStore::Solid& a = store->Of(pair.a);
  const CellStore::Solid& b = store->Of(pair.b);
  Row row{pair.name, {}, 0.0};
  const std::string& fault = a.fault.empty() ? b.fault : a.fault;
  if (!fault.empty()) {
    row.separation.reason = pair.place + ": " + fault;
    return row;
  }
  row.seconds = Seconds([&] {
    row.separation = host::MeasureDistance(a.cells, b.cells, pair.X_WA, pair.X_WB, options);
  });
  return row;
}

bool Measured(const Row& row) { return row.separation.status != Status::kInvalid; }

nlohmann::ordered_json ToJson(const Row& row) {
  const host::Separation& s = row.separation;
  nlohmann::ordered_json j;
  j["name"] = row.name;
  for (const char* key : {"distance", "lower", "point_a", "point_b", "normal"}) j[key] = nullptr;
  if (Measured(row)) {
    j["distance"] = s.distance;
    j["lower"] = s.lower;
    j["point_a"] = Numbers(s.p_WA);
    j["point_b"] = Numbers(s.p_WB);
    if (s.distance > 0) j["normal"] = Numbers(s.n);
  }
  j["status"] = host::WordOf(s.status);
  if (!s.reason.empty()) j["reason"] = s.reason;
  j["boxes"] = s.boxes;
  j["seconds"] = row.seconds;
  return j;
}

void PrintTable(const std::vector<Row>& rows) {
  std::size_t width = 4;
  for (const Row& row : rows) width = std::max(width, row.name.size());
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
  for (const Row& row : rows) {
    if (!row.separation.reason.empty()) {
      std::cout << row.name << ": " << row.separation.reason << '\n';
    }
  }
}

int Run(const Options& options) {
  RequireKind(options.file, "distance", {FileKind::kPairs});
  const PairsFile file = LoadPairs(options.file);
  if (file.pairs.empty()) {
    throw host::InputError(options.file + ": document: no pairs. Add 'pairs' of posed shapes.");
  }
  host::DistanceOptions measure;
  measure.tolerance = options.tolerance;
  std::vector<Row> rows;
  CellStore store;
  for (const PosedPair& pair : file.pairs) rows.push_back(Measure(pair, measure, &store));
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Row& row : rows) all.push_back(ToJson(row));
    std::cout << all.dump(1) << '\n';
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
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("distance", "Measure how far the solids of posed pairs are apart");
  command->add_option("file", options->file, "Pairs file, intervox/pairs/1; -: standard input")
      ->required();
  command
      ->add_option("--tolerance", options->tolerance,
                   "In sizes of the smaller solid, or in distances where that is more [1e-12, "
                   "0.1]; default 1e-9")
      ->check(InRange(1e-12, 0.1));
  command->add_flag("--json", options->json, "Print one JSON array in full precision");
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace intervox::cli
