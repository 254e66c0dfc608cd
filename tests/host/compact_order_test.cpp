#include "host/contact/stage/compact_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
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

std::vector<int> OrderOf(const std::vector<Vec3>& points, int threads = 1) {
  std::vector<int> order;
  CompactOrder(points, 64, threads, &order);
  return order;
}

TEST(CompactOrder, IsAPermutation) {
  std::vector<int> sorted = OrderOf(Grid(23));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) ASSERT_EQ(sorted[k], static_cast<int>(k));
}

// Parts of a square of points are nearly square: no strips.
TEST(CompactOrder, PartsAreCompact) {
  const std::vector<Vec3> points = Grid(64);
  const std::vector<int> order = OrderOf(points);
  for (std::size_t part = 0; part < 64; ++part) {
    Vec3 lower = points[static_cast<std::size_t>(order[64 * part])], upper = lower;
    for (std::size_t k = 64 * part; k < 64 * part + 64; ++k) {
      lower = Min(lower, points[static_cast<std::size_t>(order[k])]);
      upper = Max(upper, points[static_cast<std::size_t>(order[k])]);
    }
    EXPECT_LE(upper.x - lower.x, 16.0) << part;
    EXPECT_LE(upper.y - lower.y, 16.0) << part;
  }
}

// Of neighbours in a lattice the same one is first everywhere, however they are numbered and
// trembling: incomplete factors in the order take half the iterations.
TEST(CompactOrder, NeighboursInALatticeAreInOneOrder) {
  constexpr std::size_t kSide = 50;
  std::vector<std::size_t> number(kSide * kSide);
  std::iota(number.begin(), number.end(), std::size_t{0});
  std::mt19937 random(1);
  std::shuffle(number.begin(), number.end(), random);
  std::uniform_real_distribution<double> tremble(-0.01, 0.01);
  const std::vector<Vec3> lattice = Grid(kSide);
  std::vector<Vec3> points(number.size());
  for (std::size_t k = 0; k < number.size(); ++k) {
    points[number[k]] = lattice[k] + Vec3{tremble(random), tremble(random), tremble(random)};
  }
  const std::vector<int> order = OrderOf(points);
  std::vector<std::size_t> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[static_cast<std::size_t>(order[p])] = p;
  for (std::size_t k = 0; k < number.size(); ++k) {
    if (k % kSide + 1 < kSide) {
      EXPECT_LT(place[number[k]], place[number[k + 1]]) << k;
    }
    if (k + kSide < number.size()) {
      EXPECT_LT(place[number[k]], place[number[k + kSide]]) << k;
    }
  }
}

TEST(CompactOrder, DoesNotDependOnThreads) {
  const std::vector<Vec3> points = Grid(80);
  EXPECT_EQ(OrderOf(points, 1), OrderOf(points, 4));
}

// Points in one place are in the order of their numbers, so that the order is one of the points.
TEST(CompactOrder, EqualPointsKeepTheirOrder) {
  const std::vector<Vec3> points(300, Vec3{1, 2, 3});
  std::vector<int> order;
  CompactOrder(points, 32, 1, &order);
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], static_cast<int>(k));
}

}  // namespace
}  // namespace intervox::host::internal
