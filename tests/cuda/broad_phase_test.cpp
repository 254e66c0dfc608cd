#include "cuda/broad_phase/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using geometry::Aabb;
using testing::Random;

Aabb BoxAt(const Vec3& middle, const Vec3& half) { return {middle - half, middle + half}; }

std::vector<IndexPair> AllPairs(const std::vector<Aabb>& boxes) {
  std::vector<IndexPair> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(boxes.size()); ++i) {
    for (std::int32_t j = i + 1; j < static_cast<std::int32_t>(boxes.size()); ++j) {
      if (geometry::Overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
    }
  }
  return pairs;
}

TEST(BoxPairs, AreThoseOfAllAgainstAllAtAnySizesAndThreads) {
  Random random(1);
  BoxPairs finder;
  std::vector<IndexPair> pairs, again;
  std::size_t found = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Aabb> boxes;
    const int count = trial % 7 == 0 ? trial / 7 : 20 * (1 + trial % 40);
    const double flat = trial % 3 == 0 ? 0.0 : 1.0;  // layers too
    for (int i = 0; i < count; ++i) {
      Vec3 middle = random.Vector(1);
      middle.z *= flat;
      const double size = std::pow(10, random.Uniform(trial % 2 == 0 ? -1.2 : -4, -0.8));
      boxes.push_back(BoxAt(middle, size * Vec3{1, random.Uniform(0, 1), random.Uniform(0.1, 3)}));
      if (i % 50 == 49) boxes.back() = boxes[boxes.size() - 2];  // twice the same
    }
    finder.Find(boxes, &pairs, 1);
    EXPECT_EQ(pairs, AllPairs(boxes));
    finder.Find(boxes, &again, 2);
    EXPECT_EQ(pairs, again);
    found += pairs.size();
  }
  EXPECT_GT(found, 20000U);
}

TEST(BoxPairs, BoxesThatShareAPointArePairs) {
  std::vector<IndexPair> pairs;
  BoxPairs().Find(std::vector<Aabb>{{{0, 0, 0}, {1, 1, 1}},
                                    {{1, 0, 0}, {2, 1, 1}},
                                    {{2.5, 0, 0}, {3, 1, 1}},
                                    {{1.5, 0.5, 0.5}, {1.5, 0.5, 0.5}}},
                  &pairs);
  EXPECT_EQ(pairs, (std::vector<IndexPair>{{0, 1}, {1, 3}}));
}

/** Processor time [s] for n pins of 1 mm on boards of 10 m, of which there are some. */
double TimeOfPins(int n, int boards) {
  Random random(2);
  std::vector<Aabb> boxes;
  for (int i = 0; i < boards; ++i) {
    boxes.push_back(BoxAt({0, 0, -0.2 - 1e-3 * i}, {5, 5, 0.1}));
  }
  for (int i = 0; i < n; ++i) {
    boxes.push_back(BoxAt({0.003 * (i % 100), 0.003 * (i / 100), 0.0}, {1e-3, 1e-3, 1e-3}));
  }
  BoxPairs finder;
  std::vector<IndexPair> pairs;
  double least = 1e9;
  for (int k = 0; k < 5; ++k) {
    const std::clock_t start = std::clock();
    finder.Find(boxes, &pairs, 1);
    least = std::fmin(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  EXPECT_EQ(pairs.size(), static_cast<std::size_t>(boards * (boards - 1) / 2));
  return least;
}

TEST(BoxPairs, LargeBoxesAmongSmallOnesCostNothingMore) {
  EXPECT_LT(TimeOfPins(10000, 30), 2.0 * TimeOfPins(10000, 0));
}

TEST(BoxPairs, TimeFollowsTheNumber) {
  EXPECT_LT(TimeOfPins(40000, 1), 30 * TimeOfPins(4000, 1));  // all against all: 100
}

}  // namespace
}  // namespace intervox
