// `intervox distance`: JSON, the table, what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli_call.h"

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
               "  - {name: touch, a: ball, b: floor, pose_a: {position: [0, 0, 0.05]}}\n"
               "  - {name: endless, a: floor, b: floor}\n");
}

TEST(Cli, DistanceJson) {
  const Outcome outcome = Call("distance " + Pairs(Folder("distance")) + " --json", false);
  EXPECT_EQ(outcome.status, 1);  // one pair is unbounded
  const auto json = nlohmann::json::parse(outcome.text);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["status"], "ok");
  EXPECT_NEAR(json[0]["distance"].get<double>(), 0.15, 1e-9);
  EXPECT_NEAR(json[0]["lower"].get<double>(), 0.15, 1e-9);
  EXPECT_NEAR(json[0]["point_a"][0].get<double>(), 0.3, 1e-6);
  EXPECT_NEAR(json[0]["point_a"][2].get<double>(), 0.15, 1e-9);
  EXPECT_NEAR(json[0]["point_b"][2].get<double>(), 0.0, 1e-9);
  EXPECT_NEAR(json[0]["normal"][2].get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(json[0]["radii_a"][0].get<double>(), 0.1, 1e-9);
  EXPECT_NEAR(json[0]["radii_a"][1].get<double>(), 0.1, 1e-9);
  EXPECT_TRUE(json[0]["radii_b"][0].is_null());
  EXPECT_TRUE(json[1]["radii_a"].is_null());
  EXPECT_EQ(json[1]["distance"], 0.0);
  EXPECT_TRUE(json[1]["normal"].is_null());
  EXPECT_EQ(json[2]["status"], "invalid");
  EXPECT_TRUE(json[2]["distance"].is_null());
  EXPECT_TRUE(json[2].contains("reason"));
}

TEST(Cli, DistanceOfGrids) {
  const std::string pairs =
      Write(Folder("distance_grids") / "pairs.yaml",
            "schema: intervox/pairs/1\n"
            "shapes:\n"
            "  ball: {sphere: {radius: 0.05}}\n"
            "  box: {grid: {of: {box: {size: [0.2, 0.16, 0.12]}}, voxel_size: 0.01}}\n"
            "pairs:\n"
            "  - {name: apart, a: ball, b: box, pose_a: {position: [0.02, 0.01, 0.125]}}\n"
            "  - {name: meet, a: box, b: box, pose_a: {position: [0.1, 0, 0]}}\n");
  const Outcome outcome = Call("distance " + pairs + " --json", false);
  EXPECT_EQ(outcome.status, 0);
  const auto json = nlohmann::json::parse(outcome.text);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["status"], "ok");
  EXPECT_NEAR(json[0]["distance"].get<double>(), 0.015, 1e-9);
  EXPECT_NEAR(json[0]["lower"].get<double>(), 0.015, 1e-9);
  EXPECT_NEAR(json[0]["point_b"][2].get<double>(), 0.06, 1e-9);
  EXPECT_NEAR(json[0]["normal"][2].get<double>(), 1.0, 1e-6);
  EXPECT_NEAR(json[0]["radii_a"][0].get<double>(), 0.05, 1e-9);
  EXPECT_TRUE(json[0]["radii_b"].is_null());  // voxels have edges
  EXPECT_EQ(json[1]["distance"], 0.0);
}

TEST(Cli, DistanceTableAndBadInput) {
  const fs::path folder = Folder("distance_table");
  const Outcome table = Call("distance " + Pairs(folder));
  EXPECT_NE(table.text.find("0.15"), std::string::npos) << table.text;
  EXPECT_NE(table.text.find("endless: both solids are unbounded"), std::string::npos) << table.text;
  const Outcome tolerance = Call("distance " + Pairs(folder) + " --tolerance 2");
  EXPECT_EQ(tolerance.status, 2);
  EXPECT_NE(tolerance.text.find("from 1e-12 to 0.1"), std::string::npos) << tolerance.text;
  const std::string shapes = Write(folder / "shapes.yaml",
                                   "schema: intervox/pairs/1\n"
                                   "shapes:\n"
                                   "  ball: {sphere: {radius: 0.1}}\n");
  const Outcome none = Call("distance " + shapes);
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.text.find("no pairs"), std::string::npos) << none.text;
}

}  // namespace
}  // namespace intervox
