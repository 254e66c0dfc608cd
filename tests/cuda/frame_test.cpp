#include <gtest/gtest.h>

#include "cuda/surface/contact_frame.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::Surface;
using testing::Random;

TEST(ContactFrame, FormIsTheLevelFunction) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const Pose X = random.RandomPose(2);
    geometry::Surface general = MakeEllipsoid({0.5, 0.4, 0.3}, X);
    general.kind = geometry::SurfaceKind::kQuadric;
    general.l = {0.1, -0.2, 0.3};
    for (const Surface& s : {MakeEllipsoid({0.5, 0.4, 0.3}, X), MakeCylinder(0.3, X),
                             MakePlane(X.R.Col(2), X.p), general}) {
      const Vec3 x = random.Vector(2);
      const QuadricForm form = MakeForm(s);
      EXPECT_NEAR(form.Value(x), geometry::Value(s, x), 1e-13 * (1 + form.size));
      EXPECT_LT(Norm(2.0 * form.HalfGradient(x) - geometry::Gradient(s, x)), 1e-13);
    }
  }
}

TEST(ContactFrame, DeepestPointOfTwoSpheresIsBetweenThem) {
  // f = (|x − o|² − r²)/(2r): the equal point on the line of centres, by hand for r = 1, 1.
  const QuadricForm a = MakeForm(MakeEllipsoid({1, 1, 1}));
  Pose X;
  X.p = {0, 0, 1.9};
  const DeepestPoint at = FindDeepest(a, MakeForm(MakeEllipsoid({1, 1, 1}, X)), false);
  ASSERT_TRUE(at.found);
  EXPECT_NEAR(at.p.z, 0.95, 1e-12);
  EXPECT_NEAR(at.f_a, 0.5 * (0.95 * 0.95 - 1), 1e-12);
  EXPECT_NEAR(at.lambda, 0.5, 1e-12);
}

TEST(ContactFrame, PencilEllipsoidEnclosesTheOverlap) {
  Random random(2);
  int inside = 0;
  for (int i = 0; i < 60; ++i) {
    const Surface a = MakeEllipsoid({random.Uniform(0.2, 1), random.Uniform(0.2, 1), 0.5},
                                    {random.Rotation(), random.Vector(0.4)});
    const bool plane = i % 3 == 0;
    const Surface b = plane        ? MakePlane(random.Direction(), random.Uniform(-0.3, 0.3))
                      : i % 3 == 1 ? MakeCylinder(0.4, {random.Rotation(), random.Vector(0.4)})
                                   : MakeEllipsoid({0.7, random.Uniform(0.2, 1), 0.3},
                                                   {random.Rotation(), random.Vector(0.4)});
    const DeepestPoint at = FindDeepest(MakeForm(a), MakeForm(b), plane);
    for (int k = 0; k < 3000; ++k) {
      const Vec3 x = random.Vector(1.4);
      if (geometry::Value(a, x) > 0 || geometry::Value(b, x) > 0) continue;
      ASSERT_FALSE(at.disjoint);
      // A cylinder through the middle of the ellipsoid has no deepest point.
      if (!at.found && i % 3 == 1) continue;
      ASSERT_TRUE(at.found);
      ++inside;
      EXPECT_LE(Dot(x - at.p, at.H * (x - at.p)), at.depth * (1 + 1e-12));
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(ContactFrame, DisjointIsFoundByTheSeparatingMember) {
  Random random(3);
  int disjoint = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 n = random.Direction();
    const double gap = i % 2 == 0 ? 1e-6 : -1e-6;
    Pose X;
    X.p = (1.5 + gap) * n;
    const DeepestPoint at = FindDeepest(MakeForm(MakeEllipsoid({1, 1, 1})),
                                        MakeForm(MakeEllipsoid({0.5, 0.5, 0.5}, X)), false);
    EXPECT_EQ(at.disjoint, gap > 0);
    EXPECT_EQ(at.found, gap < 0);
    disjoint += at.disjoint;
  }
  EXPECT_EQ(disjoint, 100);
}

TEST(ContactFrame, InactiveSurfacesAreProven) {
  Pose X;
  X.p = {0, 0, 0.99};
  const DeepestPoint at =
      FindDeepest(MakeForm(MakeEllipsoid({1, 1, 1}, X)), MakeForm(MakePlane({0, 0, 1}, 0.0)), true);
  ASSERT_TRUE(at.found);
  // The patch has radius √(2·0.01) = 0.141.
  EXPECT_TRUE(InsideEverywhere(at, MakeForm(MakePlane({1, 0, 0}, 0.16))));
  EXPECT_FALSE(InsideEverywhere(at, MakeForm(MakePlane({1, 0, 0}, 0.13))));
  EXPECT_TRUE(InsideEverywhere(at, MakeForm(MakeCylinder(0.3))));
  EXPECT_FALSE(InsideEverywhere(at, MakeForm(MakeCylinder(0.13))));
}

}  // namespace
}  // namespace intervox::cuda
