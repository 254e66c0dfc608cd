// Cells cut around their hollow faces: the same set of points, in sectors of a quarter turn.
#include "geometry/hollows.h"

#include <gtest/gtest.h>

#include <string>

#include "geometry/neighbours.h"
#include "partition.h"

namespace intervox::geometry {
namespace {

std::vector<Surface> HollowFaces(const Cell& cell) {
  std::vector<Surface> out;
  for (const Surface& S : cell.surfaces) {
    const bool curved = S.kind != SurfaceKind::kPlane;
    if ((curved && S.side < 0) || S.kind == SurfaceKind::kTorus) out.push_back(S);
  }
  return out;
}

/** Points of a cell lie within a quarter turn about the axis of each of its hollow faces. */
void ExpectSectors(const std::vector<Cell>& cells, Random& random, double reach) {
  std::vector<std::vector<Vec3>> inside(cells.size());
  for (int k = 0; k < 20000; ++k) {
    const Vec3 p = random.InBox(reach);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (Level(cells[c], p) < 0 && inside[c].size() < 40) inside[c].push_back(p);
    }
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (const Surface& S : HollowFaces(cells[c])) {
      for (const Vec3& p : inside[c]) {
        const Vec3 y = TransposeTimes(S.R, p - S.o);
        for (const Vec3& q : inside[c]) {
          const Vec3 z = TransposeTimes(S.R, q - S.o);
          EXPECT_GT(y.x * z.x + y.y * z.y, -1e-9) << cells[c].name;
          const bool pocket = S.kind == SurfaceKind::kEllipsoid;
          EXPECT_GT(pocket ? y.z * z.z : 0.0, -1e-9) << cells[c].name;
        }
      }
    }
  }
}

struct Hollowed {
  std::string name;
  ShapePtr shape;
  std::size_t cells;  ///< after the cut
  double reach = 0.6;
};

std::vector<Hollowed> Hollows() {
  const ShapePtr box = Leaf(Box{{1, 1, 1}});
  const Pose along_x{Mat3::FromColumns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}), {0, 0, 0.5}};
  const auto less = [&](std::vector<ShapePtr> tools) {
    tools.insert(tools.begin(), box);
    return Tree(Operation::kDifference, tools);
  };
  return {
      {"hole", less({Leaf(Cylinder{0.2, 2})}), 4},
      {"funnel", less({Leaf(Cone{0.1, 0.3, 1.0})}), 4},
      {"pocket", less({Leaf(Sphere{0.3}, At(0, 0, 0.5))}), 4},  // nothing is above its middle
      {"void", less({Leaf(Ellipsoid{{0.2, 0.3, 0.4}})}), 8},
      {"groove", less({Leaf(Cylinder{0.2, 2}, along_x)}), 3},  // and the sector above is empty
      {"elliptic hole", less({Leaf(Quadric{{1, 4, 0, 0, 0, 0, 0, 0, 0, -0.09}})}), 4},
      {"ring", Leaf(Torus{0.4, 0.1}), 4},
      {"ring groove", less({Leaf(Torus{0.3, 0.1}, At(0, 0, 0.5))}), 4},
      {"floor with a hole",  // and below it
       Tree(Operation::kDifference, {Leaf(HalfSpace{{0, 0, 1}, 0}), Leaf(Cylinder{0.2, 1})}), 5},
      {"lattice",
       less({Leaf(Cylinder{0.1, 2}, At(-0.25, -0.25, 0)), Leaf(Cylinder{0.1, 2}, At(0.25, 0.25, 0)),
             Leaf(Cylinder{0.1, 2}, At(0.25, -0.25, 0))}),
       9},  // planes through one divide others
  };
}

TEST(Hollows, AreCutIntoSectors) {
  Random random(51);
  for (const Hollowed& example : Hollows()) {
    SCOPED_TRACE(example.name);
    const std::vector<Cell> cells = SplitHollows(ToCells(*example.shape));
    EXPECT_EQ(cells.size(), example.cells);
    ExpectPartition(*example.shape, cells, random, example.reach, 5000);
    ExpectSectors(cells, random, example.reach);
    EXPECT_FALSE(FindOverlap(cells));
    for (const Cell& cell : cells) EXPECT_FALSE(cell.neighbours.empty());
  }
}

TEST(Hollows, OfTurnedSolidsToo) {
  Random random(52);
  for (const Hollowed& example : Hollows()) {
    SCOPED_TRACE(example.name);
    const ShapePtr turned =
        Tree(Operation::kUnion, {example.shape}, "", {random.Rotation(), random.InBox(0.1)});
    const std::vector<Cell> cells = SplitHollows(ToCells(*turned));
    EXPECT_GE(cells.size(), example.cells);
    ExpectPartition(*turned, cells, random, example.reach, 5000);
    ExpectSectors(cells, random, example.reach);
  }
}

// A step in a hole: both parts are cut in the same planes, and their sectors meet face to face.
TEST(Hollows, OnOneAxisShareTheirPlanes) {
  const ShapePtr part = Tree(Operation::kDifference,
                             {Leaf(Box{{1, 1, 1}}), Leaf(Cylinder{0.3, 0.5}, At(0.1, 0, 0.25)),
                              Leaf(Cylinder{0.2, 2}, At(0.1, 0, 0))});
  const std::vector<Cell> cells = SplitHollows(ToCells(*part));
  EXPECT_EQ(cells.size(), 8u);
  for (const Cell& cell : cells) EXPECT_EQ(cell.neighbours.size(), 3u) << cell.name;
}

constexpr double kQuarter = 0.41421356237309503;  // bulge of a quarter of a circle

// The outside of a rounded foot is convex, however small its radius; its inside is a hollow.
TEST(Hollows, RimsThatAreRoundedOutsideAreNone) {
  for (const double round : {1e-4, 0.01, 0.2}) {
    const auto pin = [&](double bulge) {
      return Leaf(Revolve{{{0.0, 0.0, 0.0},
                           {0.5 - round, 0.0, bulge},
                           {0.5, round, 0.0},
                           {0.5, 1.0, 0.0},
                           {0.0, 1.0, 0.0}}});
    };
    const std::vector<Cell> foot = ToCells(*pin(kQuarter)), groove = ToCells(*pin(-kQuarter));
    EXPECT_EQ(SplitHollows(foot).size(), foot.size()) << round;
    EXPECT_GT(SplitHollows(groove).size(), groove.size()) << round;
  }
}

TEST(Hollows, SolidsWithoutThemStayAsTheyAre) {
  for (const ShapePtr& shape :
       {Leaf(Box{{1, 1, 1}}), Leaf(Capsule{0.3, 1}), Leaf(Cone{0.3, 0.1, 1}),
        Tree(Operation::kDifference, {Leaf(Box{{1, 1, 1}}), Leaf(Box{{0.5, 0.5, 2}})})}) {
    const std::vector<Cell> before = ToCells(*shape), after = SplitHollows(before);
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t c = 0; c < after.size(); ++c) {
      EXPECT_EQ(after[c].name, before[c].name);
      EXPECT_EQ(after[c].neighbours, before[c].neighbours);
    }
  }
}

}  // namespace
}  // namespace intervox::geometry
