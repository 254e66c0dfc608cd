// The verdicts of the search for an interior point against random samples.
#include "geometry/interior.h"

#include <gtest/gtest.h>

#include "boxes.h"
#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

TEST(Interior, VerdictsOnRandomSidesOfRandomSurfaces) {
  Random random(61);
  const std::vector<Example> examples = Examples();
  int empty = 0, found = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::vector<Surface> surfaces = RandomSurfaces(&random, examples, 2 + random.Below(4));
    const InteriorPoint r = FindInterior(surfaces);
    if (r.verdict == Interior::kFound) {
      ++found;
      EXPECT_LT(GreatestLevel(surfaces, r.point), 0);
    }
    if (r.verdict != Interior::kEmpty) continue;
    ++empty;
    for (int k = 0; k < 3000; ++k) {
      EXPECT_GT(GreatestLevel(surfaces, random.InBox(k % 2 ? 1 : 3)), -1e-9);
    }
  }
  EXPECT_GT(empty, 100);
  EXPECT_GT(found, 500);
}

TEST(Interior, TouchingSolidsShareNothing) {
  const Surface ball = MakeEllipsoid({1, 1, 1});
  const auto verdict = [](std::vector<Surface> s) { return FindInterior(s).verdict; };
  // A plane against a ball and a cylinder: exact through the tangent planes.
  EXPECT_EQ(verdict({ball, MakePlane({0, 0, -1}, -1.0)}), Interior::kEmpty);
  EXPECT_EQ(verdict({ball, MakePlane({0, 0, -1}, -1.0 + 1e-9)}), Interior::kFound);
  // Coaxial cylinders and a cone that ends at a cylinder's rim.
  EXPECT_EQ(verdict({MakeCylinder(1), Complement(MakeCylinder(1.0000001)),
                     MakePlane({0, 0, 1}, 1.0), MakePlane({0, 0, -1}, 1.0)}),
            Interior::kEmpty);
  EXPECT_EQ(verdict({MakeCone(1, 1), Complement(MakeCylinder(1)), MakePlane({0, 0, 1}, 1.0)}),
            Interior::kEmpty);
  EXPECT_EQ(verdict({MakeCone(1, 1), Complement(MakeCylinder(1)), MakePlane({0, 0, 1}, 1.001)}),
            Interior::kFound);
  EXPECT_EQ(verdict({ball, Complement(ball)}), Interior::kEmpty);
}

TEST(Coincide, ComparesPointSets) {
  Random random(62);
  for (int round = 0; round < 50; ++round) {
    const Pose X = random.RandomPose(1);
    const Pose turned = X * Pose{FrameAlong({0, 0, 1}), {0, 0, 0.7}};
    const auto judge = [&](const Surface& a, const Surface& b) { return Coincide(a, b, X.p, 1); };
    EXPECT_EQ(judge(MakeCylinder(0.5, X), MakeCylinder(0.5, turned)), Coincidence::kSame);
    EXPECT_EQ(judge(MakeCylinder(0.5, X), Complement(MakeCylinder(0.5, turned))),
              Coincidence::kOpposite);
    EXPECT_EQ(judge(MakeCylinder(0.5, X), MakeCylinder(0.500001, X)), Coincidence::kNone);
    EXPECT_EQ(judge(MakeCone(0.5, 1, X), MakeCone(0.5, 2, X)), Coincidence::kSame);
    EXPECT_EQ(judge(MakeCone(0.5, 1, X), MakeCone(0.5, 1, turned)), Coincidence::kNone);
    const Pose upside_down = X * Pose{FrameAlong({0, 0, -1}), {}};
    EXPECT_EQ(judge(MakeCone(0.5, 1, X), MakeCone(0.5, 1, upside_down)), Coincidence::kNone);
    EXPECT_EQ(judge(MakeCylinder(0.5, X), MakeCylinder(0.5, upside_down)), Coincidence::kSame);
    const Surface plane = MakePlane(X.R.Col(2), X.p);
    EXPECT_EQ(judge(plane, MakePlane(X.R.Col(2), X * Vec3{3, 2, 0})), Coincidence::kSame);
    EXPECT_EQ(judge(plane, Complement(plane)), Coincidence::kOpposite);
    EXPECT_EQ(judge(plane, MakePlane(X.R.Col(2), X * Vec3{3, 2, 1e-6})), Coincidence::kNone);
    EXPECT_EQ(judge(MakeTorus(1, 0.2, X), MakeTorus(1, 0.2, X)), Coincidence::kSame);
    EXPECT_EQ(judge(MakeTorus(1, 0.2, X), plane), Coincidence::kNone);
  }
}

TEST(Interior, EndlessConesAreNotTakenForOne) {
  // Seen from far off, where the planes around them run out, two cones look like one.
  const Mat3 along = FrameAlong({0, -1, 0});
  const std::vector<Surface> wide_beyond = {
      MakeCone(1.0 / 2, 0.25, {along, {1, 0, -0.5}}),
      Complement(MakeCone(1.0 / 3, 0.5, {along, {0.75, 0.125, -0.25}})),
      MakePlane({0, 1, 0}, -0.5)};
  ASSERT_LT(GreatestLevel(wide_beyond, {1.7, -2, -0.5}), -0.01);  // such a point is inside
  EXPECT_NE(FindInterior(wide_beyond).verdict, Interior::kEmpty);
}

// A bar across a ring has its corners, its middle and what is near the corners in the ring. What it
// shares with the hole is left all the same.
TEST(Interior, ATorusIsNotConvex) {
  const Surface hole = Complement(MakeTorus(0.4, 0.15));
  std::vector<Surface> surfaces{hole};
  for (const Surface& face : BoxSurfaces({-0.51, 0.195, -0.005}, {0.2, 0.205, 0.005})) {
    surfaces.push_back(face);
  }
  ASSERT_GT(GreatestLevel(surfaces, {-0.155, 0.2, 0}), 0.0);
  const InteriorPoint r = FindInterior(surfaces);
  ASSERT_EQ(r.verdict, Interior::kFound);
  EXPECT_LT(Norm(r.point), 0.25);
  std::vector<Surface> inside{hole};
  for (const Surface& face : BoxSurfaces({0.35, -0.02, -0.02}, {0.45, 0.02, 0.02})) {
    inside.push_back(face);
  }
  EXPECT_EQ(FindInterior(inside).verdict, Interior::kEmpty);
}

TEST(Enclose, ConesThatAreNotCutOffAreEndless) {
  for (const double slope : {2.0, 0.5, 0.1, 0.01, 0.001}) {
    const Cell cone = MakeCell({MakeCone(slope, 1.0)}, "cone");
    EXPECT_FALSE(cone.bounded);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isinf(cone.bounds.half[k])) << slope;
  }
}

}  // namespace
}  // namespace intervox::geometry
