// The study's orders on a small slice: what the documentation claims of each rule.
#include "host/study/voxel_study.h"

#include <gtest/gtest.h>

#include <cmath>

namespace intervox::host {
namespace {

PairsFile BallsAndBlock() {
  return ParsePairs(
      "schema: intervox/pairs/1\n"
      "shapes:\n"
      "  ball: {sphere: {radius: 0.02}}\n"
      "  ground: {half_space: {normal: [0.1, 0.2, 1], offset: 0}}\n"
      "pairs:\n"
      "  - {name: balls, a: ball, b: ball, pose_b: {position: [0.021, 0.011, 0.027]}}\n"
      "  - {name: ground, a: ball, b: ground, pose_a: {position: [0.001, 0, 0.017]}}\n",
      "study.yaml");
}

TEST(SlowVoxelStudy, OrdersAreTheDocumentedOnes) {
  StudySettings settings;
  settings.voxel_sizes = {4e-3, 2.83e-3, 2e-3, 1.41e-3, 1e-3};
  settings.rules = {LeafRule::kCenter, LeafRule::kFraction, LeafRule::kClip, LeafRule::kVoxel};
  settings.tolerance = 1e-4;
  const std::vector<StudyRow> rows = StudyVoxels(BallsAndBlock(), settings);
  ASSERT_EQ(rows.size(), 40u);
  const std::vector<StudyOrder> orders = OrdersOf(rows);
  ASSERT_EQ(orders.size(), 8u);
  for (const StudyOrder& o : orders) {
    SCOPED_TRACE(o.pair + " " + std::to_string(static_cast<int>(o.rule)));
    if (o.rule == LeafRule::kClip || o.rule == LeafRule::kVoxel) {
      EXPECT_NEAR(o.volume, 2, 0.25);
      EXPECT_GT(o.area, 1.5);
    } else {
      EXPECT_GT(o.volume, 0.8);
    }
  }
  for (const StudyRow& row : rows) {
    EXPECT_GT(row.exact_volume, 0);
    EXPECT_GT(row.seconds, 0);
    EXPECT_NEAR(row.volume_error, std::fabs(row.volume / row.exact_volume - 1), 1e-12);
  }
}

TEST(VoxelStudy, AnOrderIsTheSlopeInLogarithms) {
  std::vector<StudyRow> rows(3);
  for (int k = 0; k < 3; ++k) {
    rows[static_cast<std::size_t>(k)].voxel_size = std::pow(2.0, k);
    rows[static_cast<std::size_t>(k)].volume_error = 5 * std::pow(8.0, k);
    rows[static_cast<std::size_t>(k)].centroid_error = k == 0 ? 1 : 0;
  }
  const StudyOrder order = OrdersOf(rows).front();
  EXPECT_NEAR(order.volume, 3, 1e-12);
  EXPECT_TRUE(std::isnan(order.centroid));
}

TEST(VoxelStudy, PictureHasALineForEachRule) {
  StudyRow row;
  row.pair = "a < b";
  row.rule = LeafRule::kClip;
  row.voxel_size = 1e-3;
  row.volume_error = row.seconds = 1e-4;
  const std::string picture = StudyPicture({row});
  EXPECT_NE(picture.find("a &lt; b"), std::string::npos);
  EXPECT_NE(picture.find(">clip<"), std::string::npos);
  EXPECT_EQ(picture.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace intervox::host
