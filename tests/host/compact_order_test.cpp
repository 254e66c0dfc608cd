#include "host/contact/stage/compact_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace intervox::host::internal {
namespace {

std::vector<Vec3> Grid(int side) {
  std::vector<Vec3> points;
  for (int k = 0; k < side * side; ++k) {
    points.push_back({static_cast<double>(k % side), static_cast<double>(k / side), 0.0});
  }
  return points;
}

TEST(CompactOrder, IsAPermutationWhosePartsAscend) {
  const std::vector<Vec3> points = Grid(23);
  std::vector<int> order;
  CompactOrder(points, 64, &order);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) ASSERT_EQ(sorted[k], static_cast<int>(k));
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    if ((k + 1) % 64 == 0) continue;
    EXPECT_LT(order[k], order[k + 1]) << k;
  }
}

// Parts of a square of points are nearly square: no strips.
TEST(CompactOrder, PartsAreCompact) {
  const std::vector<Vec3> points = Grid(64);
  std::vector<int> order;
  CompactOrder(points, 64, &order);
  for (std::size_t part = 0; part < 64; ++part) {
    Vec3 lower = points[static_cast<std::size_t>(order[64 * part])], upper = lower;
    for (std::size_t k = 64 * part; k < 64 * part + 64; ++k) {
      lower = Min(lower, points[static_cast<std::size_t>(order[k])]);
      upper = Max(upper, points[static_cast<std::size_t>(order[k])]);
    }
    EXPECT_EQ(upper.x - lower.x, 7.0) << part;
    EXPECT_EQ(upper.y - lower.y, 7.0) << part;
  }
}

// Points in one place are in the order of their numbers, so that the order is one of the points.
TEST(CompactOrder, EqualPointsKeepTheirOrder) {
  const std::vector<Vec3> points(300, Vec3{1, 2, 3});
  std::vector<int> order;
  CompactOrder(points, 32, &order);
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], static_cast<int>(k));
}

}  // namespace
}  // namespace intervox::host::internal
