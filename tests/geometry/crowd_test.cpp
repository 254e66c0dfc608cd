// Solids of hundreds of operands: what their cells cost, and that none has too many surfaces.
#include "geometry/crowd.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partition.h"

namespace intervox::geometry {
namespace {

/** A cube of edge 1 minus n³ balls, one in each cube of a grid. */
ShapePtr Sponge(int n) {
  Random random(51);
  const double edge = 1.0 / n;
  std::vector<ShapePtr> operands{Leaf(Box{{1, 1, 1}})};
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3 corner{(i % n) * edge - 0.5, (i / n % n) * edge - 0.5, (i / n / n) * edge - 0.5};
    const Vec3 p = corner + Vec3{edge / 2, edge / 2, edge / 2} + random.InBox(0.1 * edge);
    operands.push_back(Leaf(Sphere{0.3 * edge}, At(p.x, p.y, p.z)));
  }
  return Tree(Operation::kDifference, operands, "sponge");
}

std::ptrdiff_t CurvedOf(const Cell& cell) {
  return std::count_if(cell.surfaces.begin(), cell.surfaces.end(),
                       [](const Surface& S) { return S.kind != SurfaceKind::kPlane; });
}

void ExpectWithinLimits(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    EXPECT_LE(CurvedOf(cell), kMostCurved) << cell.name;
    EXPECT_TRUE(CurvedOf(cell) == 0 || cell.surfaces.size() <= kMostSurfaces) << cell.name;
  }
}

TEST(Crowd, EffortGrowsAsTheOperandsDo) {
  Effort small, large;
  const std::size_t few = ToCells(*Sponge(4), &small).size();
  const std::vector<Cell> cells = ToCells(*Sponge(8), &large);
  ExpectWithinLimits(cells);
  EXPECT_LT(cells.size(), 10 * few);
  // Eight times the balls; a few more cuts each, because the first cut every piece.
  EXPECT_LT(large.cuts, 12 * small.cuts);
  EXPECT_LT(large.searches, 12 * small.searches);
  EXPECT_LT(large.surfaces, 12 * small.surfaces);
  EXPECT_LT(large.surfaces, 512 * 150);
}

TEST(Crowd, CellsMakeUpTheSolid) {
  Random random(52);
  const ShapePtr sponge = Sponge(5);
  ExpectPartition(*sponge, ToCells(*sponge), random, 0.55, 4000);
  std::vector<ShapePtr> operands{Leaf(Box{{1, 1, 1}})};  // overlapping solids of every kind
  const std::vector<Example> examples = Examples();
  for (int k = 0; k < 60; ++k) {
    const Primitive& primitive = examples[static_cast<std::size_t>(k) % examples.size()].primitive;
    const bool finite = ToCells(*Leaf(primitive)).front().bounded;
    if (finite) operands.push_back(Leaf(primitive, random.RandomPose(0.5), "", 0.12));
  }
  const ShapePtr eaten = Tree(Operation::kDifference, operands);
  const std::vector<Cell> cells = ToCells(*eaten);
  ExpectWithinLimits(cells);
  EXPECT_GT(cells.size(), 20u);
  ExpectPartition(*eaten, cells, random, 0.55, 4000);
}

TEST(Crowd, SameCellsEveryTime) {
  const ShapePtr sponge = Sponge(4);
  const std::vector<Cell> once = ToCells(*sponge), again = ToCells(*sponge);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t k = 0; k < once.size(); ++k) {
    EXPECT_EQ(once[k].name, "sponge/" + std::to_string(k));  // back to the node, in order
    EXPECT_EQ(once[k].node, 0);
    EXPECT_EQ(once[k].name, again[k].name);
    EXPECT_EQ(once[k].neighbours, again[k].neighbours);
    ASSERT_EQ(once[k].surfaces.size(), again[k].surfaces.size());
    for (std::size_t i = 0; i < once[k].surfaces.size(); ++i) {
      EXPECT_EQ(once[k].surfaces[i].o, again[k].surfaces[i].o);
      EXPECT_EQ(once[k].surfaces[i].cut, again[k].surfaces[i].cut);
      EXPECT_GE(once[k].surfaces[i].node, 0);
    }
  }
}

TEST(Crowd, InfiniteCellsAreSplitToo) {
  Random random(53);
  std::vector<ShapePtr> operands{Leaf(HalfSpace{{0, 0, 1}, 0})};
  for (int k = 0; k < 40; ++k) operands.push_back(Leaf(Sphere{0.1}, random.RandomPose(0.5)));
  const ShapePtr ground = Tree(Operation::kDifference, operands);
  const std::vector<Cell> cells = ToCells(*ground);
  ExpectWithinLimits(cells);
  EXPECT_GT(cells.size(), 1u);
  ExpectPartition(*ground, cells, random, 0.8, 4000);
}

TEST(Crowd, WhatNoPlaneRelievesStaysWhole) {
  // Ellipsoids about one centre, each the longest along its own axis: all meet every half.
  Random random(54);
  std::vector<ShapePtr> operands;
  for (int k = 0; k < 20; ++k) {
    operands.push_back(Leaf(Ellipsoid{{1, 1, 0.8}}, {random.Rotation(), {}}));
  }
  const std::vector<Cell> cells = ToCells(*Tree(Operation::kIntersection, operands));
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(CurvedOf(cells[0]), 20);
}

TEST(Crowd, OperandsThatMeetNothingCostNothing) {
  Effort effort;
  std::vector<ShapePtr> balls;
  for (int i = 0; i < 400; ++i) {
    balls.push_back(Leaf(Sphere{0.4}, At(i % 20, (i / 20) % 20, 0.0)));
  }
  const std::vector<Cell> cells = ToCells(*Tree(Operation::kUnion, balls), &effort);
  EXPECT_EQ(cells.size(), 400u);
  EXPECT_EQ(effort.cuts, 0);
  EXPECT_EQ(effort.searches, 0);
}

TEST(NearPairs, AreThoseOfAllPairsThatOverlap) {
  Random random(55);
  const double inf = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 20; ++round) {
    std::vector<Aabb> boxes;
    for (int k = 0; k < 60; ++k) {
      const Vec3 c = random.InBox(1);
      const Vec3 h = Abs(random.InBox(0.3));
      boxes.push_back({c - h, c + h});
    }
    boxes.push_back({{-inf, -0.1, -inf}, {inf, 0.1, 0.0}});
    boxes.push_back({{inf, inf, inf}, {-inf, -inf, -inf}});             // empty
    boxes.push_back({boxes[0].upper, boxes[0].upper + Vec3{1, 1, 1}});  // shares a corner
    std::vector<std::pair<int, int>> expected;
    for (int a = 0; a < static_cast<int>(boxes.size()); ++a) {
      for (int b = a + 1; b < static_cast<int>(boxes.size()); ++b) {
        if (Overlap(boxes[static_cast<std::size_t>(a)], boxes[static_cast<std::size_t>(b)])) {
          expected.emplace_back(a, b);
        }
      }
    }
    EXPECT_EQ(NearPairs(boxes), expected);
  }
}

}  // namespace
}  // namespace intervox::geometry
