// Cells whose union is one cell become that cell again, however it was cut.
#include "geometry/merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/faces.h"
#include "geometry/hollows.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/solid.h"
#include "random_shapes.h"
#include "split.h"

namespace intervox::geometry {
namespace {

/** Whether two cells have the same surfaces. */
bool AreSame(const Cell& a, const Cell& b) {
  return a.surfaces.size() == b.surfaces.size() &&
         std::all_of(a.surfaces.begin(), a.surfaces.end(), [&](const Surface& S) {
           return std::any_of(b.surfaces.begin(), b.surfaces.end(), [&](const Surface& T) {
             return Coincide(S, T, a.bounds.X.p, SizeOf(a)) == Coincidence::kSame;
           });
         });
}

/** Each plane cuts about half of the cells: where it ends another cell's face goes on. */
std::vector<Cell> CutAtRandom(const Cell& whole, int cuts, Random* random) {
  std::vector<Cell> cells{whole};
  const std::vector<Vec3>& corners = whole.corners.p_C;
  for (int k = 0; k < cuts; ++k) {
    Vec3 n = random->Direction();
    if (k % 3 == 0) n = {k % 2 == 0 ? 1.0 : 0.0, k % 2 == 0 ? 0.0 : 1.0, 0.0};
    Vec3 p = whole.bounds.X * (random->Uniform(-0.6, 0.6) * whole.bounds.half);
    if (k % 3 == 1 && !corners.empty()) {
      p = corners[static_cast<std::size_t>(random->Below(static_cast<int>(corners.size())))];
    }
    const Surface plane = MakePlane(n, p);
    std::vector<Cell> next;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0 && random->Uniform(0, 1) < 0.5) {
        next.push_back(cells[c]);
        continue;
      }
      for (Cell& half : Halves(cells[c], plane)) next.push_back(std::move(half));
    }
    cells = std::move(next);
  }
  LinkNeighbours(cells);
  return cells;
}

void CheckMerging(unsigned seed) {
  Random random(seed);
  std::size_t most = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points;
    for (int k = 0; k < 12; ++k) points.push_back(random.Direction());
    const Pose X = random.RandomPose(1);
    const std::vector<ShapePtr> shapes = {Leaf(Box{{0.3, 0.2, 0.1}}, X), Leaf(Convex{points}, X),
                                          Leaf(Cylinder{0.2, 0.3}, X),
                                          Leaf(Ellipsoid{{0.1, 0.2, 0.3}}, X)};
    const Cell whole = ToCells(*shapes[static_cast<std::size_t>(round) % 4])[0];
    const std::vector<Cell> cells = CutAtRandom(whole, 1 + round % 6, &random);
    most = std::max(most, cells.size());
    const std::vector<Cell> merged = MergeCells(cells, Hollows::kMerged);
    ASSERT_EQ(merged.size(), 1u) << seed << ": " << round << " of " << cells.size();
    EXPECT_TRUE(AreSame(merged[0], whole)) << seed << ": " << round;
    const Cell same = MergeCells({&whole, 1}, Hollows::kMerged)[0];
    EXPECT_EQ(merged[0].corners.loop, same.corners.loop) << seed << ": " << round;
    for (std::size_t k = 0; k < same.corners.p_C.size(); ++k) {
      EXPECT_EQ(Norm(merged[0].corners.p_C[k] - same.corners.p_C[k]), 0.0) << seed << ": " << round;
    }
  }
  EXPECT_GT(most, 10u);
}

// In some of these the first pairs that fit leave others that do not, which another order mends.
TEST(MergedCells, AreTheSolidThatWasCut) {
  for (unsigned seed = 71; seed <= 80; ++seed) CheckMerging(seed);
}
TEST(SlowMergedCells, AreTheSolidThatWasCut) {
  for (unsigned seed = 1000; seed < 1170; ++seed) CheckMerging(seed);
}

// Two pieces of a part with a hollow face are that part, with the same bits.
TEST(MergedCells, OfAHollowInTwoPiecesAreItAgain) {
  Random random(9);
  for (int round = 0; round < 40; ++round) {
    const Pose X = random.RandomPose(1);
    const ShapePtr taken[] = {Leaf(Cylinder{0.1, 2}, X), Leaf(Cone{0.05, 0.15, 0.4}, X),
                              Leaf(Sphere{0.1}, X * Pose{{}, {0, 0, 0.2}})};
    const ShapePtr from =
        round % 2 == 0 ? Leaf(Cylinder{0.2, 0.3}, X) : Leaf(Box{{0.4, 0.5, 0.3}}, X);
    const std::vector<Cell> whole =
        ToCells(*Tree(Operation::kDifference, {from, taken[round % 3]}));
    ASSERT_EQ(whole.size(), 1u);
    const std::vector<Cell> cells = CutAtRandom(whole[0], 1, &random);
    ASSERT_EQ(cells.size(), 2u);
    const std::vector<Cell> merged = MergeCells(cells, Hollows::kMerged);
    ASSERT_EQ(merged.size(), 1u) << round;
    const Cell same = MergeCells(whole, Hollows::kMerged)[0];
    ASSERT_EQ(merged[0].surfaces.size(), same.surfaces.size()) << round;
    for (std::size_t k = 0; k < same.surfaces.size(); ++k) {
      EXPECT_EQ(merged[0].surfaces[k].c, same.surfaces[k].c) << round << " " << k;
      EXPECT_EQ(Norm(merged[0].surfaces[k].o - same.surfaces[k].o), 0.0) << round << " " << k;
    }
    EXPECT_EQ(Norm(merged[0].bounds.half - same.bounds.half), 0.0) << round;
    EXPECT_EQ(Norm(merged[0].bounds.X.p - same.bounds.X.p), 0.0) << round;
  }
}

// No two of these make a box: four around a fifth.
TEST(MergedCells, NeedNoPairThatFits) {
  std::vector<Cell> cells;
  for (const auto& [size, p] : std::vector<std::pair<Vec3, Vec3>>{{{2, 1, 1}, {1, 0.5, 0}},
                                                                  {{1, 2, 1}, {2.5, 1, 0}},
                                                                  {{2, 1, 1}, {2, 2.5, 0}},
                                                                  {{1, 2, 1}, {0.5, 2, 0}},
                                                                  {{1, 1, 1}, {1.5, 1.5, 0}}}) {
    cells.push_back(ToCells(*Leaf(Box{size}, {{}, p}))[0]);
  }
  LinkNeighbours(cells);
  const std::vector<Cell> merged = MergeCells(cells, Hollows::kMerged);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_TRUE(AreSame(merged[0], ToCells(*Leaf(Box{{3, 3, 1}}, {{}, {1.5, 1.5, 0}}))[0]));
  cells.pop_back();  // a ring
  LinkNeighbours(cells);
  EXPECT_EQ(MergeCells(cells, Hollows::kMerged).size(), 4u);
}

TEST(MergedCells, WhatIsNoCellStaysInSeveral) {
  // An L, cut across both arms: two boxes.
  const ShapePtr arms = Tree(Operation::kUnion, {Leaf(Box{{2, 1, 1}}, {{}, {1, 0.5, 0}}),
                                                 Leaf(Box{{1, 2, 1}}, {{}, {0.5, 1, 0}})});
  std::vector<Cell> cells = ToCells(*arms);
  cells = SplitByPlane(cells, MakePlane(Normalized(Vec3{1, 1, 0.2}), 0.7));
  EXPECT_GT(cells.size(), 2u);
  EXPECT_EQ(MergeCells(cells, Hollows::kMerged).size(), 2u);
  // A half ball on a cylinder of its radius: no surface holds both.
  EXPECT_EQ(MergeCells(ToCells(*Leaf(Capsule{0.1, 0.3})), Hollows::kMerged).size(), 3u);
  // Around a hollow cells are cut on purpose.
  const ShapePtr block =
      Tree(Operation::kDifference, {Leaf(Box{{1, 1, 1}}), Leaf(Cylinder{0.2, 2})});
  const std::vector<Cell> around = SplitHollows(ToCells(*block));
  EXPECT_EQ(MergeCells(around, Hollows::kKept).size(), around.size());
  EXPECT_EQ(MergeCells(around, Hollows::kMerged).size(), 1u);
  EXPECT_TRUE(MergeCells({}, Hollows::kMerged).empty());
}

}  // namespace
}  // namespace intervox::geometry
