#include "cuda/rules/polar/rule.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cuda/rules/clip/rule.h"
#include "tests/cuda/leaf_pairs.h"
#include "tests/cuda/oracle.h"

namespace intervox::cuda {
namespace {

using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using intervox::testing::Frobenius;
using intervox::testing::OraclePair;
using intervox::testing::OraclePairs;
using intervox::testing::WorstError;
using testing::Answer;
using testing::Ask;
using testing::MakePair;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;
const Vec3 kFar{2, 2, 2};

Answer Polar(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) { return PolarRule(p, m); });
}

Answer Polar(const Surface& a, const Surface& b, const Vec3& p_L, double tolerance = 1e-6) {
  return Polar(MakePair({a}, {b}, p_L, p_L - kFar, p_L + kFar, tolerance));
}

// A contact of two random ellipsoids (or an ellipsoid and a cylinder) at a given depth.
struct Contact {
  Surface a, b;
  Vec3 p;
};

Vec3 Support(const Surface& s, const Vec3& n) {
  const Vec3 l = TransposeTimes(s.R, n);
  Vec3 q;
  for (int i = 0; i < 3; ++i) q[i] = s.e[i] > 0 ? -s.c / s.e[i] * l[i] : 0;
  return s.o + s.R * (q / std::sqrt(Dot(l, q)));
}

Contact RandomContact(Random* random, double depth, bool cylinder) {
  const auto radii = [&] {
    const double x = random->Uniform(0.3, 1), y = random->Uniform(0.3, 1);
    return Vec3{x, y, random->Uniform(0.3, 1)};
  };
  Contact c;
  c.a = MakeEllipsoid(radii(), {random->Rotation(), random->Vector(1)});
  Vec3 n = random->Direction();
  const Mat3 R = random->Rotation();
  if (cylinder) {
    c.b = MakeCylinder(random->Uniform(0.3, 1), {R, {}});
    n = Normalized(n - Dot(n, R.Col(2)) * R.Col(2));
  } else {
    c.b = MakeEllipsoid(radii(), {R, {}});
  }
  c.p = Support(c.a, n);
  c.b.o = c.p - Support(c.b, -n) - depth * n;
  return c;
}

TEST(PolarRule, CapsOfAnyDepth) {
  const double radius = 0.4;
  const Vec3 n = Normalized(Vec3{1, -2, 3}), centre{0.3, -0.2, 0.7};
  int least = 1 << 20, most = 0;
  for (double depth : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 1.5, 1.9, 1.99}) {
    const double d = depth * radius;
    Pose X;
    X.p = centre;
    const Surface plane = MakePlane(n, Dot(n, centre) - radius + d);
    const Answer got =
        Polar(MakeEllipsoid({radius, radius, radius}, X), plane, centre - radius * n);
    ASSERT_TRUE(got.result.accepted) << depth;
    const double v = kPi * d * d * (3 * radius - d) / 3;
    // Pose rounding of 1e-16 is 2e-16/depth of V.
    const double rounding = 1e-15 / depth;
    EXPECT_NEAR(got.metrics.volume / v, 1, 1e-8 + rounding) << depth;
    const double from_centre = 3 * (2 * radius - d) * (2 * radius - d) / (4 * (3 * radius - d));
    EXPECT_NEAR(Norm(got.metrics.p_WC - (centre - from_centre * n)), 0, 1e-8 * d + 1e-15) << depth;
    const double area = kPi * d * (2 * radius - d);
    EXPECT_LT(Norm(got.metrics.area_vector - area * n), (1e-8 + rounding) * area) << depth;
    EXPECT_LT(Norm(got.metrics.area_moment), 1e-8 * area * radius) << depth;
    // ∫ s² dV about the centroid, s the depth below the pole, A(s) = π (2 R s − s²).
    const double mean = d * (8 * radius - 3 * d) / (4 * (3 * radius - d));
    const double along = kPi * d * d * d * d * (0.5 * radius - 0.2 * d) - v * mean * mean;
    const Mat3 E = 0.5 * Trace(got.metrics.J_W) * Mat3::Identity() - got.metrics.J_W;
    EXPECT_NEAR(Dot(n, E * n) / (v * d * d), along / (v * d * d), 1e-6 + 10 * rounding) << depth;
    least = std::min(least, got.result.work);
    most = std::max(most, got.result.work);
  }
  EXPECT_LE(most, 16 * least);
}

TEST(PolarRule, LensOfTwoSpheres) {
  for (double depth : {1e-5, 1e-3, 0.05, 0.3, 0.7}) {
    const double ra = 0.5, rb = 0.8, d = ra + rb - depth;
    Pose X;
    X.p = d * Normalized(Vec3{2, -1, 1});
    const Answer got = Polar(MakeEllipsoid({ra, ra, ra}), MakeEllipsoid({rb, rb, rb}, X), {});
    ASSERT_TRUE(got.result.accepted);
    const double v =
        kPi * depth * depth * (d * d + 2 * d * (ra + rb) - 3 * (ra - rb) * (ra - rb)) / (12 * d);
    EXPECT_NEAR(got.metrics.volume / v, 1, 1e-8 + 1e-15 / depth);
    const double rim = (d * d - rb * rb + ra * ra) / (2 * d);
    const double area = kPi * (ra * ra - rim * rim);
    // Out of B toward A.
    EXPECT_LT(Norm(got.metrics.area_vector + area / d * X.p), (1e-7 + 1e-14 / depth) * area);
  }
}

TEST(PolarRule, EllipsoidCapIsAnAffineSphereCap) {
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    const Vec3 radii{random.Uniform(0.1, 1), random.Uniform(0.1, 1), random.Uniform(0.1, 1)};
    const Pose X = random.RandomPose(1);
    const Vec3 n = random.Direction();
    const Surface a = MakeEllipsoid(radii, X);
    const double reach = Norm(Scaled(radii, TransposeTimes(X.R, n)));
    const double depth = 2 * std::pow(10, random.Uniform(-5, -0.1));
    const Answer got = Polar(a, MakePlane(n, Dot(n, X.p) - reach * (1 - depth)), X.p);
    ASSERT_TRUE(got.result.accepted);
    const double v = kPi * depth * depth * (3 - depth) / 3 * radii.x * radii.y * radii.z;
    EXPECT_NEAR(got.metrics.volume / v, 1, 1e-8 + 1e-15 / depth);
  }
}

TEST(PolarRule, ContainedEllipsoid) {
  Random random(5);
  const Vec3 radii{0.3, 0.2, 0.1};
  const Pose X{random.Rotation(), {0.1, 0.05, -0.1}};
  const Surface a = MakeEllipsoid(radii, X);
  const double v = 4 * kPi / 3 * radii.x * radii.y * radii.z;
  for (const Surface& b :
       {MakeEllipsoid({0.8, 0.6, 0.7}), MakeCylinder(0.6), MakePlane({0, 0, 1}, 0.5)}) {
    for (bool swap : {false, true}) {
      const Answer got = b.kind == geometry::SurfaceKind::kPlane || !swap
                             ? Polar(a, b, {0.1, 0, 0})
                             : Polar(b, a, {0.1, 0, 0});
      ASSERT_TRUE(got.result.accepted);
      EXPECT_NEAR(got.metrics.volume / v, 1, 1e-13);
      EXPECT_LT(Norm(got.metrics.p_WC - X.p), 1e-14);
      EXPECT_EQ(Norm(got.metrics.area_vector), 0);
      const Mat3 J = v / 5 * (X.R * Mat3::Diagonal({0.05, 0.1, 0.13}) * Transpose(X.R));
      EXPECT_LT(Frobenius(got.metrics.J_W - J), 1e-13 * Frobenius(J));
    }
  }
}

TEST(PolarRule, DisjointIsAcceptedWithNothing) {
  Pose X;
  X.p = {0, 0, 1.001};
  const Answer got = Polar(MakePair({MakeEllipsoid({0.5, 0.5, 0.5})},
                                    {MakeEllipsoid({0.5, 0.5, 0.5}, X)}, {}, -kFar, kFar, 1e-6));
  EXPECT_TRUE(got.result.accepted);
  EXPECT_EQ(got.moments.v, 0);
}

TEST(PolarRule, RefusesWhatItIsNotMadeFor) {
  const Surface ball = MakeEllipsoid({0.5, 0.5, 0.5});
  // Pierced: two rims.
  EXPECT_FALSE(Polar(ball, MakeCylinder(0.2), {}).result.accepted);
  EXPECT_FALSE(Polar(ball, MakeEllipsoid({0.2, 0.2, 2}), {}).result.accepted);
  EXPECT_FALSE(Polar(ball, MakeTorus(0.5, 0.1), {}).result.accepted);
  EXPECT_FALSE(
      Polar(ball, geometry::Complement(MakeEllipsoid({0.1, 0.1, 0.1})), {}).result.accepted);
  // An edge: two planes are active; a third one far off is not.
  const Surface floor = MakePlane({0, 0, 1}, -0.4), wall = MakePlane({1, 0, 0}, 0.1);
  const Surface far_wall = MakePlane({1, 0, 0}, 0.4);
  EXPECT_FALSE(Polar(MakePair({ball}, {floor, wall}, {}, -kFar, kFar, 1e-6)).result.accepted);
  EXPECT_TRUE(Polar(MakePair({ball}, {floor, far_wall}, {}, -kFar, kFar, 1e-6)).result.accepted);
  // An infinite overlap.
  EXPECT_FALSE(Polar(MakeCylinder(0.3), MakePlane({0, 0, 1}, 0.0), {}).result.accepted);
}

TEST(PolarRule, MeetsToleranceAgainstTheFinestOrder) {
  Random random(6);
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    const double depth = std::pow(10, random.Uniform(-5, -0.2));
    const Contact c = RandomContact(&random, depth, i % 4 == 0);
    const Answer fine = Polar(c.a, c.b, c.p, 1e-11);
    if (!fine.result.accepted) continue;
    for (double tolerance : {1e-3, 1e-4, 1e-6, 1e-8}) {
      const Answer got = Polar(c.a, c.b, c.p, tolerance);
      if (!got.result.accepted) continue;
      ++accepted;
      const double v = fine.metrics.volume;
      const double r = std::sqrt(0.5 * Trace(fine.metrics.J_W) / v);
      // A tenth of the tolerance: no result jumps by more where the order changes.
      EXPECT_LE(std::fabs(got.metrics.volume - v), 0.1 * tolerance * v + 1e-12 * v) << depth;
      EXPECT_LE(Norm(got.metrics.p_WC - fine.metrics.p_WC), 0.1 * tolerance * r + 1e-12 * r);
      EXPECT_LE(Frobenius(got.metrics.J_W - fine.metrics.J_W),
                0.5 * tolerance * Frobenius(fine.metrics.J_W));
      EXPECT_LE(std::fabs(got.metrics.volume - v), got.result.error + fine.result.error);
    }
  }
  EXPECT_GT(accepted, 1200);
}

// A device's thread takes one half plane at a time, the CPU four; of ten azimuths two are left
// over.
TEST(PolarRule, HasTheSameBitsOneByOneAndFourAtATime) {
  Random random(17);
  int accepted = 0;
  for (int i = 0; i < 300; ++i) {
    const Contact c = RandomContact(&random, std::pow(10, random.Uniform(-6, -0.2)), i % 4 == 0);
    for (double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
      const LocalPair pair = MakePair({c.a}, {c.b}, c.p, c.p - kFar, c.p + kFar, tolerance);
      Moments one, four;
      const RuleResult by_one = PolarRule<1>(pair, &one), by_four = PolarRule<4>(pair, &four);
      ASSERT_EQ(by_one.accepted, by_four.accepted) << i;
      ASSERT_EQ(by_one.error, by_four.error) << i;
      ASSERT_EQ(by_one.reach, by_four.reach) << i;
      ASSERT_EQ(by_one.work, by_four.work) << i;
      if (!by_one.accepted) continue;
      ++accepted;
      ASSERT_EQ(std::memcmp(&one, &four, sizeof(one)), 0) << i << ' ' << tolerance;
    }
  }
  EXPECT_GT(accepted, 900);
}

TEST(PolarRule, AgreesWithTheClipRule) {
  Random random(7);
  for (int i = 0; i < 24; ++i) {
    const Contact c = RandomContact(&random, std::pow(10, random.Uniform(-4, -0.3)), i % 3 == 0);
    const Answer got = Polar(c.a, c.b, c.p);
    if (!got.result.accepted) continue;
    const LocalPair pair = MakePair({c.a}, {c.b}, c.p, c.p - kFar, c.p + kFar, 1e-3);
    Moments moments;
    ASSERT_TRUE(ClipRule(pair, &moments).accepted);
    const InterferenceMetrics clip = ToMetrics(moments, pair.p_WL);
    EXPECT_NEAR(got.metrics.volume / clip.volume, 1, 1e-3);
    EXPECT_LT(Norm(got.metrics.area_vector - clip.area_vector), 1e-2 * Norm(clip.area_vector));
    EXPECT_LT(Norm(got.metrics.area_moment - clip.area_moment),
              1e-2 * Norm(clip.area_vector) * std::sqrt(Trace(clip.J_W) / clip.volume));
  }
}

// Moves a by dx and turns it by dθ about p.
Surface Shifted(const Surface& s, const Vec3& dx, const Vec3& turn, const Vec3& p) {
  Pose X;
  X.R = intervox::testing::Turned(turn, Mat3::Identity());
  X.p = p - X.R * p + dx;
  return X * s;
}

TEST(PolarRule, AreaVectorAndMomentAreTheGradientOfV) {
  Random random(8);
  int checked = 0;
  for (int i = 0; i < 60; ++i) {
    const double depth = std::pow(10, random.Uniform(-4, -0.5));
    const Contact c = RandomContact(&random, depth, i % 4 == 0);
    const Answer got = Polar(c.a, c.b, c.p, 1e-9);
    if (!got.result.accepted) continue;
    const double h = 1e-4 * depth;
    const double size = Norm(got.metrics.area_vector);
    const double lever = std::sqrt(Trace(got.metrics.J_W) / got.metrics.volume);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = h;
      const auto v = [&](const Vec3& dx, const Vec3& turn) {
        return Polar(Shifted(c.a, dx, turn, got.metrics.p_WC), c.b, c.p, 1e-10).metrics.volume;
      };
      EXPECT_NEAR(-(v(e, {}) - v(-e, {})) / (2 * h), got.metrics.area_vector[axis], 1e-5 * size);
      const Vec3 turn = e / lever;
      EXPECT_NEAR(-(v({}, turn) - v({}, -turn)) / (2 * h) * lever, got.metrics.area_moment[axis],
                  1e-5 * size * lever);
      ++checked;
    }
  }
  EXPECT_GT(checked, 150);
}

TEST(PolarRule, MovesWithTheWorldAndForgetsItsOrigin) {
  Random random(9);
  for (int i = 0; i < 40; ++i) {
    const double depth = std::pow(10, random.Uniform(-4, -0.5));
    const Contact c = RandomContact(&random, depth, false);
    const Answer got = Polar(c.a, c.b, c.p, 1e-8);
    if (!got.result.accepted) continue;
    const Pose X = random.RandomPose(1);
    const Answer moved = Polar(X * c.a, X * c.b, X * c.p + random.Vector(0.3), 1e-8);
    ASSERT_TRUE(moved.result.accepted);
    const double v = got.metrics.volume, allowed = 1e-8 + 1e-14 / depth;
    EXPECT_NEAR(moved.metrics.volume / v, 1, allowed);
    EXPECT_LT(Norm(moved.metrics.p_WC - X * got.metrics.p_WC), allowed);
    EXPECT_LT(Norm(moved.metrics.area_vector - X.R * got.metrics.area_vector),
              10 * allowed * Norm(got.metrics.area_vector));
    EXPECT_LT(Frobenius(moved.metrics.J_W - X.R * got.metrics.J_W * Transpose(X.R)),
              10 * allowed * Frobenius(got.metrics.J_W));
    // Swapped bodies: V the same, S reversed.
    const Answer swapped = Polar(c.b, c.a, c.p, 1e-8);
    ASSERT_TRUE(swapped.result.accepted);
    EXPECT_NEAR(swapped.metrics.volume / v, 1, allowed);
    EXPECT_LT(Norm(swapped.metrics.area_vector + got.metrics.area_vector),
              10 * allowed * Norm(got.metrics.area_vector));
  }
}

TEST(PolarRule, ReferencePairs) {
  int accepted = 0;
  for (const OraclePair& reference : OraclePairs()) {
    for (double tolerance : {1e-3, 1e-6, 1e-8}) {
      const Answer got = Polar(testing::LocalPairOf(reference.Query(tolerance)));
      if (!got.result.accepted) continue;
      ++accepted;
      EXPECT_LT(WorstError(got.metrics, reference), 0.1 * tolerance)
          << reference.name << " at " << tolerance;
    }
  }
  // Every sphere and ellipsoid on a face, on each other and on a cylinder's side.
  EXPECT_GE(accepted, 3 * 12);
}

// An affine map makes any ellipsoid cut by a plane a cap of the unit ball, of π h² (3 − h)/3.
// Nearly all of it, the arcs are nearly halves of ellipses.
TEST(PolarRule, StatesTheErrorOfCapsOfAnyHeight) {
  Random random(77);
  int seen = 0;
  for (int k = 0; k < 600; ++k) {
    const double height = k % 2 == 0 ? random.Uniform(0.02, 2) : 2 - random.LogUniform(1e-4, 0.3);
    const Vec3 radii{random.Uniform(0.2, 1), random.Uniform(0.2, 1), random.Uniform(0.2, 1)};
    const Surface a = MakeEllipsoid(radii, {random.Rotation(), {}});
    const Vec3 n = random.Direction();
    const Surface b = MakePlane(n, (height - 1) * Dot(n, Support(a, n)));
    const double V = radii.x * radii.y * radii.z * kPi * height * height * (3 - height) / 3;
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      const Answer answer = Polar(a, b, {}, tolerance);
      if (!answer.result.accepted) continue;
      ++seen;
      EXPECT_LE(std::fabs(answer.moments.v - V), answer.result.error + 1e-13 * V)
          << height << " at " << tolerance;
    }
  }
  EXPECT_GT(seen, 3000);
}

}  // namespace
}  // namespace intervox::cuda
