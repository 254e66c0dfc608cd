// Rays, points and bounds of whole CSG trees.
#include "geometry/solid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_shapes.h"

namespace intervox::geometry {
namespace {

TEST(Solid, RaysThroughADifferenceCarryNormalsAndNodes) {
  // Node 0: the difference, 1: the box, 2: the ball that is taken away.
  const Solid solid(
      *Tree(Operation::kDifference, {Leaf(Box{{2, 2, 2}}), Leaf(Sphere{0.5}, At(0.25, 0, 0))}));
  const auto spans = solid.RaySpans({-3, 0, 0}, {2, 0, 0}, 0, 10);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_DOUBLE_EQ(spans[0].lo, 1);
  EXPECT_DOUBLE_EQ(spans[0].hi, 1.375);
  EXPECT_DOUBLE_EQ(spans[1].lo, 1.875);
  EXPECT_DOUBLE_EQ(spans[1].hi, 2);
  EXPECT_LT(Norm(spans[0].entry_normal - Vec3{-1, 0, 0}), 1e-15);
  EXPECT_LT(Norm(spans[0].exit_normal - Vec3{1, 0, 0}), 1e-15);
  EXPECT_LT(Norm(spans[1].entry_normal - Vec3{-1, 0, 0}), 1e-15);
  EXPECT_LT(Norm(spans[1].exit_normal - Vec3{1, 0, 0}), 1e-15);
  EXPECT_EQ(spans[0].entry_node, 1);
  EXPECT_EQ(spans[0].exit_node, 2);
  EXPECT_EQ(spans[1].entry_node, 2);
  EXPECT_EQ(spans[1].exit_node, 1);
}

TEST(Solid, RandomTreesAgreeWithPointsCellsAndBounds) {
  Random random(71);
  for (int round = 0; round < 12; ++round) {
    const auto pick = [&] {
      const std::vector<Example> all = Examples();
      // The first one is a half-space: bounded ones make the bounds worth checking.
      const auto k = 1 + random.Below(static_cast<int>(all.size()) - 8);
      return Leaf(all[static_cast<std::size_t>(k)].primitive, random.RandomPose(0.4));
    };
    const ShapePtr part =
        Tree(Operation::kUnion, {Tree(Operation::kDifference, {pick(), pick()}), pick()});
    const Solid solid(*part);
    std::vector<Cell> cells;
    try {
      cells = ToCells(*part);
    } catch (const std::invalid_argument&) {
      continue;
    }
    const Pose X_WS = random.RandomPose(1);
    const Aabb box = solid.Bounds(X_WS);
    for (int k = 0; k < 300; ++k) {
      const Vec3 o = random.InBox(1.5), d = random.Direction();
      const auto spans = solid.RaySpans(o, d, -3, 3);
      const auto merged = RaySpans(cells, o, d, -3, 3);
      ASSERT_EQ(spans.size(), merged.size());
      for (std::size_t i = 0; i < spans.size(); ++i) {
        EXPECT_NEAR(spans[i].lo, merged[i].lo, 1e-10);
        EXPECT_NEAR(spans[i].hi, merged[i].hi, 1e-10);
        if (spans[i].entry_node >= 0) {
          EXPECT_LT(Dot(spans[i].entry_normal, d), 1e-6);
        }
        if (spans[i].exit_node >= 0) {
          EXPECT_GT(Dot(spans[i].exit_normal, d), -1e-6);
        }
        const Vec3 inside = o + 0.5 * (spans[i].lo + spans[i].hi) * d;
        EXPECT_LE(solid.Level(inside), 1e-9);
        const Vec3 p_W = X_WS * inside;
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_GE(p_W[axis], box.lower[axis]);
          EXPECT_LE(p_W[axis], box.upper[axis]);
        }
      }
    }
  }
}

TEST(Solid, LevelOfACapsuleDoesNotSeeItsCuts) {
  const Shape capsule = *Leaf(Capsule{0.5, 2});
  EXPECT_DOUBLE_EQ(Level(capsule, {0, 0, 1}), -0.25);  // on a cut plane, f = (ρ² − r²)/2r
  EXPECT_DOUBLE_EQ(Level(capsule, {0.5, 0, 1}), 0);
  EXPECT_TRUE(Contains(capsule, {0, 0, 1.5}));
  EXPECT_FALSE(Contains(capsule, {0, 0, 1.5001}));
}

TEST(Solid, BoundsOfOperations) {
  const ShapePtr a = Leaf(Box{{2, 2, 2}}), b = Leaf(Box{{2, 2, 2}}, At(1, 0, 0));
  const auto bounds = [&](Operation operation) {
    return Solid(*Tree(operation, {a, b})).Bounds(At(10, 0, 0));
  };
  EXPECT_NEAR(bounds(Operation::kUnion).upper.x, 12, 1e-12);
  EXPECT_NEAR(bounds(Operation::kIntersection).lower.x, 10, 1e-12);
  EXPECT_NEAR(bounds(Operation::kDifference).lower.x, 9, 1e-12);
  EXPECT_NEAR(bounds(Operation::kDifference).upper.x, 11, 1e-12);
}

}  // namespace
}  // namespace intervox::geometry
