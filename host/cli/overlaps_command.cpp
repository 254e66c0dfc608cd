// `intervox overlaps`: whether the solids of posed pairs meet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/bulk.h"
#include "host/cli/cli.h"
#include "host/cli/pair_rows.h"
#include "host/distance/overlaps.h"
#include "host/scene/names.h"
#include "host/scene/pairs.h"

namespace intervox::cli {
namespace {

using host::OverlapProof;
using host::OverlapTest;

struct Row {
  std::string name;
  OverlapTest test;
  double seconds = 0.0;
};

const char* WordOf(OverlapProof proof) {
  constexpr const char* kWords[] = {"none", "bounds", "planes", "point", "volume"};
  return kWords[static_cast<int>(proof)];
}

Row Test(const PosedPair& pair, CellStore* store) {
  Row row{pair.name, {}, 0.0};
  row.test.reason = store->FaultOf(pair);
  if (!row.test.reason.empty()) return row;
  const CellStore::Solid &a = store->Of(pair.a), &b = store->Of(pair.b);
  row.seconds =
      Seconds([&] { row.test = host::TestOverlap(a.cells, b.cells, pair.X_WA, pair.X_WB); });
  return row;
}

bool IsDecided(const Row& row) { return row.test.status == Status::kOk; }

nlohmann::ordered_json ToJson(const Row& row) {
  const OverlapTest& t = row.test;
  nlohmann::ordered_json j;
  j["name"] = row.name;
  j["overlaps"] = nullptr;
  j["point"] = nullptr;
  if (IsDecided(row)) j["overlaps"] = t.overlaps;
  if (t.proof == OverlapProof::kPoint) j["point"] = Numbers(t.p_W);
  j["status"] = host::WordOf(t.status);
  if (!t.reason.empty()) j["reason"] = t.reason;
  j["proof"] = WordOf(t.proof);
  j["steps"] = t.steps;
  j["seconds"] = row.seconds;
  return j;
}

void PrintTable(const std::vector<Row>& rows) {
  const std::size_t width = NameWidth(rows);
  std::cout << fmt::format("{:<{}}  {:<17} {:<8} {:<7} {:>36} {:>6} {:>9}\n", "name", width,
                           "status", "overlaps", "proof", "point inside both [m]", "steps",
                           "time [us]");
  for (const Row& row : rows) {
    const OverlapTest& t = row.test;
    const bool has_point = t.proof == OverlapProof::kPoint;
    std::cout << fmt::format("{:<{}}  {:<17} {:<8} {:<7} {:>36} {:>6} {:>9.1f}\n", row.name, width,
                             host::WordOf(t.status),
                             !IsDecided(row) ? "-"
                             : t.overlaps    ? "yes"
                                             : "no",
                             WordOf(t.proof), has_point ? Triple(t.p_W) : "-", t.steps,
                             1e6 * row.seconds);
  }
  PrintReasons(rows, [](const Row& row) -> const std::string& { return row.test.reason; });
}

constexpr std::array<ColumnSpec, 4> kOverlapsColumns = {{
    {"overlaps", 1, "1: 0 no, 1 yes", true},
    {"point", 3, "m"},
    {"proof", 1, "1: 0 none, 1 bounds, 2 planes, 3 point, 4 volume", true},
    {"status", 1, "1: 0 ok, 2 tolerance_not_met, 4 invalid", true},
}};

/** Tests the one pair at many poses. */
int RunBulk(const BulkPair& pair, const PairsOptions& options) {
  const std::string& out = options.bulk.out;
  BulkRows rows(out, "intervox/overlaps/1", kOverlapsColumns, pair.X_WA.size());
  bool all_decided = true;
  std::vector<OverlapTest> tests;
  InStretches(pair, out, &rows, [&](std::span<const Pose> X_WA, std::span<const Pose> X_WB) {
    tests.assign(X_WA.size(), {});
    host::TestOverlaps(pair.a, pair.b, X_WA, X_WB, options.threads, tests);
    for (const OverlapTest& t : tests) {
      all_decided = all_decided && t.status == Status::kOk;
      rows.PutInteger(0, t.overlaps ? 1 : 0);
      rows.Put(1, std::array{t.p_W.x, t.p_W.y, t.p_W.z});
      rows.PutInteger(2, static_cast<int>(t.proof));
      rows.PutInteger(3, static_cast<int>(t.status));
    }
  });
  return all_decided ? kDone : kFailed;
}

int Run(const PairsOptions& options) {
  const PairsFile file = ReadPairs(options.file, "overlaps");
  if (!options.bulk.poses.empty()) {
    return RunBulk(ReadBulk(file, options.file, options.bulk), options);
  }
  std::vector<Row> rows;
  CellStore store;
  for (const PosedPair& pair : file.pairs) rows.push_back(Test(pair, &store));
  if (options.json) {
    PrintJson(rows, ToJson);
  } else {
    PrintTable(rows);
  }
  return std::all_of(rows.begin(), rows.end(), IsDecided) ? kDone : kFailed;
}

}  // namespace

void AddOverlaps(CLI::App& app, int& status) {
  const auto options = std::make_shared<PairsOptions>();
  CLI::App* command =
      app.add_subcommand("overlaps", "Tell whether the solids of posed pairs overlap, yes or no");
  AddPairsOptions(command, options.get());
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace intervox::cli
