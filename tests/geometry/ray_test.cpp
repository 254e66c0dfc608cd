// First hits on sets of cells.
#include "geometry/ray.h"

#include <gtest/gtest.h>

#include "geometry/make_surface.h"
#include "geometry/solid.h"
#include "random_shapes.h"
#include "split.h"

namespace intervox::geometry {
namespace {

TEST(FirstHit, AgreesWithTheSolidOnRandomRays) {
  Random random(51);
  const ShapePtr part =
      Tree(Operation::kUnion,
           {Tree(Operation::kDifference, {Leaf(Box{{1, 1, 0.4}}), Leaf(Cylinder{0.3, 2})}),
            Leaf(Capsule{0.15, 0.8}, random.RandomPose(0.3)), Leaf(Torus{0.6, 0.1})});
  const std::vector<Cell> cells = ToCells(*part);
  const Solid solid(*part);
  int hits = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 o = 3 * random.Direction();
    const Vec3 d = 2 * Normalized(random.InBox(0.7) - o);
    const auto spans = solid.RaySpans(o, d, 0, 10);
    RayHit hit;
    const bool found = FirstHit(cells, o, d, 0, 10, &hit);
    ASSERT_EQ(found, !spans.empty());
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(hit.t, spans[0].lo, 1e-12);
    EXPECT_LT(Dot(hit.normal, d), 1e-6);
    EXPECT_NEAR(Norm(hit.normal), 1, 1e-12);
    EXPECT_GE(hit.surface, 0);
    EXPECT_NEAR(solid.Level(o + hit.t * d), 0, 1e-12);
  }
  EXPECT_GT(hits, 1000);
}

TEST(FirstHit, CutFacesAreInvisible) {
  Random random(52);
  const std::vector<Cell> whole = ToCells(*Leaf(Box{{1, 1, 1}}));
  std::vector<Cell> cells = SplitByPlane(whole, MakePlane({1, 0, 0}, 0.1));
  cells = SplitByPlane(cells, MakePlane({0, 1, 0}, -0.1));
  const auto is_cut = [&](const RayHit& hit) {
    return cells[static_cast<std::size_t>(hit.cell)]
        .surfaces[static_cast<std::size_t>(hit.surface)]
        .cut;
  };
  for (int k = 0; k < 2000; ++k) {
    Vec3 o = random.InBox(2);
    Vec3 d = random.Direction();
    if (k % 2) {  // aimed at the seam in the top face
      o = {random.Uniform(-1, 1), random.Uniform(-1, 1), 2};
      d = Vec3{0.1, random.Uniform(-0.4, 0.4), 0.5} - o;
    }
    RayHit a, b;
    const bool found = FirstHit(whole, o, d, 0, 10, &a);
    ASSERT_EQ(FirstHit(cells, o, d, 0, 10, &b), found);
    if (!found) continue;
    EXPECT_NEAR(a.t, b.t, 1e-12);
    EXPECT_EQ(b.surface < 0, a.surface < 0);
    if (b.surface >= 0) {
      EXPECT_FALSE(is_cut(b));
      EXPECT_LT(Norm(a.normal - b.normal), 1e-12);
    }
    const auto spans = RaySpans(cells, o, d, 0, 10);
    ASSERT_EQ(spans.size(), 1u);  // one stretch, whatever the number of cells
    EXPECT_NEAR(spans[0].hi, RaySpans(whole, o, d, 0, 10)[0].hi, 1e-12);
  }
}

TEST(FirstHit, RaysAtSeamsOfTurnedSolidsSeeTrueFaces) {
  Random random(53);
  for (int round = 0; round < 20; ++round) {
    const Pose X = random.RandomPose(1);
    std::vector<Cell> cells = ToCells(*Leaf(Cylinder{0.5, 1}, X));
    cells = SplitByPlane(cells, X * MakePlane({1, 0, 0}, 0.1));
    cells = SplitByPlane(cells, X * MakePlane({0, 0, 1}, 0.2));
    for (int k = 0; k < 200; ++k) {
      const bool top = k % 2 == 0;  // the end face's seam, or a point of the round one
      const Vec3 seam =
          top ? Vec3{0.1, random.Uniform(-0.4, 0.4), 0.5} : Vec3{0.3, k % 4 == 1 ? 0.4 : -0.4, 0.2};
      const Vec3 n = top ? Vec3{0, 0, 1} : Vec3{0.6, seam.y / 0.5, 0};
      const Vec3 from = seam + 3 * Normalized(n + 0.5 * random.Direction());
      const Vec3 o = X * from, d = X.R * (seam - from);
      RayHit hit;
      ASSERT_TRUE(FirstHit(cells, o, d, 0, 2, &hit));
      EXPECT_NEAR(hit.t, 1, 1e-12);
      EXPECT_LT(Norm(hit.normal - X.R * n), 1e-9);
    }
  }
}

TEST(FirstHit, GapsOfRoundingBetweenCellsAreInvisible) {
  // Two boxes whose common plane is computed twice: the gap between them is a few ulp wide.
  Random random(54);
  for (int round = 0; round < 40; ++round) {
    const Pose X = random.RandomPose(1);
    const ShapePtr both = Tree(Operation::kUnion, {Leaf(Box{{0.7, 1, 1}}, X * At(-0.35, 0, 0)),
                                                   Leaf(Box{{0.9, 1, 1}}, X * At(0.45, 0, 0))});
    const std::vector<Cell> cells = ToCells(*both);
    for (int k = 0; k < 500; ++k) {
      const Vec3 seam{0, random.Uniform(-0.4, 0.4), 0.5};
      const Vec3 from = seam + Vec3{random.Uniform(-1, 1), random.Uniform(-1, 1), 2};
      const Vec3 o = X * from, d = X.R * (seam - from);
      RayHit hit;
      ASSERT_TRUE(FirstHit(cells, o, d, 0, 2, &hit));
      EXPECT_NEAR(hit.t, 1, 1e-12);
      EXPECT_LT(Norm(hit.normal - X.R * Vec3{0, 0, 1}), 1e-9);
    }
  }
}

TEST(FirstHit, StartsInside) {
  const std::vector<Cell> cells = ToCells(*Leaf(Sphere{1}));
  RayHit hit;
  ASSERT_TRUE(FirstHit(cells, {0, 0, 0}, {0, 0, 2}, 0.1, 5, &hit));
  EXPECT_EQ(hit.t, 0.1);
  EXPECT_EQ(hit.surface, -1);
  EXPECT_EQ(hit.normal, (Vec3{0, 0, -1}));
  EXPECT_FALSE(FirstHit(cells, {0, 0, 0}, {0, 0, 2}, 0.6, 5, &hit));
  EXPECT_FALSE(FirstHit(cells, {0, 0, -3}, {0, 0, 1}, 0, 1.5, &hit));
}

}  // namespace
}  // namespace intervox::geometry
