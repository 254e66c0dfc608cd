// Faces that neighbours cover in part are divided where they are covered.
#include "geometry/cover.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/neighbours.h"
#include "geometry/solid.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

ShapePtr BoxAt(const Vec3& size, const Vec3& at) { return Leaf(Box{size}, {Mat3::Identity(), at}); }

double VolumeOf(const std::vector<Cell>& cells) {
  double sum = 0.0;
  for (const Cell& cell : cells) {
    sum += 8.0 * cell.bounds.half.x * cell.bounds.half.y * cell.bounds.half.z;
  }
  return sum;
}

TEST(CoveredFaces, OfAnLAreDivided) {
  const auto cells = ToCells(*Tree(
      Operation::kUnion, {BoxAt({1, 1, 3}, {0.5, 0.5, 1.5}), BoxAt({2, 1, 1}, {2, 0.5, 0.5})}));
  const auto parts = SplitCoveredFaces(cells);
  EXPECT_EQ(parts.size(), 3u);
  EXPECT_NEAR(VolumeOf(parts), 5.0, 1e-12);
  // No face is covered in part: what touches a neighbour is inside.
  int inside = 0;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t i = 0; i < parts[a].surfaces.size(); ++i) inside += IsInside(parts, a, i);
  }
  EXPECT_EQ(inside, 4);
}

// A post on a slab divides its top by the lines of its four sides.
TEST(CoveredFaces, UnderAPostAreDividedOnAllSides) {
  const auto cells = ToCells(
      *Tree(Operation::kUnion, {BoxAt({3, 3, 1}, {0, 0, 0}), BoxAt({1, 1, 2}, {0.2, -0.1, 1.5})}));
  const auto parts = SplitCoveredFaces(cells);
  EXPECT_NEAR(VolumeOf(parts), 11.0, 1e-12);
  int inside = 0;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t i = 0; i < parts[a].surfaces.size(); ++i) {
      const Surface& S = parts[a].surfaces[i];
      if (std::fabs(S.PlaneNormal().z) > 0.9 && IsInside(parts, a, i)) ++inside;
    }
  }
  EXPECT_EQ(inside, 2);  // the post's foot, and what is under it
}

TEST(CoveredFaces, ThatAreCoveredWhollyOrNotStayAsTheyAre) {
  const auto stack =
      ToCells(*Tree(Operation::kUnion,
                    {BoxAt({1, 1, 1}, {}), Leaf(Cylinder{0.4, 1}, {Mat3::Identity(), {0, 0, 1}})}));
  EXPECT_EQ(SplitCoveredFaces(stack).size(), stack.size());
  const auto box = ToCells(*BoxAt({1, 2, 3}, {}));
  const auto same = SplitCoveredFaces(box);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].surfaces.size(), box[0].surfaces.size());
}

}  // namespace
}  // namespace intervox::geometry
