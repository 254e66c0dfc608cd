// Conformance of the evaluators over every kind and side of surface: each is checked against an
// independent one.
#include <gtest/gtest.h>

#include <set>

#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "geometry/surface_ray.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

Surface General(const Vec3& e, const Vec3& l, double c, const Pose& X) {
  Surface S;
  S.kind = SurfaceKind::kQuadric;
  S.R = X.R;
  S.o = X.p;
  S.e = e;
  S.l = l;
  S.c = c;
  return S;
}

std::vector<Surface> AllSurfaces(Random& random) {
  std::vector<Surface> all;
  const auto pose = [&] { return random.RandomPose(0.3); };
  const Pose X = pose();
  all.push_back(MakePlane(X.R.Col(2), X.p));
  all.push_back(MakeEllipsoid({0.5, 0.5, 0.5}, pose()));
  all.push_back(MakeEllipsoid({0.3, 0.9, 0.5}, pose()));
  all.push_back(MakeCylinder(0.4, pose()));
  all.push_back(MakeCone(0.7, 0.8, pose()));
  all.push_back(MakeCone(3.0, 0.2, pose()));
  all.push_back(General({0.5, 0.7, -0.6}, {}, -0.1, pose()));
  all.push_back(General({0.5, -0.7, -0.6}, {}, 0.1, pose()));
  all.push_back(General({0.5, 0.7, 0}, {0, 0, -0.4}, 0, pose()));
  all.push_back(General({0.5, -0.7, 0}, {0, 0, 0.3}, 0, pose()));
  all.push_back(General({0.9, 0, 0}, {0, 0.3, 0.2}, -0.1, pose()));
  all.push_back(General({0.9, -0.5, 0}, {}, 0.2, pose()));
  all.push_back(General({0.9, 0.3, 0}, {}, -0.2, pose()));
  all.push_back(MakeTorus(0.6, 0.2, pose()));
  all.push_back(MakeTorus(0.5, 0.45, pose()));
  const std::size_t n = all.size();
  for (std::size_t i = 0; i < n; ++i) {
    all.push_back(all[i]);
    all.back().side = -1;
  }
  return all;
}

TEST(Surface, EveryKindIsInTheConformanceSuite) {
  Random random(1);
  std::set<SurfaceKind> kinds;
  for (const Surface& S : AllSurfaces(random)) kinds.insert(S.kind);
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(SurfaceKind::kTorus) + 1);
}

TEST(Surface, GradientIsTheDifferenceQuotientOfTheValue) {
  Random random(2);
  for (const Surface& S : AllSurfaces(random)) {
    for (int k = 0; k < 50; ++k) {
      const Vec3 x = random.InBox(1);
      const Vec3 g = Gradient(S, x);
      const double h = 1e-5;
      for (int i = 0; i < 3; ++i) {
        Vec3 step;
        step[i] = h;
        const double quotient = (Value(S, x + step) - Value(S, x - step)) / (2 * h);
        EXPECT_NEAR(g[i], quotient, 2e-6) << static_cast<int>(S.kind);
      }
      const Vec3 n = OutwardNormal(S, x);
      EXPECT_NEAR(Norm(n), 1, 1e-12);
      EXPECT_GT(S.side * Dot(n, g), 0);
    }
  }
}

TEST(Surface, LevelHasUnitSlopeNearTheSurface) {
  const auto slope = [](const Surface& S, const Vec3& x) { return Norm(Gradient(S, x)); };
  EXPECT_NEAR(slope(MakeEllipsoid({2, 2, 2}), {2, 0, 0}), 1, 1e-14);
  EXPECT_NEAR(slope(MakeCylinder(0.3), {0, 0.3, 5}), 1, 1e-14);
  EXPECT_NEAR(slope(MakeCone(0.5, 2), {1, 0, 2}), 1, 1e-14);
  EXPECT_NEAR(slope(MakeTorus(2, 0.5), {2.5, 0, 0}), 1, 1e-14);
  const Surface egg = MakeEllipsoid({1, 2, 4});
  EXPECT_NEAR(slope(egg, {1, 0, 0}), 2, 1e-14);
  EXPECT_NEAR(slope(egg, {0, 0, 4}), 0.5, 1e-14);
}

TEST(Surface, BoundsHoldOverEveryBoxAndPose) {
  Random random(3);
  for (const Surface& S : AllSurfaces(random)) {
    for (int k = 0; k < 200; ++k) {
      const double size = std::pow(10.0, random.Uniform(-4, 0));
      const Vec3 c = random.InBox(1);
      const Mat3 R = random.Rotation();
      const Vec3 half = size * Abs(random.InBox(1));
      const Bounds f = BoundsOverBox(S, c, R, half);
      const Bounds aligned = BoundsOverBox(S, c, half);
      for (int i = 0; i < 40; ++i) {
        Vec3 u = random.InBox(1.6);  // many samples on the faces and at the corners
        for (int j = 0; j < 3; ++j) u[j] = half[j] * std::clamp(u[j], -1.0, 1.0);
        const double v = Value(S, c + R * u);
        EXPECT_GE(v, f.lo);
        EXPECT_LE(v, f.hi);
        const double w = Value(S, c + u);
        EXPECT_GE(w, aligned.lo);
        EXPECT_LE(w, aligned.hi);
        const Restriction r = Restrict(S, c, R, half);
        EXPECT_TRUE(r != Restriction::kInside || S.side * v <= 0);
        EXPECT_TRUE(r != Restriction::kOutside || S.side * v >= 0);
      }
    }
  }
}

TEST(Surface, BoundsAreSecondOrder) {
  // The excess over the true range falls with the square of the box' size.
  Random random(4);
  for (const Surface& S : AllSurfaces(random)) {
    const Vec3 c = random.InBox(0.9) + Vec3{0.05, 0.05, 0.05};
    const Mat3 R = random.Rotation();
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      const Bounds f = BoundsOverBox(S, c, R, {h, h, h});
      const double linear = h * [&] {
        const Vec3 g = Abs(TransposeTimes(R, Gradient(S, c)));
        return g.x + g.y + g.z;
      }();
      const double mid = Value(S, c);
      EXPECT_LE(f.hi - mid, linear + 300 * h * h);
      EXPECT_LE(mid - f.lo, linear + 300 * h * h);
    }
  }
}

TEST(Surface, BoundsOfAnAlignedSphereAreExact) {
  const Surface S = MakeEllipsoid({1, 1, 1});
  const Bounds f = BoundsOverBox(S, {2, 0.1, 0}, {0.5, 0.5, 0.5});
  EXPECT_NEAR(f.lo, (1.5 * 1.5 - 1) / 2, 1e-13);
  EXPECT_NEAR(f.hi, (2.5 * 2.5 + 0.6 * 0.6 + 0.25 - 1) / 2, 1e-13);
}

TEST(Surface, RayIntervalsAgreeWithSamplesAndEndOnTheSurface) {
  Random random(5);
  for (const Surface& S : AllSurfaces(random)) {
    int hits = 0;
    for (int k = 0; k < 400; ++k) {
      const Vec3 o = random.InBox(1.5);
      const Vec3 d = random.Uniform(0.1, 3) * random.Direction();
      const double t_min = random.Uniform(-2, 0), t_max = random.Uniform(0.1, 2);
      const Intervals in = RayIntervals(S, o, d, t_min, t_max);
      double last = t_min;
      for (int i = 0; i < in.count; ++i) {
        EXPECT_LE(last, in.lo[i]);
        EXPECT_LT(in.lo[i], in.hi[i]);
        last = in.hi[i];
        for (const double t : {in.lo[i], in.hi[i]}) {
          if (t == t_min || t == t_max) continue;
          ++hits;
          const Vec3 x = o + t * d;
          EXPECT_NEAR(Value(S, x), 0, 2e-14 * (1 + Norm(d) * 10)) << static_cast<int>(S.kind);
        }
      }
      EXPECT_LE(last, t_max);
      for (int i = 0; i <= 50; ++i) {
        const double t = std::min(t_max, t_min + (t_max - t_min) * i / 50);
        const double level = Level(S, o + t * d);
        bool inside = false;
        for (int j = 0; j < in.count; ++j) inside = inside || (in.lo[j] <= t && t <= in.hi[j]);
        EXPECT_TRUE(std::abs(level) < 1e-9 || inside == (level < 0)) << static_cast<int>(S.kind);
      }
    }
    EXPECT_GT(hits, 20);
  }
}

TEST(Surface, RayAlongTheAxesOfSymmetry) {
  const Intervals cone = RayIntervals(MakeCone(1, 1), {0, 0, -3}, {0, 0, 2}, -10, 10);
  ASSERT_EQ(cone.count, 1);
  EXPECT_NEAR(cone.lo[0], 1.5, 1e-15);
  EXPECT_EQ(cone.hi[0], 10);
  EXPECT_EQ(RayIntervals(MakeTorus(1, 0.2), {0, 0, -3}, {0, 0, 1}, -10, 10).count, 0);
  const Intervals across = RayIntervals(MakeTorus(1, 0.2), {-3, 0, 0}, {1, 0, 0}, -10, 10);
  ASSERT_EQ(across.count, 2);
  EXPECT_NEAR(across.lo[0], 1.8, 1e-14);
  EXPECT_NEAR(across.hi[0], 2.2, 1e-14);
  EXPECT_NEAR(across.lo[1], 3.8, 1e-14);
  Surface around = MakeTorus(1, 0.2);
  around.side = -1;
  EXPECT_EQ(RayIntervals(around, {-3, 0, 0}, {1, 0, 0}, -10, 10).count, 3);
  const Intervals pipe = RayIntervals(MakeCylinder(1), {0.5, 0, 0}, {0, 0, 1}, -2, 3);
  ASSERT_EQ(pipe.count, 1);
  EXPECT_EQ(pipe.lo[0], -2);
  EXPECT_EQ(pipe.hi[0], 3);
  EXPECT_EQ(RayIntervals(MakeCylinder(1), {1.5, 0, 0}, {0, 0, 1}, -2, 3).count, 0);
}

TEST(Surface, RaysKeepTheirDigitsFromAfar) {
  // A ball of 1 mm seen from 1 km: the chord is exact to the rounding of the distance.
  const Surface S = MakeEllipsoid({1e-3, 1e-3, 1e-3});
  const Intervals in = RayIntervals(S, {5e-4, 0, -1000}, {0, 0, 1}, 0, 2000);
  ASSERT_EQ(in.count, 1);
  EXPECT_NEAR(in.hi[0] - in.lo[0], 2 * std::sqrt(7.5e-7), 3e-13);
}

TEST(Surface, ComplementAndScaleKeepTheSet) {
  Random random(6);
  for (const Surface& S : AllSurfaces(random)) {
    const Surface T = Complement(S);
    const Surface U = ScaledBy(S, 2.5);
    for (int k = 0; k < 20; ++k) {
      const Vec3 x = random.InBox(1);
      EXPECT_NEAR(Level(T, x), -Level(S, x), 1e-15);
      EXPECT_NEAR(Level(U, 2.5 * x), 2.5 * Level(S, x), 1e-14);
    }
    EXPECT_GT(Determinant(T.R), 0);
  }
}

TEST(Surface, OnlyOneNappeOfAConeIsSolid) {
  const Surface S = MakeCone(1, 1);
  EXPECT_LT(Value(S, {0, 0, 1}), 0);
  EXPECT_GT(Value(S, {0, 0, -1}), 0);
  EXPECT_GT(Value(S, {1e-3, 0, -1}), 0);
}

}  // namespace
}  // namespace intervox::geometry
