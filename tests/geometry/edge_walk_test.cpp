// Walks within cells, and corners of cells with hollows.
#include "geometry/edge_walk.h"

#include <gtest/gtest.h>

#include "geometry/surface_eval.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::geometry {
namespace {

Cell Holed() {
  return ToCells(
      *Tree(Operation::kDifference, {Leaf(Box{{2, 2, 0.4}}), Leaf(Cylinder{0.3, 1})}))[0];
}

TEST(EdgeWalk, EndsAtTheCornerThatADirectionLeadsTo) {
  Random random(4);
  const Cell box = ToCells(*Leaf(Box{{2, 4, 6}}))[0];
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 along = random.Direction(), start = 0.9 * random.InBox(1.0);
    const auto end = EndOfWalk(box, start, along);
    ASSERT_TRUE(end);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR((*end)[k], std::copysign(1.0 + k, along[k]), 1e-12);
    }
  }
  // A direction across a face ends on it, however small the rest where there is any.
  const auto across = EndOfWalk(box, {0.5, 0.5, 0.5}, {0, 0, 1});
  ASSERT_TRUE(across);
  EXPECT_NEAR(Norm(*across - Vec3{0.5, 0.5, 3.0}), 0.0, 1e-12);
  const auto nearly = EndOfWalk(box, {0.5, 0.5, 0.5}, {1e-9, -1e-10, 1});
  ASSERT_TRUE(nearly);
  EXPECT_NEAR(Norm(*nearly - Vec3{1.0, -2.0, 3.0}), 0.0, 1e-9);
  EXPECT_FALSE(EndOfWalk(box, {5, 0, 0}, {0, 0, 1}));
}

TEST(EdgeWalk, EndsWhereAFaceMeetsAHole) {
  const auto end = EndOfWalk(Holed(), {0.7, 0.1, 0.0}, {-1e-3, 0, 1});
  ASSERT_TRUE(end);
  EXPECT_NEAR(Norm(*end - Vec3{std::sqrt(0.09 - 0.01), 0.1, 0.2}), 0.0, 1e-12);
}

TEST(EdgeWalk, DoesNotEndInAHalfSpace) {
  const Cell half = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0.0}))[0];
  EXPECT_FALSE(EndOfWalk(half, {0, 0, -1}, {0, 0, -1}));
  EXPECT_FALSE(EndOfWalk(half, {0, 0, -1}, {1e-3, 0, 1}));
}

TEST(CornersOfHull, AreThoseOfTheBoxAroundAHole) {
  Cell holed = Holed();
  EXPECT_TRUE(holed.corners.p_C.empty());
  IndexCornersOfHull(&holed);
  EXPECT_EQ(holed.corners.p_C.size(), 8u);
  // A corner that a ball takes away is none, and so the hull is another one.
  Cell bitten =
      ToCells(*Tree(Operation::kDifference,
                    {Leaf(Box{{2, 2, 2}}), Leaf(Sphere{0.3}, {Mat3::Identity(), {1, 1, 1}})}))[0];
  IndexCornersOfHull(&bitten);
  EXPECT_TRUE(bitten.corners.p_C.empty());
  Cell ball = ToCells(*Tree(Operation::kIntersection, {Leaf(Box{{2, 2, 2}}), Leaf(Sphere{5})}))[0];
  const std::size_t before = ball.corners.p_C.size();
  IndexCornersOfHull(&ball);
  EXPECT_EQ(ball.corners.p_C.size(), before);
}

}  // namespace
}  // namespace intervox::geometry
