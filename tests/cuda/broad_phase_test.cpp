#include "cuda/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using testing::BoxCell;
using testing::Cell;
using testing::Random;

std::vector<Cell> RandomCells(int count, double reach, Random* random) {
  std::vector<Cell> cells;
  for (int i = 0; i < count; ++i) {
    const Vec3 c = random->Vector(reach);
    std::vector<Vec3> points;
    for (int k = 0; k < 8; ++k)
      points.push_back(c + random->Uniform(0.05, 0.2) * random->Direction());
    cells.push_back(testing::HullCell(points));
  }
  return cells;
}

bool Overlaps(const Cell& a, const Pose& X_WA, const Cell& b, const Pose& X_WB) {
  PairQuery q;
  q.a = &a;
  q.b = &b;
  q.X_WA = X_WA;
  q.X_WB = X_WB;
  const Status status = ComputeMetrics(q).status;
  return status == Status::kOk || status == Status::kUnbounded;
}

TEST(BroadPhase, TwoBodiesMissNothingAndKeepFew) {
  Random random(1);
  const std::vector<Cell> a = RandomCells(20, 0.5, &random), b = RandomCells(60, 1, &random);
  std::vector<CellPair> pairs;
  int overlaps = 0, candidates = 0;
  for (int k = 0; k < 20; ++k) {
    const BodyCells A{a, random.RandomPose(1)}, B{b, random.RandomPose(1)};
    FindCandidates(A, B, &pairs);
    EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
    candidates += static_cast<int>(pairs.size());
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < 60; ++j) {
        if (!Overlaps(a[i], A.X_WB, b[j], B.X_WB)) continue;
        ++overlaps;
        EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), CellPair{i, j}));
      }
    }
  }
  EXPECT_GT(overlaps, 20);
  EXPECT_LT(candidates, 3 * overlaps);
}

TEST(BroadPhase, ManyBodiesMissNothingForAnyThreads) {
  Random random(2);
  std::vector<std::vector<Cell>> cells;
  std::vector<BodyCells> bodies;
  for (int i = 0; i < 30; ++i) cells.push_back(RandomCells(1 + i % 7, 0.4, &random));
  cells.push_back({testing::HalfSpaceCell({0, 0.1, 1}, -0.5)});
  cells.push_back({testing::HalfSpaceCell({1, 0, 0}, -0.8)});
  for (const auto& c : cells) {
    bodies.push_back({c, c[0].bounded ? random.RandomPose(1.2) : Pose{}});
  }
  std::vector<BodyCellPair> pairs, again;
  FindAllCandidates(bodies, &pairs, 1);
  FindAllCandidates(bodies, &again, 2);
  EXPECT_EQ(pairs, again);
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
  EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
  int overlaps = 0;
  for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(bodies.size()); ++j) {
      for (int u = 0; u < static_cast<int>(cells[i].size()); ++u) {
        for (int v = 0; v < static_cast<int>(cells[j].size()); ++v) {
          if (!Overlaps(cells[i][u], bodies[i].X_WB, cells[j][v], bodies[j].X_WB)) continue;
          ++overlaps;
          EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), BodyCellPair{i, u, j, v}));
        }
      }
    }
  }
  EXPECT_GT(overlaps, 50);
}

TEST(BroadPhase, FarFromTheOriginAndTouching) {
  const std::vector<Cell> box = {BoxCell({1, 1, 1})};
  const Vec3 far{1e4, -2e4, 3e4};
  std::vector<CellPair> pairs;
  FindCandidates({box, {{}, far}}, {box, {{}, far + Vec3{1 - 1e-9, 0, 0}}}, &pairs);
  EXPECT_EQ(pairs.size(), 1u);
  FindCandidates({box, {{}, far}}, {box, {{}, far + Vec3{1 + 1e-9, 0, 0}}}, &pairs);
  EXPECT_TRUE(pairs.empty());
}

// The cost follows cells and overlaps: eight times the cells must cost far less than 64 times. In
// processor time, so that a busy machine does not count.
TEST(BroadPhase, CostFollowsCells) {
  const std::vector<Cell> box = {BoxCell({1, 1, 1})};
  double cost[2] = {1e9, 1e9};
  for (int big = 0; big < 2; ++big) {
    const int n = big ? 32 : 16;
    std::vector<BodyCells> bodies;
    for (int i = 0; i < n * n * n; ++i) {
      bodies.push_back({box, {{}, {1.5 * (i % n), 1.5 * (i / n % n), 1.5 * (i / n / n)}}});
    }
    std::vector<BodyCellPair> pairs;
    for (int k = 0; k < 7; ++k) {
      const std::clock_t start = std::clock();
      FindAllCandidates(bodies, &pairs, 1);
      cost[big] = std::min(cost[big], static_cast<double>(std::clock() - start));
    }
    EXPECT_TRUE(pairs.empty());
  }
  EXPECT_LT(cost[1], 32 * cost[0]);
}

}  // namespace
}  // namespace intervox
