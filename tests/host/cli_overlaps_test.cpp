// `intervox overlaps`: JSON, the table, many poses; many poses of `intervox distance`, too.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli_call.h"
#include "host/results/column_file.h"
#include "npy_file.h"

namespace intervox {
namespace {

std::string Pairs(const fs::path& folder) {
  return Write(folder / "pairs.yaml",
               "schema: intervox/pairs/1\n"
               "shapes:\n"
               "  ball: {sphere: {radius: 0.1}}\n"
               "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
               "pairs:\n"
               "  - {name: apart, a: ball, b: floor, pose_a: {position: [0.3, 0, 0.25]}}\n"
               "  - {name: touch, a: ball, b: floor, pose_a: {position: [0, 0, 0.1]}}\n"
               "  - {name: sunk, a: ball, b: floor, pose_a: {position: [0, 0, 0.05]}}\n"
               "  - {name: endless, a: floor, b: floor}\n");
}

TEST(Cli, OverlapsJson) {
  const Outcome outcome = Call("overlaps " + Pairs(Folder("overlaps")) + " --json", false);
  EXPECT_EQ(outcome.status, 0);
  const auto json = nlohmann::json::parse(outcome.text);
  ASSERT_EQ(json.size(), 4u);
  const bool expected[] = {false, false, true, true};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(json[k]["status"], "ok");
    EXPECT_EQ(json[k]["overlaps"], expected[k]) << json[k]["name"];
  }
  EXPECT_TRUE(json[0]["point"].is_null());
  EXPECT_EQ(json[2]["proof"], "point");
  EXPECT_LT(json[2]["point"][2].get<double>(), 0);
  EXPECT_EQ(json[3]["proof"], "volume");
}

TEST(Cli, OverlapsTableAndBadInput) {
  const fs::path folder = Folder("overlaps_table");
  const Outcome table = Call("overlaps " + Pairs(folder));
  EXPECT_EQ(table.status, 0);
  EXPECT_NE(table.text.find("sunk     ok                yes      point"), std::string::npos)
      << table.text;
  const std::string shapes = Write(folder / "shapes.yaml",
                                   "schema: intervox/pairs/1\n"
                                   "shapes:\n"
                                   "  ball: {sphere: {radius: 0.1}}\n");
  const Outcome none = Call("overlaps " + shapes);
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.text.find("no pairs"), std::string::npos) << none.text;
  const Outcome several = Call("overlaps " + Pairs(folder) + " --poses p.npy -o o.h5");
  EXPECT_EQ(several.status, 2);
  EXPECT_NE(several.text.find("--poses moves one pair, the file has 4"), std::string::npos)
      << several.text;
}

// A ball that sinks into a floor: distances down to 0, then overlaps.
TEST(Cli, OverlapsAndDistancesAtManyPoses) {
  const fs::path folder = Folder("overlaps_bulk");
  const std::string pair =
      Write(folder / "pair.yaml",
            "schema: intervox/pairs/1\npairs:\n  - {a: {sphere: {radius: 0.1}}, "
            "b: {half_space: {normal: [0, 0, 1], offset: 0}}}\n");
  std::vector<double> poses;
  for (int i = 0; i < 100; ++i) {
    for (const double x : {0.0, 0.0, 0.1495 - 0.001 * i, 1.0, 0.0, 0.0, 0.0}) poses.push_back(x);
  }
  const std::string npy = Npy(folder / "poses.npy", poses, "(100, 7)");
  const std::string overlaps = (folder / "overlaps.h5").string();
  const std::string distances = (folder / "distances.h5").string();
  EXPECT_EQ(Call("overlaps " + pair + " --poses " + npy + " -o " + overlaps).status, 0);
  EXPECT_EQ(Call("distance " + pair + " --poses " + npy + " --threads 2 -o " + distances).status,
            0);
  const auto yes = host::ColumnFile::Read(overlaps).Values("overlaps");
  const auto distance = host::ColumnFile::Read(distances).Values("distance");
  ASSERT_EQ(yes.size(), 100u);
  ASSERT_EQ(distance.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) {
    const double gap = 0.0495 - 0.001 * static_cast<double>(i);
    EXPECT_EQ(yes[i], gap < 0 ? 1 : 0) << gap;
    EXPECT_NEAR(distance[i], std::fmax(gap, 0.0), 1e-9);
  }
  for (const std::string& file : {overlaps, distances}) {
    EXPECT_EQ(Call("info " + file).status, 0);
  }
  EXPECT_EQ(Call("overlaps " + pair + " --poses " + npy).status, 2);  // where to?
}

}  // namespace
}  // namespace intervox
