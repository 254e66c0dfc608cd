#include "cuda/rules/clip/rule.h"

#include <gtest/gtest.h>

#include "tests/cuda/leaf_pairs.h"
#include "tests/cuda/oracle.h"

namespace intervox::cuda {
namespace {

using geometry::Complement;
using geometry::MakeCone;
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

Answer Clip(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) { return ClipRule(p, m); });
}

InterferenceMetrics Clip(const std::vector<Surface>& a, const std::vector<Surface>& b, double half,
                         double tolerance) {
  const Vec3 box{half, half, half};
  const Answer got = Clip(MakePair(a, b, {}, -box, box, tolerance));
  EXPECT_TRUE(got.result.accepted);
  EXPECT_LE(got.result.error, tolerance * got.metrics.volume);
  return got.metrics;
}

TEST(ClipRule, CapsOfAnyDepth) {
  Random random(1);
  for (double depth : {1e-5, 1e-3, 0.1, 0.7, 1.6}) {
    const double radius = 0.5, d = depth * radius;
    const Vec3 n = random.Direction();
    const InterferenceMetrics m =
        Clip({MakeEllipsoid({radius, radius, radius})}, {MakePlane(n, d - radius)}, 0.6, 1e-3);
    const double v = kPi * d * d * (3 * radius - d) / 3;
    EXPECT_NEAR(m.volume / v, 1, 3e-4) << depth;
    const double area = kPi * d * (2 * radius - d);
    EXPECT_LT(Norm(m.area_vector - area * n), 5e-3 * area) << depth;
  }
}

TEST(ClipRule, HalfToriByPappus) {
  const double major = 0.3, minor = 0.1;
  const double v = kPi * kPi * major * minor * minor;
  Random random(2);
  const Mat3 R = random.Rotation();
  const Surface torus = MakeTorus(major, minor, {R, {}});
  // Across the axis: half rings; the centroid of the half disc is 4r/(3π) from the plane.
  const InterferenceMetrics flat = Clip({torus}, {MakePlane(R.Col(2), 0.0)}, 0.45, 1e-3);
  EXPECT_NEAR(flat.volume / v, 1, 2e-4);
  EXPECT_LT(Norm(flat.p_WC + 4 * minor / (3 * kPi) * R.Col(2)), 2e-4 * major);
  EXPECT_LT(Norm(flat.area_vector - 4 * kPi * major * minor * R.Col(2)),
            2e-2 * 4 * kPi * major * minor);
  // Along the axis: half of the turn; the centroid is (4R² + r²)/(2πR) from the axis.
  const InterferenceMetrics half = Clip({torus}, {MakePlane(R.Col(0), 0.0)}, 0.45, 1e-3);
  EXPECT_NEAR(half.volume / v, 1, 2e-4);
  const double reach = (4 * major * major + minor * minor) / (2 * kPi * major);
  EXPECT_LT(Norm(half.p_WC + reach * R.Col(0)), 2e-4 * major);
  EXPECT_LT(Norm(half.area_vector - 2 * kPi * minor * minor * R.Col(0)),
            2e-2 * 2 * kPi * minor * minor);
}

TEST(ClipRule, PlanesAloneAreExact) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Pose X = random.RandomPose(0.2), Y{random.Rotation(), X.p + random.Vector(0.2)};
    const std::vector<Surface> a = testing::BoxSurfaces({0.5, 0.4, 0.3});
    const std::vector<Surface> b = testing::BoxSurfaces({0.3, 0.6, 0.4});
    const geometry::Cell box_a = geometry::MakeCell(a, "a"), box_b = geometry::MakeCell(b, "b");
    const Answer got = Clip(MakePair(testing::Moved(X, a), testing::Moved(Y, b), X.p,
                                     X.p - Vec3{1, 1, 1}, X.p + Vec3{1, 1, 1}, 1e-3));
    const double v = intervox::testing::EnumeratedVolume({&box_a, &box_b, X, Y});
    EXPECT_NEAR(got.metrics.volume / v, 1, 1e-12);
    EXPECT_EQ(got.result.work, 0);
  }
}

TEST(ClipRule, CutAndComplementMakeTheWhole) {
  Random random(4);
  const Surface ball = MakeEllipsoid({0.4, 0.3, 0.5}, {random.Rotation(), {}});
  const double v = 4 * kPi / 3 * 0.4 * 0.3 * 0.5;
  for (int i = 0; i < 5; ++i) {
    const Pose X{random.Rotation(), random.Vector(0.2)};
    Surface general = MakeEllipsoid({0.3, 0.3, 0.3}, X);
    general.kind = geometry::SurfaceKind::kQuadric;
    general.e.z = -0.7 * general.e.z;  // a hyperboloid of one sheet
    for (const Surface& b :
         {MakeCylinder(0.2, X), MakeTorus(0.3, 0.1, X), MakeCone(0.6, 0.3, X), general}) {
      const InterferenceMetrics in = Clip({ball}, {b}, 0.55, 1e-3);
      const InterferenceMetrics out = Clip({ball}, {Complement(b)}, 0.55, 1e-3);
      EXPECT_NEAR((in.volume + out.volume) / v, 1, 6e-4) << static_cast<int>(b.kind);
      EXPECT_LT(Norm(in.volume * in.p_WC + out.volume * out.p_WC), 5e-4 * v);
      // B's face is seen from either side, and is part of the boundary of either.
      EXPECT_LT(Norm(in.area_vector + out.area_vector), 2e-2 * 0.25);
    }
  }
}

TEST(ClipRule, SecondOrderPlainAndFourthOrderExtrapolated) {
  // A cap on a ridge of two planes: a rim, an edge and two corners.
  const LocalPair pair = MakePair({MakeEllipsoid({0.5, 0.4, 0.45})},
                                  {MakePlane(Normalized(Vec3{1, 0.2, -3}), -0.2),
                                   MakePlane(Normalized(Vec3{-1, 0.1, -2}), -0.15)},
                                  {}, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 1e-3);
  internal::clip::ClipMemory memory;
  internal::clip::ClipModel& model = memory.model.Make();
  bool disjoint = false;
  model.box = internal::clip::ChooseBox(pair, &disjoint);
  ASSERT_TRUE(model.box.valid);
  internal::clip::MapSurfaces(pair, &model);
  for (int& split : model.split) split = 7;
  double v[8], extrapolated[8];
  for (int level = 1; level < 8; ++level) {
    v[level] = internal::clip::Descend(model, 0, level, 0, &memory).v;
    extrapolated[level] = (4 * v[level] - v[level - 1]) / 3;
  }
  const double exact = extrapolated[7];
  for (int level = 3; level < 6; ++level) {
    EXPECT_NEAR((v[level] - exact) / (v[level + 1] - exact), 4, 0.7) << level;
  }
  // Rims make the rest rough: order 3 and better over three levels.
  EXPECT_LT(std::fabs(extrapolated[6] - exact), std::fabs(extrapolated[3] - exact) / 200);
  EXPECT_LT(std::fabs(extrapolated[5] - exact), 0.02 * std::fabs(v[5] - exact));
}

TEST(ClipRule, BoundsHoldAndSlopesAreTrue) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const Pose X = random.RandomPose(0.5);
    const Surface all[] = {MakeEllipsoid({0.5, 0.3, 0.4}, X), MakeCylinder(0.3, X),
                           MakeCone(0.5, 0.4, X), MakeTorus(0.4, 0.1, X),
                           MakePlane(X.R.Col(0), X.p)};
    LocalSurface local;
    local.surface = all[i % 5];
    if (i % 2 == 1) local.surface = Complement(local.surface);
    const Vec3 p = random.Vector(0.5);
    Mat3 F = random.Rotation();
    F = F * Mat3::Diagonal({0.7, 0.2, 1.3});
    const internal::MappedSurface s = internal::MapSurface(local, p, F);
    // Half of the cells lie about the centre or apex.
    const Vec3 middle = i % 4 < 2 ? Vec3{} : Inverse(F) * (local.surface.o - p);
    const Vec3 h = random.Uniform(0, 0.5) * Abs(random.Vector(1));
    const Vec3 c = middle + (i % 4 < 2 ? 1.0 : 0.3) * random.Vector(1);
    const geometry::Bounds bounds = internal::BoundsOver(s, c, h);
    for (int k = 0; k < 50; ++k) {
      const Vec3 y = c + Scaled(h, random.Vector(1));
      const internal::LevelAndSlope at = internal::Evaluate(s, y);
      EXPECT_NEAR(at.value, geometry::Level(local.surface, p + F * y), 1e-13);
      EXPECT_FALSE(at.value < 0 && bounds.lo > 0);
      EXPECT_FALSE(at.value > 0 && bounds.hi < 0);
      const Vec3 step = 1e-5 * random.Vector(1);
      const double rise =
          internal::Evaluate(s, y + step).value - internal::Evaluate(s, y - step).value;
      EXPECT_NEAR(rise, 2 * Dot(at.gradient, step), 1e-8);
    }
  }
}

TEST(ClipRule, PolytopeLeafAgreesWithABruteCount) {
  Random random(6);
  for (int i = 0; i < 6; ++i) {
    internal::clip::HalfSpaceCut cut[3];
    for (internal::clip::HalfSpaceCut& one : cut) {
      one.n = random.Direction();
      one.d = random.Uniform(0, 0.3);
    }
    const Vec3 h{0.5, 0.4, 0.3};
    internal::clip::PolygonRoom room;
    internal::clip::ClipSums sums;
    internal::clip::AddPolytope(cut, 3, {}, h, &room, &sums);
    constexpr int n = 60;
    double v = 0;
    Vec3 m, q, d;
    for (int k = 0; k < n * n * n; ++k) {
      const Vec3 u{(2.0 * (k % n) + 1) / n - 1, (2.0 * (k / n % n) + 1) / n - 1,
                   (2.0 * (k / (n * n)) + 1) / n - 1};
      const Vec3 x = Scaled(h, u);
      bool inside = true;
      for (const internal::clip::HalfSpaceCut& one : cut) inside = inside && Dot(one.n, x) <= one.d;
      if (!inside) continue;
      const double w = 8 * h.x * h.y * h.z / (n * n * n);
      v += w;
      m += w * x;
      q += w * Scaled(x, x);
      d += w * Vec3{x.x * x.y, x.x * x.z, x.y * x.z};
    }
    EXPECT_NEAR(sums.v, v, 2e-3 * v);
    EXPECT_LT(Norm(sums.m - m), 2e-3 * v);
    EXPECT_LT(Norm(sums.second.diag - q), 1e-3 * v);
    EXPECT_LT(Norm(sums.second.off - d), 1e-3 * v);
  }
}

// A face along a wall of the box counts once, on the side of it where the solid is, whatever
// rounding says.
TEST(ClipRule, FacesAlongTheWallsOfALeaf) {
  Random random(16);
  for (int i = 0; i < 600; ++i) {
    const Vec3 h{0.5, 0.4, 0.3}, c = random.Vector(2);
    const int axis = i % 3;
    const double side = i / 3 % 2 == 0 ? 1 : -1;
    internal::clip::HalfSpaceCut cut[2];
    cut[0].n = {};
    cut[0].n[axis] = side;
    cut[0].n += 1e-12 * random.Vector(1);
    cut[0].weight = 1;
    cut[1].n = random.Direction();  // Half of the box.
    cut[1].d = Dot(cut[1].n, c);
    internal::clip::PolygonRoom room;
    internal::clip::ClipSums sums;
    // The solid fills the box up to the wall.
    cut[0].d = Dot(cut[0].n, c) + h[axis] * (1 + 1e-12 * random.Uniform(-1, 1));
    internal::clip::AddPolytope(cut, 1, c, h, &room, &sums);
    EXPECT_NEAR(sums.v, 8 * h.x * h.y * h.z, 1e-10);
    EXPECT_LT(Norm(sums.s - 4 * h.x * h.y * h.z / h[axis] * cut[0].n), 1e-10);
    sums = {};
    internal::clip::AddPolytope(cut, 2, c, h, &room, &sums);
    EXPECT_NEAR(sums.v, 4 * h.x * h.y * h.z, 1e-10);
    // It touches the box from outside.
    cut[0].d = Dot(cut[0].n, c) - h[axis] * (1 + 1e-12 * random.Uniform(-1, 1));
    sums = {};
    internal::clip::AddPolytope(cut, 2, c, h, &room, &sums);
    EXPECT_NEAR(sums.v, 0, 1e-10);
    EXPECT_LT(Norm(sums.s), 1e-10);
  }
}

TEST(ClipRule, AreaVectorIsTheGradientOfV) {
  Random random(7);
  for (int i = 0; i < 2; ++i) {
    const Surface torus = MakeTorus(0.3, 0.12, {random.Rotation(), {}});
    const Surface ball = MakeEllipsoid({0.3, 0.25, 0.35}, {random.Rotation(), {0.3, 0, 0}});
    const InterferenceMetrics m = Clip({torus}, {ball}, 0.5, 1e-3);
    const double h = 5e-3;
    for (int axis = 0; axis < 3; ++axis) {
      Pose X;
      const auto v = [&](double step) {
        X.p[axis] = step;
        return Clip({X * torus}, {ball}, 0.5, 3e-4).volume;
      };
      EXPECT_NEAR(-(v(h) - v(-h)) / (2 * h), m.area_vector[axis], 4e-2 * Norm(m.area_vector));
    }
  }
}

TEST(ClipRule, MovesWithTheWorld) {
  Random random(8);
  const Surface a = MakeTorus(0.3, 0.12),
                b = MakeEllipsoid({0.3, 0.25, 0.35}, {{}, {0.3, 0, 0.05}});
  const InterferenceMetrics m = Clip({a}, {b}, 0.5, 1e-3);
  for (int i = 0; i < 4; ++i) {
    const Pose X{random.Rotation(), {}};
    const InterferenceMetrics n = Clip({X * a}, {X * b}, 0.7, 1e-3);
    EXPECT_NEAR(n.volume / m.volume, 1, 1e-3);
    EXPECT_LT(Norm(n.p_WC - X * m.p_WC), 5e-4);
    EXPECT_LT(Frobenius(n.J_W - X.R * m.J_W * Transpose(X.R)), 5e-3 * Frobenius(m.J_W));
    EXPECT_LT(Norm(n.area_vector - X.R * m.area_vector), 2e-2 * Norm(m.area_vector));
  }
}

TEST(ClipRule, LeafSizeSetsTheLevel) {
  const LocalPair pair = MakePair({MakeEllipsoid({0.5, 0.5, 0.5})}, {MakePlane({0, 0, 1}, 0.1)}, {},
                                  {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 1e-9);
  const double v = kPi * 0.36 * (1.5 - 0.6) / 3;
  double last = 1;
  int work = 0;
  for (double size : {0.25, 0.125, 0.0625}) {
    Moments moments;
    const RuleResult result = ClipRule(pair, &moments, 100000, size);
    ASSERT_TRUE(result.accepted);
    const double error = std::fabs(moments.v / v - 1);
    EXPECT_LT(error, 0.4 * last);
    EXPECT_GT(result.work, 3 * work);
    last = error;
    work = result.work;
  }
  EXPECT_LT(last, 3e-4);
}

TEST(ClipRule, NothingIsFoundWhereNothingIs) {
  Pose X;
  X.p = {0.6, 0, 0};
  const RuleResult result =
      Clip(MakePair({MakeTorus(0.3, 0.1)}, {MakeEllipsoid({0.19, 0.19, 0.19}, X)}, {},
                    {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 1e-3))
          .result;
  EXPECT_TRUE(result.accepted);
  EXPECT_EQ(result.error, 0);
}

TEST(ClipRule, ReferencePairs) {
  for (const OraclePair& reference : OraclePairs()) {
    constexpr double kTolerance = 1e-3;
    const Answer got = Clip(testing::LocalPairOf(reference.Query(kTolerance)));
    ASSERT_TRUE(got.result.accepted) << reference.name;
    EXPECT_LE(got.result.error, kTolerance * got.metrics.volume) << reference.name;
    EXPECT_LT(WorstError(got.metrics, reference), 0.8 * kTolerance) << reference.name;
  }
}

}  // namespace
}  // namespace intervox::cuda
