#include "cuda/rules/column/lens.h"

#include <gtest/gtest.h>

#include "cuda/rules/column/rule.h"
#include "tests/cuda/column_sections.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using internal::column::ColumnMemory;
using internal::column::ColumnStart;
using testing::Answer;
using testing::Ask;
using testing::MakePair;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;
const Vec3 kReach{2, 2, 2};

LocalPair PairOf(const Surface& a, const std::vector<Surface>& b, double tolerance) {
  return MakePair({a}, b, {}, -kReach, kReach, tolerance);
}

/** The lens alone, in the box that the column rule fits and shrinks. */
Answer LensOf(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) {
    ColumnMemory memory;
    RuleResult result;
    ColumnStart start = internal::column::FitBox(p, false, &memory.model);
    if (start == ColumnStart::kReady) start = internal::column::ShrinkBox(p, &memory.model);
    result.accepted = start == ColumnStart::kEmpty;
    return start == ColumnStart::kReady ? internal::column::SumLens(p, memory.model, m) : result;
  });
}

/** The sum over sections alone. */
Answer SectionsOf(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) {
    ColumnMemory memory;
    if (internal::column::FitBox(p, false, &memory.model) != ColumnStart::kReady ||
        internal::column::ShrinkBox(p, &memory.model) != ColumnStart::kReady) {
      return RuleResult{};
    }
    return testing::SumSections(p, &memory, m);
  });
}

/** A point of a torus about z, with its normal and the curvatures of its meridian and parallel. */
struct TorusPoint {
  Vec3 x, n;
  double meridian, parallel;
};

TorusPoint PointOfTorus(double major, double minor, double around, double along) {
  const Vec3 out{std::cos(around), std::sin(around), 0};
  const Vec3 n = std::cos(along) * out + std::sin(along) * Vec3{0, 0, 1};
  const double rho = major + minor * std::cos(along);
  return {major * out + minor * n, n, 1 / minor, std::cos(along) / rho};
}

/** A ball that goes into a torus by `depth` at a random point where it touches nothing else. */
struct TouchingBall {
  Surface torus, ball;
  TorusPoint at;
  double radius;
};

TouchingBall RandomBall(Random* random, double depth) {
  const double major = 0.4, minor = major * random->Uniform(0.2, 0.5);
  TouchingBall out;
  out.at = PointOfTorus(major, minor, random->Uniform(-3, 3), random->Uniform(-1.8, 1.8));
  out.radius = random->Uniform(0.05, 0.15);
  out.torus = MakeTorus(major, minor);
  const Vec3 r{out.radius, out.radius, out.radius};
  out.ball = MakeEllipsoid(r, {random->Rotation(), out.at.x + (out.radius - depth) * out.at.n});
  return out;
}

// V = π h²/√(k₁k₂) and S = 2V/h n of paraboloids; bodies of curvature k differ from them by O(k h).
TEST(Lens, OfABallInATorusAsOfParaboloids) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const double depth = random.LogUniform(1e-9, 1e-5);
    const TouchingBall t = RandomBall(&random, depth);
    const double k = (t.at.meridian + 1 / t.radius) * (t.at.parallel + 1 / t.radius);
    const double volume = kPi * depth * depth / std::sqrt(k);
    const Answer got = LensOf(PairOf(t.torus, {t.ball}, 1e-6));
    ASSERT_TRUE(got.result.accepted) << i;
    ASSERT_GT(got.metrics.volume, 0) << i;
    const double close = 30 * depth / t.radius + 1e-15 / depth;
    EXPECT_NEAR(got.metrics.volume / volume, 1, close) << i;
    // Out of the torus, on which the weights count negative, and out of the ball positive.
    const Vec3 s = -2 * volume / depth * t.at.n;
    EXPECT_LT(Norm(got.metrics.area_vector - s), close * Norm(s)) << i;
    EXPECT_LT(Norm(got.metrics.p_WC - t.at.x), depth + 1e-15) << i;
    EXPECT_GT(got.result.work, 0);
  }
}

TEST(Lens, IsWhatSectionsSumTo) {
  Random random(4);
  int taken = 0;
  for (int i = 0; i < 120; ++i) {
    const double depth = random.LogUniform(1e-6, 1e-3);
    const TouchingBall t = RandomBall(&random, depth);
    // The ball becomes an ellipsoid through the point that lies deepest.
    const double a = t.radius;
    const Surface egg = MakeEllipsoid(
        {a, 0.7 * a, 0.8 * a},
        {Mat3::FromColumns(t.at.n, AnyOrthogonal(t.at.n), Cross(t.at.n, AnyOrthogonal(t.at.n))),
         t.at.x + (a - depth) * t.at.n});
    const double tolerance = 1e-6;
    const LocalPair pair = PairOf(t.torus, {egg}, tolerance);
    const Answer lens = LensOf(pair);
    if (!lens.result.accepted) continue;
    ++taken;
    const Answer sections = SectionsOf(pair);
    ASSERT_TRUE(sections.result.accepted) << i;
    const InterferenceMetrics &x = lens.metrics, &y = sections.metrics;
    const double close = tolerance + 1e-14 / depth;
    EXPECT_NEAR(x.volume / y.volume, 1, close) << i;
    EXPECT_LT(Norm(x.p_WC - y.p_WC), close * std::sqrt(a * depth)) << i;
    EXPECT_LT(Norm(x.area_vector - y.area_vector), 10 * close * Norm(y.area_vector)) << i;
    EXPECT_LT(Norm(x.area_moment - y.area_moment),
              10 * close * Norm(y.area_vector) * std::sqrt(a * depth))
        << i;
    EXPECT_LT(Norm(x.J_W.row0 - y.J_W.row0), 10 * close * x.volume * a * depth) << i;
  }
  EXPECT_GT(taken, 80);
}

TEST(Lens, AreaIsTheGradientOfTheVolume) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const double depth = random.LogUniform(1e-7, 1e-4);
    const TouchingBall t = RandomBall(&random, depth);
    const auto at = [&](const Vec3& shift) {
      Surface ball = t.ball;
      ball.o += shift;
      return LensOf(PairOf(t.torus, {ball}, 1e-9));
    };
    const Vec3 e = random.Direction();
    const double step = 0.03 * depth;
    const Answer before = at(-step * e), now = at({}), after = at(step * e);
    ASSERT_TRUE(before.result.accepted && now.result.accepted && after.result.accepted) << i;
    const double slope = (after.metrics.volume - before.metrics.volume) / (2 * step);
    // The ball's part of the surface sweeps V; V is quadratic in the depth but for O(k h).
    EXPECT_NEAR(slope, Dot(now.metrics.area_vector, e),
                (1e-3 * depth / t.radius + 1e-13 / depth) * 30 * Norm(now.metrics.area_vector))
        << i;
  }
}

TEST(Lens, GapsAreProvedEmpty) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const double gap = random.LogUniform(1e-12, 1e-2);
    const TouchingBall t = RandomBall(&random, -gap);
    const Answer got = LensOf(PairOf(t.torus, {t.ball}, 1e-3));
    EXPECT_TRUE(got.result.accepted) << i;
    EXPECT_EQ(got.moments.v, 0) << i;
    EXPECT_EQ(got.result.error, 0) << i;
  }
}

TEST(Lens, StatesWhatRoundingMakesOfIt) {
  Random random(7);
  int rounding = 0;
  for (int i = 0; i < 200; ++i) {
    const double depth = random.LogUniform(1e-17, 1e-14);
    const TouchingBall t = RandomBall(&random, depth);
    const double k = (t.at.meridian + 1 / t.radius) * (t.at.parallel + 1 / t.radius);
    const double volume = kPi * depth * depth / std::sqrt(k);
    const Answer got = LensOf(PairOf(t.torus, {t.ball}, 1e-3));
    ASSERT_TRUE(got.result.accepted) << i;
    rounding += got.result.rounding ? 1 : 0;
    // Points are posed to some 1e-16 here, so that the depth itself is no better.
    const double off = 6e-16, most = kPi * (depth + off) * (depth + off) / std::sqrt(k);
    EXPECT_LT(std::fabs(got.moments.v - volume), got.result.error + most - volume) << i;
  }
  EXPECT_GT(rounding, 100);
}

TEST(Lens, RefusesRingsAndEdges) {
  const Surface torus = MakeTorus(0.4, 0.1);
  // A plane on top touches along a circle, a ball in the middle too.
  EXPECT_FALSE(LensOf(PairOf(torus, {MakePlane({0, 0, -1}, -0.1 + 1e-6)}, 1e-3)).result.accepted);
  const double r = 0.3 + 1e-6;
  EXPECT_FALSE(LensOf(PairOf(torus, {MakeEllipsoid({r, r, r})}, 1e-3)).result.accepted);
  // The edge of two walls at the torus' equator.
  const Vec3 u = Normalized(Vec3{1, 0.5, 0.3}), v = Normalized(Vec3{1, -0.4, 0.2});
  const Vec3 corner{0.5 - 1e-4, 0, 0};
  const Answer edge = LensOf(PairOf(torus, {MakePlane(-u, corner), MakePlane(-v, corner)}, 1e-3));
  EXPECT_FALSE(edge.result.accepted);
}

// Which rule is asked changes nothing: one rule in the planner hands over to the other.
TEST(Lens, IsPartOfTheColumnRule) {
  Random random(8);
  for (const double depth : {1e-2, 1e-3, 1e-5, 1e-8}) {
    const TouchingBall t = RandomBall(&random, depth);
    const LocalPair pair = PairOf(t.torus, {t.ball}, 1e-4);
    const Answer got = Ask(pair, [](const LocalPair& p, Moments* m) { return ColumnRule(p, m); });
    const Answer sections = SectionsOf(pair);
    ASSERT_TRUE(got.result.accepted && sections.result.accepted) << depth;
    EXPECT_NEAR(got.metrics.volume / sections.metrics.volume, 1, 1e-4) << depth;
  }
}

}  // namespace
}  // namespace intervox::cuda
