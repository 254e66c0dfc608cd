#include "cuda/rules/column/ring_span.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuda/rules/column/rule.h"
#include "tests/cuda/column_sections.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::FrameAlong;
using geometry::MakeCone;
using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using internal::kPi;
using internal::column::BoxOnTube;
using internal::column::ColumnMemory;
using internal::column::ColumnStart;
using internal::column::FindSpan;
using internal::column::RingSpan;
using internal::column::RingSupport;
using internal::column::SupportNear;
using testing::Answer;
using testing::Ask;
using testing::MakePair;
using testing::Random;

/** The answer without the box on the tube. */
Answer WithoutSpan(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) {
    ColumnMemory memory;
    RuleResult result;
    ColumnStart start = internal::column::FitBox(p, false, &memory.model);
    if (start == ColumnStart::kReady) start = internal::column::ShrinkBox(p, &memory.model);
    if (start == ColumnStart::kReady) {
      result = internal::column::SumLens(p, memory.model, m);
      return result.accepted ? result : testing::SumSections(p, &memory, m);
    }
    result.accepted = start == ColumnStart::kEmpty;
    return result;
  });
}

Answer Columns(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) { return ColumnRule(p, m); });
}

/** A convex surface of a random kind and size, whose tangent plane at x has the normal n. */
Surface TouchingAt(const Vec3& x, const Vec3& n, double size, int kind, Random* random) {
  if (kind == 0) {
    const Vec3 radii = size * Vec3{random->LogUniform(0.3, 1), random->LogUniform(0.3, 1),
                                   random->LogUniform(0.3, 1)};
    const Mat3 R = random->Rotation();
    const Vec3 m = TransposeTimes(R, n);
    const Vec3 squares = Scaled(radii, radii);
    const Vec3 point = Scaled(squares, m) / std::sqrt(Dot(m, Scaled(squares, m)));
    return MakeEllipsoid(radii, {R, x - R * point});
  }
  const Vec3 across = Normalized(Cross(n, random->Direction()));
  if (kind == 1) return MakeCylinder(size, {FrameAlong(across), x - size * n});
  // A generator along `across`, from the apex at the distance `size`.
  const double slope = random->LogUniform(0.2, 3), per = 1 / std::sqrt(1 + slope * slope);
  const Vec3 axis = per * (across - slope * n);
  return MakeCone(slope, size, {FrameAlong(axis), x - size * across});
}

/** A torus, a sector of it, and a surface that reaches a depth into its tube. */
struct Touch {
  std::vector<Surface> sector;
  Surface other;
  double minor = 0.0;
};

Touch RandomTouch(double depth, int kind, Random* random) {
  const double major = 0.3, minor = major * random->LogUniform(0.02, 0.8);
  const Surface torus = MakeTorus(major, minor, random->RandomPose(0.1));
  const double phi = random->Uniform(0, 2 * kPi), theta = random->Uniform(0, 2 * kPi);
  const Vec3 axis = torus.R.Col(2);
  const auto heading = [&](double angle) {
    return std::cos(angle) * torus.R.Col(0) + std::sin(angle) * torus.R.Col(1);
  };
  const Vec3 n = std::cos(theta) * heading(phi) + std::sin(theta) * axis;
  const Vec3 x = torus.o + major * heading(phi) + (minor - depth) * n;
  // Inside of the ring what touches in one point is smaller than the hole.
  const double inner = 0.2 * (major - minor);
  Touch touch;
  touch.minor = minor;
  touch.other = TouchingAt(x, -n, (kind == 0 ? inner : 0.5 * inner), kind, random);
  const double first = phi - random->Uniform(0.1, 1.5), last = phi + random->Uniform(0.1, 1.5);
  touch.sector = {torus, MakePlane(-Cross(axis, heading(first)), torus.o),
                  MakePlane(Cross(axis, heading(last)), torus.o)};
  touch.sector[1].cut = touch.sector[2].cut = true;
  return touch;
}

LocalPair PairOf(const Touch& touch, double tolerance) {
  const Vec3 o = touch.sector[0].o, far{1, 1, 1};
  return MakePair(touch.sector, {touch.other}, o, o - far, o + far, tolerance);
}

// A plane that supports a body and touches it at x − offset n is as far from x as the body is.
TEST(RingSpan, SupportsTouchWhereTheBodyIsNearest) {
  Random random(1);
  int outside = 0;
  for (int i = 0; i < 6000; ++i) {
    const double size = random.LogUniform(1e-3, 1e3);
    const Pose X{random.Rotation(), size * random.Direction()};
    const Surface s =
        i % 3 == 0 ? MakeEllipsoid(
                         size * Vec3{random.LogUniform(0.01, 1), random.LogUniform(0.01, 1), 1}, X)
        : i % 3 == 1 ? MakeCylinder(size * random.LogUniform(0.01, 1), X)
                     : MakeCone(random.LogUniform(0.03, 30), size, X);
    const Vec3 x = X.p + size * random.LogUniform(1e-3, 30) * random.Direction();
    const RingSupport got = SupportNear(s, x);
    if (SquaredNorm(got.n) == 0) {
      EXPECT_LE(geometry::Value(s, x), 1e-12 * size);
      continue;
    }
    ++outside;
    const double reach = Norm(x - X.p) + size;
    EXPECT_NEAR(Norm(got.n), 1, 1e-13);
    EXPECT_GT(got.offset, -1e-14 * reach);
    EXPECT_LT(std::fabs(geometry::Value(s, x - got.offset * got.n)), 1e-7 * reach) << i;
    for (int k = 0; k < 20; ++k) {
      const Vec3 y = X.p + reach * random.LogUniform(1e-3, 1) * random.Direction();
      if (geometry::Value(s, y) > 0) continue;
      EXPECT_LE(Dot(got.n, y - x) + got.offset, 1e-12 * reach) << i;
    }
  }
  EXPECT_GT(outside, 3000);
}

// Whatever lies in both bodies lies in the span and in the box.
TEST(RingSpan, HoldsEveryPointOfTheOverlap) {
  Random random(2);
  int points = 0, boxes = 0;
  for (int i = 0; i < 3000; ++i) {
    const double depth = 0.3 * random.LogUniform(1e-3, 1);
    const Touch touch = RandomTouch(depth, i % 3, &random);
    const LocalPair pair = PairOf(touch, 1e-3);
    const RingSpan span = FindSpan(pair);
    ASSERT_NE(span.torus, nullptr);
    bool empty = false;
    const internal::clip::ClipBox box = BoxOnTube(pair, span, &empty);
    boxes += box.valid ? 1 : 0;
    const Surface& torus = pair.surface[pair.planes].surface;
    for (int k = 0; k < 300; ++k) {
      const double azimuth = random.Uniform(0, 2 * kPi), around = random.Uniform(0, 2 * kPi);
      const double r = touch.minor * std::sqrt(random.Uniform(0, 1));
      const double out = torus.e.x + r * std::cos(around);
      const Vec3 x = torus.o + torus.R * Vec3{out * std::cos(azimuth), out * std::sin(azimuth),
                                              r * std::sin(around)};
      bool in = true;
      for (int s = 0; s < pair.count; ++s) {
        in = in && geometry::Value(pair.surface[s].surface, x) <= 0;
      }
      if (!in) continue;
      ++points;
      ASSERT_FALSE(span.empty || empty) << i;
      const Vec3 y = span.R * (x - torus.o);
      const double u = y.y / (std::sqrt(y.x * y.x + y.y * y.y) + y.x);
      EXPECT_GE(u, span.lower) << i;
      EXPECT_LE(u, span.upper) << i;
      if (!box.valid) continue;
      const Vec3 c = TransposeTimes(box.F, x - box.p);
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_GE(c[axis], box.lower[axis]) << i;
        EXPECT_LE(c[axis], box.upper[axis]) << i;
      }
    }
  }
  EXPECT_GT(points, 1000);
  EXPECT_GT(boxes, 500);
}

// Thin overlaps are found as by cells of the whole sector, in every moment.
TEST(RingSpan, AgreesWithCells) {
  Random random(3);
  int compared = 0, lenses = 0;
  for (int i = 0; i < 240; ++i) {
    const Touch touch = RandomTouch(random.LogUniform(1e-9, 3e-2), i % 3, &random);
    const LocalPair pair = PairOf(touch, 1e-5);
    const Answer got = Columns(pair), want = WithoutSpan(PairOf(touch, 1e-7));
    if (!want.result.accepted || !(want.moments.v > 0)) continue;
    ASSERT_TRUE(got.result.accepted) << i;
    ++compared;
    lenses += got.result.work <= 9 * 64 ? 1 : 0;
    const double off = got.result.error + want.result.error;
    EXPECT_LE(std::fabs(got.moments.v - want.moments.v), 4 * off) << i;
    EXPECT_LE(off, 1e-4 * want.moments.v) << i;
    const double size =
        std::sqrt(intervox::testing::Frobenius(want.metrics.J_W) / want.metrics.volume);
    EXPECT_LT(Norm(got.metrics.p_WC - want.metrics.p_WC), 1e-3 * size) << i;
    EXPECT_LT(intervox::testing::Frobenius(got.metrics.J_W - want.metrics.J_W),
              1e-3 * intervox::testing::Frobenius(want.metrics.J_W))
        << i;
    EXPECT_LT(Norm(got.metrics.area_vector - want.metrics.area_vector),
              1e-3 * Norm(want.metrics.area_vector))
        << i;
  }
  EXPECT_GT(compared, 180);
  EXPECT_GT(lenses, 60);
}

// As deep an overlap as 1e-11 of the size is found, and a gap as wide is proved, without cells.
TEST(RingSpan, TellsOverlapsFromGaps) {
  Random random(4);
  int overlaps = 0, gaps = 0;
  for (int i = 0; i < 300; ++i) {
    const double depth = 0.3 * random.LogUniform(1e-10, 1e-5);
    const auto look = [&](double by) {
      Random same(1000 + i);
      const LocalPair pair = PairOf(RandomTouch(by, i % 3, &same), 1e-3);
      return Columns(pair);
    };
    const Answer in = look(depth), apart = look(-depth);
    ASSERT_TRUE(in.result.accepted);
    ASSERT_TRUE(apart.result.accepted);
    overlaps += in.moments.v > 0 ? 1 : 0;
    // A long cone or cylinder may meet the ring in another place.
    gaps += apart.moments.v == 0 && apart.result.work == 0 ? 1 : 0;
  }
  EXPECT_EQ(overlaps, 300);
  EXPECT_GT(gaps, 200);
}

// A ring around an ellipsoid that touches it in two places of one sector: what is shared is the sum
// of both, each alone in half of the sector. The bodies are their own mirror images.
TEST(RingSpan, FindsBothPlacesWhereARingTouches) {
  Random random(5);
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    const double major = 0.3, minor = major * random.LogUniform(0.05, 0.5);
    const double depth = minor * random.LogUniform(1e-8, 1e-3);
    const double share = random.Uniform(0.2, 0.8);
    const Pose X = random.RandomPose(0.1);
    const Surface torus = MakeTorus(major, minor, X);
    // An ellipse of the half axes p and q in the ring's circle of the radius p − δ, moved towards
    // the sector until it reaches through the circle twice, at the azimuths ±φ.
    const double inner = major - minor, q = inner * share;
    const double phi = random.Uniform(0.3, 0.6), c = std::cos(phi), s = std::sin(phi);
    const Vec3 at{(inner + depth) * c, (inner + depth) * s, 0};
    // The normal of the ellipse at ±φ is that of the circle: centre and half axis along y follow.
    const double across = q * q, y2 = at.y * across / s;
    ASSERT_GT(y2, 0);
    // With n = (c, s) the point is centre + (p² c, q² s)/√(p² c² + q² s²).
    const double root = across * s / at.y;  // √(p² c² + q² s²)
    if (!(root * root > across * s * s)) continue;
    const double along = (root * root - across * s * s) / (c * c);  // p²
    const Vec3 centre{at.x - along * c / root, 0, 0};
    const double thick = inner * 0.1;
    const Surface body = MakeEllipsoid({std::sqrt(along), q, thick}, {X.R, X * centre});
    const auto half = [&](double first, double last) {
      const Vec3 axis = X.R.Col(2);
      const auto heading = [&](double angle) {
        return std::cos(angle) * X.R.Col(0) + std::sin(angle) * X.R.Col(1);
      };
      std::vector<Surface> sector{torus, MakePlane(-Cross(axis, heading(first)), torus.o),
                                  MakePlane(Cross(axis, heading(last)), torus.o)};
      sector[1].cut = sector[2].cut = true;
      const Vec3 far{1, 1, 1};
      return Columns(MakePair(sector, {body}, torus.o, torus.o - far, torus.o + far, 1e-5));
    };
    const Answer whole = half(-1, 1), left = half(0, 1), right = half(-1, 0);
    ASSERT_TRUE(whole.result.accepted && left.result.accepted && right.result.accepted) << i;
    if (!(left.moments.v > 0)) continue;
    ++found;
    EXPECT_NEAR(right.moments.v / left.moments.v, 1, 1e-4) << i;
    EXPECT_NEAR(whole.moments.v / (left.moments.v + right.moments.v), 1, 1e-4) << i;
    EXPECT_LT(Norm(whole.moments.s - left.moments.s - right.moments.s), 1e-3 * Norm(left.moments.s))
        << i;
    EXPECT_LT(Norm(whole.moments.m - left.moments.m - right.moments.m),
              1e-4 * major * left.moments.v)
        << i;
  }
  EXPECT_GT(found, 20);
}

// Where the ring's circle begins and ends to cross a surface that it touches is found wherever a
// run of half planes begins or ends: looks before and beyond it show a dip at its very end.
TEST(RingEvents, AreFoundAtTheEndsOfARun) {
  Random random(7);
  int looks = 0, missed = 0;
  for (int i = 0; i < 200; ++i) {
    const LocalPair pair = PairOf(RandomTouch(random.LogUniform(1e-6, 1e-4), i % 3, &random), 1e-3);
    ColumnMemory memory;
    auto& chart = *::new (&memory.chart) internal::column::ColumnChart;
    internal::column::ColumnCover cover;
    if (internal::column::FitBox(pair, false, &memory.model) != ColumnStart::kReady) continue;
    if (StartColumns(pair, &memory.model, &memory.cover, &chart, &cover) != ColumnStart::kReady)
      continue;
    if (chart.ring < 0) continue;
    const int other = chart.ring == chart.planes ? chart.planes + 1 : chart.planes;
    const auto between = [&](double t0, double t1) {
      internal::column::ColumnEvents events;
      internal::column::RingEvents(chart, other, &events).Find(t0, t1);
      return events;
    };
    const auto has = [](const internal::column::ColumnEvents& events, double t) {
      return std::any_of(events.t, events.t + events.count,
                         [t](double at) { return std::fabs(at - t) < 1e-7; });
    };
    const internal::column::ColumnEvents known = between(-2.5, 2.5);
    constexpr double kWidth = 0.9, kStep = kWidth / 18;  // of which Find takes 18 steps
    for (int k = 0; k + 1 < known.count; ++k) {
      const double a = known.t[k], b = known.t[k + 1];
      if (b - a > 0.3 * kStep) continue;
      for (const double share : {0.01, 0.1, 0.3, 0.45, 0.55, 0.69}) {
        const double begin = a - share * kStep, end = b + share * kStep;
        for (const auto& events : {between(begin, begin + kWidth), between(end - kWidth, end)}) {
          ++looks;
          missed += has(events, a) && has(events, b) ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(looks, 600);
  // Where the extremum jumps between two looks a dip stays unseen, at the ends and in between.
  EXPECT_LT(missed, 0.02 * looks);
}

// What the Hessian of a torus changes by is below its bound, which is lower around the axis.
TEST(RingSpan, BendsAlikeAroundTheAxis) {
  Random random(6);
  for (int i = 0; i < 3000; ++i) {
    const double minor = 0.3 * random.LogUniform(0.02, 0.9);
    const Surface torus = MakeTorus(0.3, minor, random.RandomPose(0.1));
    const double theta = random.Uniform(0, 2 * kPi), phi = random.Uniform(0, 2 * kPi);
    const double rho = 0.3 + minor * std::cos(theta);
    const Vec3 x =
        torus.o + torus.R * Vec3{rho * std::cos(phi), rho * std::sin(phi), minor * std::sin(theta)};
    LocalSurface local;
    local.surface = torus;
    const auto hessian_at = [&](const Vec3& p) {
      Sym3 hessian;
      double size = 0, change = 0;
      const internal::MappedSurface s = internal::MapSurface(local, p, Mat3::Identity());
      EXPECT_TRUE(internal::HessianOver(s, 0, &hessian, &size, &change));
      return hessian;
    };
    const Vec3 way = torus.R * Vec3{-std::sin(phi), std::cos(phi), 0};
    const double r = std::fmin(minor, rho) * random.LogUniform(1e-4, 0.2);
    const double along = r * random.Uniform(0, 1), across = r * random.LogUniform(1e-3, 1);
    const double bound =
        internal::ChangeOver(internal::MapSurface(local, x, Mat3::Identity()), along, across);
    Vec3 off = random.Direction();
    off = across * random.Uniform(0, 1) * Normalized(off - Dot(off, way) * way);
    const Vec3 y = x + random.Uniform(-1, 1) * along * way + off;
    const Sym3 a = hessian_at(x), b = hessian_at(y);
    for (int k = 0; k < 10; ++k) {
      const Vec3 u = random.Direction();
      EXPECT_LE(std::fabs(Dot(u, b * u) - Dot(u, a * u)), bound * (1 + 1e-9) + 1e-9 / minor) << i;
    }
  }
}

}  // namespace
}  // namespace intervox::cuda
