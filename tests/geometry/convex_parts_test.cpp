// The largest convex parts of a solid are the same however it was cut.
#include "geometry/convex_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "geometry/make_surface.h"
#include "geometry/merge.h"
#include "geometry/neighbours.h"
#include "geometry/solid.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

ShapePtr BoxFrom(const Vec3& lower, const Vec3& upper) {
  return Leaf(Box{upper - lower}, {Mat3::Identity(), 0.5 * (lower + upper)});
}

/** The parts of a union, as boxes in the order of their sizes. */
std::vector<OrientedBox> PartsOf(const std::vector<ShapePtr>& shapes) {
  std::vector<OrientedBox> boxes;
  for (const Cell& cell : LargestConvexParts(
           MergeCells(ToCells(*Tree(Operation::kUnion, shapes)), Hollows::kMerged))) {
    EXPECT_EQ(cell.surfaces.size(), 6u);
    boxes.push_back(cell.bounds);
  }
  std::sort(boxes.begin(), boxes.end(), [](const OrientedBox& a, const OrientedBox& b) {
    return std::tuple(a.X.p.x, a.X.p.z) < std::tuple(b.X.p.x, b.X.p.z);
  });
  return boxes;
}

void ExpectBox(const OrientedBox& box, const Vec3& lower, const Vec3& upper) {
  EXPECT_LT(Norm(box.X.p - 0.5 * (lower + upper)), 1e-9);
  const Vec3 half = Abs(box.X.R.Col(0)) * box.half.x + Abs(box.X.R.Col(1)) * box.half.y +
                    Abs(box.X.R.Col(2)) * box.half.z;
  EXPECT_LT(Norm(half - 0.5 * (upper - lower)), 1e-9);
}

// A long block with a leg, a leg with an arm, or four pieces: it is a tall and a long block.
TEST(ConvexParts, OfAnLAreTwoBlocksHoweverItIsCut) {
  const std::vector<std::vector<ShapePtr>> ways = {
      {BoxFrom({0, 0, -1}, {3, 1, 0}), BoxFrom({0, 0, -3}, {1, 1, 0})},
      {BoxFrom({0, 0, -3}, {1, 1, 0}), BoxFrom({1, 0, -1}, {3, 1, 0})},
      {BoxFrom({0, 0, -3}, {1, 1, -1}), BoxFrom({0, 0, -1}, {1, 0.4, 0}),
       BoxFrom({0, 0.4, -1}, {3, 1, 0}), BoxFrom({1, 0, -1}, {3, 0.4, 0})}};
  for (const auto& shapes : ways) {
    const auto boxes = PartsOf(shapes);
    ASSERT_EQ(boxes.size(), 2u);
    ExpectBox(boxes[0], {0, 0, -3}, {1, 1, 0});
    ExpectBox(boxes[1], {0, 0, -1}, {3, 1, 0});
  }
}

// Slanted cuts are no planes of the solid's faces, however many there are.
TEST(ConvexParts, DoNotEndAtCuts) {
  auto cut = ToCells(
      *Tree(Operation::kUnion, {BoxFrom({0, 0, -1}, {3, 1, 0}), BoxFrom({0, 0, -3}, {1, 1, 0})}));
  for (int k = 0; k < 27; ++k) {
    const Surface plane =
        MakePlane(Normalized(Vec3{1, 0.2, 0.1}), {0.1 + 0.1 * static_cast<double>(k), 0.5, -0.5});
    std::vector<Cell> halves;
    for (const Cell& cell : cut) {
      for (Cell& half : Halves(cell, plane)) halves.push_back(std::move(half));
    }
    cut = std::move(halves);
  }
  ASSERT_GT(cut.size(), 30u);
  LinkNeighbours(cut);
  const auto parts = LargestConvexParts(cut);
  ASSERT_EQ(parts.size(), 2u);
  for (const Cell& part : parts) EXPECT_EQ(part.corners.p_C.size(), 8u);
}

// Of two bars that cross each is whole; on a plate a post goes through it.
TEST(ConvexParts, Overlap) {
  const auto plus = PartsOf({BoxFrom({-2, -1, 0}, {2, 1, 1}), BoxFrom({-1, -3, 0}, {1, 3, 1})});
  ASSERT_EQ(plus.size(), 2u);
  const auto post = PartsOf({BoxFrom({-3, -3, -1}, {3, 3, 0}), BoxFrom({0, 0, 0}, {1, 1, 2})});
  ASSERT_EQ(post.size(), 2u);
  ExpectBox(post[0], {-3, -3, -1}, {3, 3, 0});
  ExpectBox(post[1], {0, 0, -1}, {1, 1, 2});
}

TEST(ConvexParts, AreNoneOfOtherSolids) {
  const auto of = [](const std::vector<ShapePtr>& shapes) {
    return LargestConvexParts(ToCells(*Tree(Operation::kUnion, shapes))).size();
  };
  EXPECT_EQ(of({BoxFrom({0, 0, 0}, {1, 1, 1}), BoxFrom({1, 0, 0}, {2, 1, 1})}), 0u);  // one block
  EXPECT_EQ(of({BoxFrom({0, 0, 0}, {1, 1, 1})}), 0u);
  EXPECT_EQ(of({BoxFrom({0, 0, 0}, {1, 1, 1}), Leaf(Cylinder{0.3, 2})}), 0u);
}

}  // namespace
}  // namespace intervox::geometry
