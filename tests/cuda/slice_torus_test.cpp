#include <gtest/gtest.h>

#include <array>

#include "cuda/rules/clip/rule.h"
#include "cuda/rules/column/rule.h"
#include "cuda/rules/slice/rule.h"
#include "geometry/hollows.h"
#include "geometry/neighbours.h"
#include "tests/cuda/families.h"
#include "tests/cuda/leaf_pairs.h"
#include "tests/cuda/on_a_floor.h"

namespace intervox::cuda {
namespace {

using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using testing::Answer;
using testing::AskWithTerm;
using testing::MakePair;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

Answer Slice(const std::vector<Surface>& solid, const std::vector<Surface>& planes,
             double tolerance = 1e-8) {
  const Vec3 o = solid[0].o, far{2, 2, 2};
  return AskWithTerm(
      MakePair(solid, planes, o, o - far, o + far, tolerance),
      [](const LocalPair& p, LocalPair* term, Moments* m) { return SliceRule(p, term, m); });
}

Answer Slice(const Surface& torus, const std::vector<Surface>& planes, double tolerance = 1e-8) {
  return Slice(std::vector<Surface>{torus}, planes, tolerance);
}

/** The direction across the axis of a torus at an azimuth. */
Vec3 DirectionAt(const Surface& torus, double azimuth) {
  return std::cos(azimuth) * torus.R.Col(0) + std::sin(azimuth) * torus.R.Col(1);
}

/** The part of a torus between two azimuths; `cut` as between parts of one body. */
std::vector<Surface> SectorOf(const Surface& torus, double first, double last, bool cut) {
  const Vec3 axis = torus.R.Col(2);
  std::vector<Surface> sector{torus, MakePlane(-Cross(axis, DirectionAt(torus, first)), torus.o),
                              MakePlane(Cross(axis, DirectionAt(torus, last)), torus.o)};
  sector[1].cut = sector[2].cut = cut;
  return sector;
}

TEST(SliceTorus, HalvesByPappus) {
  const double major = 0.3, minor = 0.1, v = kPi * kPi * major * minor * minor;
  Random random(1);
  const Pose X = random.RandomPose(0.3);
  const Vec3 axis = X.R.Col(2), across = X.R.Col(0);
  const Surface torus = MakeTorus(major, minor, X);
  const Answer flat = Slice(torus, {MakePlane(axis, X.p)});
  ASSERT_TRUE(flat.result.accepted);
  EXPECT_NEAR(flat.metrics.volume / v, 1, 1e-11);
  EXPECT_LT(Norm(flat.metrics.p_WC - X.p + 4 * minor / (3 * kPi) * axis), 1e-11);
  EXPECT_LT(Norm(flat.metrics.area_vector - 4 * kPi * major * minor * axis), 1e-10);
  const Answer half = Slice(torus, {MakePlane(across, X.p)});
  ASSERT_TRUE(half.result.accepted);
  EXPECT_NEAR(half.metrics.volume / v, 1, 1e-11);
  const double reach = (4 * major * major + minor * minor) / (2 * kPi * major);
  EXPECT_LT(Norm(half.metrics.p_WC - X.p + reach * across), 1e-9);
  // The tilt that keeps the plane off the axis is 1e-8.
  EXPECT_LT(Norm(half.metrics.area_vector - 2 * kPi * minor * minor * across), 1e-8);
}

TEST(SliceTorus, FlatCapsByPappusAtAnyDepth) {
  // A segment of height h at the centroid radius R: V = 2πR · segment.
  const double major = 0.3, minor = 0.1;
  for (double depth : {1e-7, 1e-5, 1e-3, 0.05, 0.1, 0.15, 0.199}) {
    const Answer got = Slice(MakeTorus(major, minor), {MakePlane({0, 0, 1}, depth - minor)});
    ASSERT_TRUE(got.result.accepted);
    // ∫ 2√(s(2r−s)) ds by the midpoint rule in √s, an independent sum.
    double segment = 0;
    constexpr int n = 200000;
    for (int i = 0; i < n; ++i) {
      const double x = (i + 0.5) / n, s = depth * x * x;
      segment += 2 * std::sqrt(s * (2 * minor - s)) * 2 * depth * x / n;
    }
    EXPECT_NEAR(got.metrics.volume / (2 * kPi * major * segment), 1, 1e-9 + 1e-15 / depth);
    const double chord = 2 * std::sqrt(depth * (2 * minor - depth));
    EXPECT_NEAR(got.metrics.area_vector.z / (2 * kPi * major * chord), 1, 1e-9 + 1e-15 / depth);
  }
}

TEST(SliceTorus, BothSidesMakeTheWhole) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const double major = random.Uniform(0.2, 1), minor = major * random.LogUniform(0.02, 0.95);
    const Pose X = random.RandomPose(0.2);
    const Surface torus = MakeTorus(major, minor, X);
    Vec3 n = random.Direction();
    if (i % 4 == 0) n = Normalized(X.R.Col(2) + random.LogUniform(1e-12, 0.1) * n);
    const double along = Dot(n, X.R.Col(2));
    const double reach = major * Norm(n - along * X.R.Col(2)) + minor;
    const Surface plane = MakePlane(n, X.p + random.Uniform(-1, 1) * reach * n);
    const Answer in = Slice(torus, {plane}), out = Slice(torus, {geometry::Complement(plane)});
    ASSERT_TRUE(in.result.accepted);
    ASSERT_TRUE(out.result.accepted);
    const double v = 2 * kPi * kPi * major * minor * minor;
    EXPECT_NEAR((in.moments.v + out.moments.v) / v, 1, 1e-9);
    EXPECT_LT(Norm(in.moments.m + out.moments.m), 1e-9 * v);
    // About the centre ∫ xx = ∫ yy = (4R² + 3r²)/8 V and ∫ zz = r²/4 V.
    const Vec3 q = in.moments.second.diag + out.moments.second.diag;
    EXPECT_NEAR((q.x + q.y + q.z) / v, major * major + minor * minor, 1e-8);
    EXPECT_LT(Norm(in.moments.s + out.moments.s), 1e-12);
    EXPECT_LT(Norm(in.moments.g + out.moments.g), 1e-12);
  }
}

TEST(SliceTorus, AgreesWithTheClipRule) {
  Random random(3);
  for (int i = 0; i < 6; ++i) {
    const Surface torus = MakeTorus(0.3, random.Uniform(0.05, 0.2), {random.Rotation(), {}});
    const Surface plane = MakePlane(random.Direction(), random.Uniform(-0.2, 0.2));
    const Answer got = Slice(torus, {plane});
    ASSERT_TRUE(got.result.accepted);
    const LocalPair pair =
        MakePair({torus}, {plane}, {}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 1e-3);
    Moments moments;
    ASSERT_TRUE(ClipRule(pair, &moments).accepted);
    const InterferenceMetrics clip = ToMetrics(moments, {});
    EXPECT_NEAR(got.metrics.volume / clip.volume, 1, 1e-3);
    EXPECT_LT(Norm(got.metrics.p_WC - clip.p_WC), 3e-4);
    EXPECT_LT(intervox::testing::Frobenius(got.metrics.J_W - clip.J_W),
              5e-3 * intervox::testing::Frobenius(clip.J_W));
    EXPECT_LT(Norm(got.metrics.area_moment - clip.area_moment),
              3e-2 * 0.3 * Norm(clip.area_vector));
  }
}

TEST(SliceTorus, AreaVectorAndMomentAreTheGradientOfV) {
  Random random(4);
  for (int i = 0; i < 30; ++i) {
    const Surface torus = MakeTorus(0.3, 0.1, random.RandomPose(0.1));
    const Vec3 n = random.Direction();
    const double along = Dot(n, torus.R.Col(2));
    const double reach = 0.3 * Norm(n - along * torus.R.Col(2)) + 0.1;
    const double depth = random.LogUniform(1e-4, 0.2);
    const Surface plane = MakePlane(n, Dot(n, torus.o) - reach + depth);
    const Answer got = Slice(torus, {plane}, 1e-9);
    const double h = 1e-4 * depth, size = Norm(got.metrics.area_vector);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = h;
      const auto v = [&](const Vec3& dx, const Vec3& turn) {
        Pose X;
        X.R = intervox::testing::Turned(turn, X.R);
        X.p = got.metrics.p_WC - X.R * got.metrics.p_WC + dx;
        return Slice(X * torus, {plane}, 1e-9).metrics.volume;
      };
      EXPECT_NEAR(-(v(e, {}) - v(-e, {})) / (2 * h), got.metrics.area_vector[axis], 1e-5 * size);
      EXPECT_NEAR(-(v({}, e) - v({}, -e)) / (2 * h), got.metrics.area_moment[axis], 1e-5 * size);
    }
  }
}

TEST(SliceTorus, OtherPlanes) {
  const Surface torus = MakeTorus(0.3, 0.1), floor = MakePlane({0, 0, 1}, -0.05);
  EXPECT_EQ(Slice(torus, {floor, MakePlane({1, 0, 0}, 0.41)}).moments.v,
            Slice(torus, {floor}).moments.v);
  const Answer whole = Slice(torus, {MakePlane({1, 0, 0}, 0.41)});
  ASSERT_TRUE(whole.result.accepted);
  EXPECT_NEAR(whole.metrics.volume, 2 * kPi * kPi * 0.3 * 0.01, 1e-15);
  EXPECT_EQ(Norm(whole.metrics.area_vector), 0);
  const Answer nothing = Slice(torus, {MakePlane({0, 0, 1}, -0.11)});
  EXPECT_TRUE(nothing.result.accepted);
  EXPECT_EQ(nothing.moments.v, 0);
}

// Sectors on a floor, however shallow the overlap is.
TEST(SliceTorus, SectorsAddUpAtAnyDepth) {
  Random random(5);
  for (int trial = 0; trial < 180; ++trial) {
    const double minor = std::array{0.02, 0.1, 0.25}[static_cast<std::size_t>(trial % 3)];
    const std::vector<geometry::Cell> whole =
        intervox::testing::CellsOf(geometry::Torus{0.3, minor});
    const std::vector<geometry::Cell> sectors = geometry::SplitHollows(whole);
    ASSERT_GT(sectors.size(), 1u);
    const geometry::Cell floor = intervox::testing::HalfSpaceCell({0, 0, 1}, 0);
    for (double depth = 1e-2; depth > 1e-10; depth /= 7) {
      Pose X = random.RandomPose(0.5);
      const Vec3 axis = X.R.Col(2);
      X.p.z = 0.3 * std::sqrt(1 - axis.z * axis.z) + minor - depth;
      const auto volume = [&](const geometry::Cell& cell) {
        const InterferenceMetrics metrics = ComputeMetrics({&cell, &floor, X, {}, 1e-5});
        EXPECT_NE(metrics.status, Status::kToleranceNotMet);
        return metrics.volume;
      };
      double sum = 0;
      for (const geometry::Cell& sector : sectors) sum += volume(sector);
      const double all = volume(whole[0]);
      EXPECT_GT(all, 0);
      EXPECT_NEAR(sum / all, 1, 2e-6) << "depth " << depth << ", minor radius " << minor;
    }
  }
}

// A floor across the axis leaves of a sector its share of the angle, with its centroid on the
// middle of the sector: the sum over azimuths of one section.
TEST(SliceTorus, SectorsOnAFlatFloorHaveTheirShare) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const double major = random.LogUniform(0.01, 1), minor = major * random.LogUniform(0.01, 0.99);
    const Surface torus = MakeTorus(major, minor, random.RandomPose(0.3));
    const double first = random.Uniform(0, 6), angle = random.LogUniform(0.01, 1) * kPi;
    const double depth = 2 * minor * random.LogUniform(1e-6, 1);
    const Vec3 axis = torus.R.Col(2);
    const Surface floor = MakePlane(axis, torus.o + (depth - minor) * axis);
    const Answer whole = Slice(torus, {floor}, 1e-9);
    const Answer got = Slice(SectorOf(torus, first, first + angle, true), {floor}, 1e-9);
    ASSERT_TRUE(got.result.accepted);
    const double noise = 1e-9 + 1e-14 * major / depth;
    EXPECT_NEAR(got.moments.v / whole.moments.v, angle / (2 * kPi), noise);
    // ∫ r² dA / ∫ r dA of the section, by the segment's symmetry: R + ∫ (r − R)² dA / (R ∫ dA).
    const double chord = std::sqrt(depth * (2 * minor - depth));
    const double area = 0.5 * kPi * minor * minor +
                        minor * minor * std::asin((depth - minor) / minor) +
                        (depth - minor) * chord;
    // ∫ x² dA = (r² A + 2/3 (d − r) c³) / 4 over the segment, x along the chord of half length c.
    const double xx =
        0.25 * (minor * minor * area + 2.0 / 3 * (depth - minor) * chord * chord * chord);
    const double reach = (major + xx / (major * area)) * std::sin(angle / 2) / (angle / 2);
    const Vec3 middle = DirectionAt(torus, first + angle / 2);
    if (depth > 1e-3 * minor) {
      EXPECT_NEAR(Dot(middle, got.metrics.p_WC - torus.o) / reach, 1, 1e-8);
    }
    EXPECT_LT(std::fabs(Dot(Cross(axis, middle), got.metrics.p_WC - torus.o)), 1e-9 * major);
  }
}

// Parts of a torus at any azimuths add up to it in every moment, over a floor in any place.
TEST(SliceTorus, SectorsAddUpInEveryMoment) {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const double major = random.LogUniform(0.01, 1), minor = major * random.LogUniform(0.02, 0.95);
    const Surface torus = MakeTorus(major, minor, random.RandomPose(0.2));
    Vec3 n = random.Direction();
    if (i % 4 == 0) n = Normalized(torus.R.Col(2) + random.LogUniform(1e-12, 0.1) * n);
    if (i % 4 == 1) n = Normalized(torus.R.Col(0) + random.LogUniform(1e-12, 0.1) * n);
    const double along = Dot(n, torus.R.Col(2));
    const double reach = major * Norm(n - along * torus.R.Col(2)) + minor;
    const double depth = random.LogUniform(1e-8, 2) * reach;
    const Surface floor = MakePlane(n, Dot(n, torus.o) - reach + depth);
    const Answer whole = Slice(torus, {floor}, 1e-9);
    ASSERT_TRUE(whole.result.accepted);
    EXPECT_LT(whole.result.error, (1e-9 + 1e-14 * major / depth) * whole.moments.v) << i;
    const double a0 = random.Uniform(0, 6), a1 = a0 + random.LogUniform(1e-3, 1) * kPi;
    const double a2 = random.Uniform(a0 + kPi, a1 + kPi), azimuths[] = {a0, a1, a2, a0 + 2 * kPi};
    Moments sum;
    for (int k = 0; k < 3; ++k) {
      const Answer part = Slice(SectorOf(torus, azimuths[k], azimuths[k + 1], true), {floor}, 1e-9);
      ASSERT_TRUE(part.result.accepted) << i;
      sum += part.moments;
    }
    const double v = whole.moments.v, size = std::cbrt(v);
    EXPECT_NEAR(sum.v / v, 1, 1e-11) << i;
    EXPECT_LT(Norm(sum.m - whole.moments.m), 1e-11 * major * v) << i;
    EXPECT_LT(Norm(sum.second.diag - whole.moments.second.diag), 1e-11 * major * major * v) << i;
    EXPECT_LT(Norm(sum.second.off - whole.moments.second.off), 1e-11 * major * major * v) << i;
    const double area = std::fmax(Norm(whole.moments.s), size * size);
    EXPECT_LT(Norm(sum.s - whole.moments.s), 1e-9 * area) << i;
    EXPECT_LT(Norm(sum.g - whole.moments.g), 1e-9 * major * area) << i;
  }
}

// −∂V/∂x = S and −∂V/∂θ = G of a sector whose sides are faces of its body.
TEST(SliceTorus, AreaVectorOfASectorIsTheGradientOfV) {
  Random random(8);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    const double minor = 0.3 * random.LogUniform(0.1, 0.9);
    const Surface torus = MakeTorus(0.3, minor, random.RandomPose(0.1));
    const double first = random.Uniform(0, 6);
    const std::vector<Surface> sector =
        SectorOf(torus, first, first + random.Uniform(0.1, 1) * kPi, false);
    const Vec3 n = random.Direction();
    const Surface plane = MakePlane(n, Dot(n, torus.o) + random.Uniform(-0.3, 0.3));
    const Answer got = Slice(sector, {plane}, 1e-9);
    ASSERT_TRUE(got.result.accepted);
    if (!(got.moments.v > 1e-6)) continue;
    ++compared;
    const double h = 1e-5, area = std::fmax(Norm(got.metrics.area_vector), 1e-3);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = h;
      const auto v = [&](const Vec3& dx, const Vec3& turn) {
        Pose X;
        X.R = intervox::testing::Turned(turn, X.R);
        X.p = got.metrics.p_WC - X.R * got.metrics.p_WC + dx;
        std::vector<Surface> moved;
        for (const Surface& s : sector) moved.push_back(X * s);
        return Slice(moved, {plane}, 1e-9).moments.v;
      };
      EXPECT_NEAR(-(v(e, {}) - v(-e, {})) / (2 * h), got.metrics.area_vector[axis], 1e-4 * area);
      EXPECT_NEAR(-(v({}, e) - v({}, -e)) / (2 * h), got.metrics.area_moment[axis], 1e-4 * area);
    }
  }
  EXPECT_GT(compared, 20);
}

// A sector that the floor and one of its sides cut is the column rule's answer, too. Sections of
// the column rule's own through planes are in a box around the overlap, and find all of it.
TEST(SliceTorus, SectorsAgreeWithColumns) {
  Random random(9);
  const geometry::Cell floor = intervox::testing::HalfSpaceCell({0, 0, 1}, 0);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    const double minor = 0.3 * random.LogUniform(0.05, 0.9);
    const std::vector<geometry::Cell> sectors =
        geometry::SplitHollows(intervox::testing::CellsOf(geometry::Torus{0.3, minor}));
    Pose X = random.RandomPose(0.5);
    X.p.z = 0.3 * std::sqrt(1 - X.R.Col(2).z * X.R.Col(2).z) + minor - random.LogUniform(1e-4, 0.3);
    for (const geometry::Cell& sector : sectors) {
      PairQuery query{&sector, &floor, X, {}, 1e-6};
      query.rule = LeafRule::kColumn;
      const InterferenceMetrics column = ComputeMetrics(query);
      if (column.status != Status::kOk) continue;
      query.rule = LeafRule::kSlice;
      const InterferenceMetrics m = ComputeMetrics(query);
      ASSERT_EQ(m.status, Status::kOk) << i;
      ++compared;
      const double size = std::cbrt(m.volume);
      const double area = std::fmax(Norm(m.area_vector), size * size);
      EXPECT_NEAR(m.volume / column.volume, 1, 2e-6) << i;
      EXPECT_LT(Norm(m.p_WC - column.p_WC), 2e-5 * size) << i;
      EXPECT_LT(Norm(m.area_vector - column.area_vector), 1e-4 * area) << i;
      EXPECT_LT(Norm(m.area_moment - column.area_moment), 1e-4 * size * area) << i;
    }
  }
  EXPECT_GT(compared, 40);
}

/** Some planes about a point of a torus that lies `depth` below its surface, and that point. */
struct PlanesAt {
  std::vector<Surface> planes;
  Vec3 point;
};
PlanesAt RandomPlanes(const Surface& torus, double depth, int count, Random* random) {
  const Vec3 across = DirectionAt(torus, random->Uniform(0, 6));
  const double tube = random->Uniform(0, 6);
  const Vec3 out = std::cos(tube) * across + std::sin(tube) * torus.R.Col(2);
  PlanesAt at{{}, torus.o + torus.e.x * across + (torus.e.y - depth) * out};
  for (int i = 0; i < count; ++i) {
    const Vec3 n = Normalized(1.2 * random->Direction() - out);
    at.planes.push_back(MakePlane(n, Dot(n, at.point) + random->Uniform(-0.2, 0.4) * depth));
  }
  return at;
}

// Between planes whose edges and corners lie in the tube, both sides of one more plane make the
// whole in every moment.
TEST(SliceTorus, BothSidesOfAPlaneBetweenOthers) {
  Random random(10);
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
    const double major = random.LogUniform(0.01, 1), minor = major * random.LogUniform(0.02, 0.95);
    const Surface torus = MakeTorus(major, minor, random.RandomPose(0.2));
    const double depth = minor * random.LogUniform(1e-5, 1.5);
    PlanesAt at = RandomPlanes(torus, depth, 1 + i % 6, &random);
    std::vector<Surface> solid{torus};
    if (i % 3 == 1) solid = SectorOf(torus, random.Uniform(0, 3), random.Uniform(3, 6), true);
    const Answer whole = Slice(solid, at.planes, 1e-9);
    ASSERT_TRUE(whole.result.accepted) << i;
    const Vec3 n = random.Direction();
    Surface plane = MakePlane(n, Dot(n, at.point) + random.Uniform(-0.5, 0.5) * depth);
    plane.cut = true;
    at.planes.push_back(plane);
    const Answer in = Slice(solid, at.planes, 1e-9);
    at.planes.back() = geometry::Complement(plane);
    const Answer out = Slice(solid, at.planes, 1e-9);
    ASSERT_TRUE(in.result.accepted && out.result.accepted) << i;
    if (!(whole.moments.v > 1e-12 * minor * minor * major)) continue;
    ++compared;
    Moments sum = in.moments;
    sum += out.moments;
    const double v = whole.moments.v, size = std::cbrt(v), noise = 1e-9 + 1e-14 * major / depth;
    EXPECT_NEAR(sum.v / v, 1, noise) << i;
    EXPECT_LT(Norm(sum.m - whole.moments.m), noise * major * v) << i;
    EXPECT_LT(Norm(sum.second.diag - whole.moments.second.diag), noise * major * major * v) << i;
    EXPECT_LT(Norm(sum.second.off - whole.moments.second.off), noise * major * major * v) << i;
    const double area = std::fmax(Norm(whole.moments.s), size * size);
    EXPECT_LT(Norm(sum.s - whole.moments.s), 10 * noise * area) << i;
    EXPECT_LT(Norm(sum.g - whole.moments.g), 10 * noise * major * area) << i;
  }
  EXPECT_GT(compared, 400);
}

// −∂V/∂x = S and −∂V/∂θ = G between several planes.
TEST(SliceTorus, AreaVectorBetweenPlanesIsTheGradientOfV) {
  Random random(11);
  int compared = 0;
  for (int i = 0; i < 80; ++i) {
    const double minor = 0.3 * random.LogUniform(0.1, 0.9), depth = minor * random.Uniform(0.1, 1);
    const Surface torus = MakeTorus(0.3, minor, random.RandomPose(0.1));
    const PlanesAt at = RandomPlanes(torus, depth, 2 + i % 4, &random);
    const Answer got = Slice(torus, at.planes, 1e-9);
    ASSERT_TRUE(got.result.accepted);
    if (!(got.moments.v > 1e-7)) continue;
    ++compared;
    const double h = 3e-6, area = std::fmax(Norm(got.metrics.area_vector), 1e-4);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = h;
      const auto v = [&](const Vec3& dx, const Vec3& turn) {
        Pose X;
        X.R = intervox::testing::Turned(turn, X.R);
        X.p = got.metrics.p_WC - X.R * got.metrics.p_WC + dx;
        return Slice(X * torus, at.planes, 1e-9).moments.v;
      };
      EXPECT_NEAR(-(v(e, {}) - v(-e, {})) / (2 * h), got.metrics.area_vector[axis], 1e-4 * area);
      EXPECT_NEAR(-(v({}, e) - v({}, -e)) / (2 * h), got.metrics.area_moment[axis], 1e-4 * area);
    }
  }
  EXPECT_GT(compared, 30);
}

// A cell of the solver's against a convex body, the same in another frame and in another order.
TEST(SliceTorus, SectorOnABoxMovedAndSwapped) {
  Random random(12);
  const geometry::Cell box = intervox::testing::BoxCell({0.4, 0.3, 0.2});
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const double minor = 0.3 * random.LogUniform(0.05, 0.9);
    const std::vector<geometry::Cell> sectors =
        geometry::SplitHollows(intervox::testing::CellsOf(geometry::Torus{0.3, minor}));
    const geometry::Cell& sector = sectors[static_cast<std::size_t>(i) % sectors.size()];
    const Pose X_A = random.RandomPose(0.3), X_B = random.RandomPose(0.1),
               X = random.RandomPose(0.3);
    const PairQuery query{&sector, &box, X_A, X_B, 1e-9};
    const InterferenceMetrics m = ComputeMetrics(query);
    if (!(m.volume > 1e-9)) continue;
    ++compared;
    EXPECT_EQ(m.rule, LeafRule::kSlice) << i;
    const InterferenceMetrics moved = ComputeMetrics({&sector, &box, X * X_A, X * X_B, 1e-9});
    EXPECT_NEAR(moved.volume / m.volume, 1, 1e-9) << i;
    EXPECT_LT(Norm(moved.p_WC - X * m.p_WC), 1e-9) << i;
    EXPECT_LT(Norm(moved.area_vector - X.R * m.area_vector), 1e-8) << i;
    const InterferenceMetrics swapped = ComputeMetrics({&box, &sector, X_B, X_A, 1e-9});
    EXPECT_NEAR(swapped.volume / m.volume, 1, 1e-9) << i;
    EXPECT_LT(Norm(swapped.area_vector + m.area_vector), 1e-8) << i;
  }
  EXPECT_GT(compared, 50);
}

/** A ball that reaches `depth` into the tube of a torus from a random side, and its centre. */
Surface RandomBall(const Surface& torus, double radius, double depth, Random* random) {
  const Vec3 across = DirectionAt(torus, random->Uniform(0, 6));
  const double tube = random->Uniform(0, 6);
  const Vec3 out = std::cos(tube) * across + std::sin(tube) * torus.R.Col(2);
  const Vec3 centre = torus.o + torus.e.x * across + (torus.e.y + radius - depth) * out;
  return geometry::MakeEllipsoid({radius, radius, radius}, {Mat3::Identity(), centre});
}

// A ball that holds a torus, or lies in its tube, and one about the axis: V = 2π ∫∫ r dr dz over
// the lens of two discs, by Pappus.
TEST(SliceTorus, BallsByPappus) {
  const double R = 0.3, a = 0.1, whole = 2 * kPi * kPi * R * a * a;
  const Surface torus = MakeTorus(R, a);
  const auto ball = [](double radius, const Vec3& centre) {
    return geometry::MakeEllipsoid({radius, radius, radius}, {Mat3::Identity(), centre});
  };
  EXPECT_NEAR(Slice(torus, {ball(0.5, {0.02, 0.03, 0.01})}).moments.v / whole, 1, 1e-12);
  const double b = 0.04;
  EXPECT_NEAR(Slice(torus, {ball(b, {0, R + 0.03, 0.02})}).moments.v / (4 * kPi / 3 * b * b * b), 1,
              1e-9);
  EXPECT_EQ(Slice(torus, {ball(0.19, {})}).moments.v, 0);
  const double radius = std::sqrt(R * R + a * a);
  const Answer concentric = Slice(torus, {ball(radius, {})}, 1e-10);
  double v = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double z = -a + (i + 0.5) * 2 * a / n;
    const double in = R - std::sqrt(a * a - z * z);
    const double out = std::fmin(R + std::sqrt(a * a - z * z), std::sqrt(radius * radius - z * z));
    if (out > in) v += kPi * (out * out - in * in) * 2 * a / n;
  }
  EXPECT_NEAR(concentric.moments.v / v, 1, 1e-6);
}

// Both sides of a plane through the axis make the whole in every moment.
TEST(SliceTorus, SectorsInABall) {
  Random random(13);
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    const double major = random.LogUniform(0.01, 1), minor = major * random.LogUniform(0.02, 0.95);
    const Surface torus = MakeTorus(major, minor, random.RandomPose(0.2));
    const double radius = major * random.LogUniform(0.02, 3);
    const double depth = std::fmin(minor, radius) * random.LogUniform(1e-6, 1.5);
    const Surface ball = RandomBall(torus, radius, depth, &random);
    const Answer whole = Slice(torus, {ball}, 1e-9);
    ASSERT_TRUE(whole.result.accepted) << i;
    const Vec3 arm = ball.o - torus.o;
    const double towards = std::atan2(Dot(torus.R.Col(1), arm), Dot(torus.R.Col(0), arm));
    const double a0 = towards + random.Uniform(-1, 1) * std::sqrt(depth / major);
    const double azimuths[] = {a0, a0 + random.Uniform(1, 3), a0 + 4, a0 + 2 * kPi};
    Moments sum;
    for (int k = 0; k < 3; ++k) {
      const Answer part = Slice(SectorOf(torus, azimuths[k], azimuths[k + 1], true), {ball}, 1e-9);
      ASSERT_TRUE(part.result.accepted) << i;
      sum += part.moments;
    }
    const double v = whole.moments.v, size = std::cbrt(v);
    if (!(v > 0)) continue;
    ++compared;
    const double noise = 1e-9 + 1e-14 * (major + radius) / depth;
    EXPECT_NEAR(sum.v / v, 1, noise) << i;
    EXPECT_LT(Norm(sum.m - whole.moments.m), noise * major * v) << i;
    EXPECT_LT(Norm(sum.second.diag - whole.moments.second.diag), noise * major * major * v) << i;
    EXPECT_LT(Norm(sum.second.off - whole.moments.second.off), noise * major * major * v) << i;
    const double area = std::fmax(Norm(whole.moments.s), size * size);
    EXPECT_LT(Norm(sum.s - whole.moments.s), 10 * noise * area) << i;
    EXPECT_LT(Norm(sum.g - whole.moments.g), 10 * noise * (major + radius) * area) << i;
  }
  EXPECT_GT(compared, 900);
}

// What a ball has in the tube and beyond it, between random faces about the axis.
TEST(SliceTorus, BallsInTubeAndGrooveAreWhole) {
  Random random(16);
  int compared = 0, cut = 0;
  for (int i = 0; i < 300; ++i) {
    const double major = 0.4, minor = major * random.LogUniform(0.05, 0.6);
    const Pose X = random.RandomPose(0.2);
    const Surface torus = MakeTorus(major, minor, X);
    const double radius =
        minor * (i % 2 == 0 ? random.Uniform(0.8, 0.999) : random.LogUniform(0.1, 2));
    const double depth = 2 * std::fmin(minor, radius) * random.LogUniform(1e-4, 1);
    const Vec3 across = DirectionAt(torus, random.Uniform(0, 6));
    const double tube = random.Uniform(0, 6), place = minor - radius + depth;
    const Vec3 out_of_tube = std::cos(tube) * across + std::sin(tube) * torus.R.Col(2);
    const Vec3 centre = torus.o + major * across + place * out_of_tube;
    const Surface ball =
        geometry::MakeEllipsoid({radius, radius, radius}, {Mat3::Identity(), centre});
    const Answer in = Slice(torus, {ball}, 1e-9);
    const Answer out = Slice(geometry::Complement(torus), {ball}, 1e-9);
    if (!in.result.accepted || !out.result.accepted) continue;
    ++compared;
    const double v = 4 * kPi / 3 * radius * radius * radius;
    EXPECT_NEAR((in.moments.v + out.moments.v) / v, 1, 1e-9) << i;
    Vec3 first;
    double second = 0.0;
    for (const Answer& part : {in, out}) {
      const Vec3 arm = part.metrics.p_WC - ball.o;
      first += part.moments.v * arm;
      second += 0.5 * Trace(part.metrics.J_W) + part.moments.v * SquaredNorm(arm);
    }
    EXPECT_LT(Norm(first), 1e-9 * radius * v) << i;
    EXPECT_NEAR(second / v, 0.6 * radius * radius, 1e-9 * radius * radius) << i;
    // A face through the crescent, and both of its sides.
    const double turn = random.Uniform(0, 6), at = random.Uniform(-1, 1) * depth;
    const Vec3 point = centre + at * torus.R.Col(2);
    const double r = Dot(point - torus.o, across), z = Dot(point - torus.o, torus.R.Col(2));
    const double slope = std::fabs(std::tan(turn));
    const Surface cone =
        geometry::MakeCone(slope, 1.0, X * Pose{Mat3::Identity(), {0, 0, z - r / slope}});
    double v_of_sides = 0.0;
    Vec3 first_of_sides;
    bool all = true;
    for (const Surface& side : {cone, geometry::Complement(cone)}) {
      const Answer part = Slice({geometry::Complement(torus), side}, {ball}, 1e-9);
      all = all && part.result.accepted;
      v_of_sides += part.moments.v;
      if (part.moments.v > 0) first_of_sides += part.moments.v * (part.metrics.p_WC - ball.o);
    }
    if (!all) continue;
    ++cut;
    EXPECT_NEAR(v_of_sides, out.moments.v, 1e-9 * v) << i;
    EXPECT_LT(Norm(first_of_sides - out.moments.v * (out.metrics.p_WC - ball.o)), 1e-9 * radius * v)
        << i;
  }
  EXPECT_GT(cut, 150);
  EXPECT_GT(compared, 200);
}

/** The race of a bearing, outside its balls or within, with a groove of the radius a about z = 0.
 */
geometry::Revolve Race(bool outer, double a, double half, double r) {
  const double bulge = -std::tan(0.5 * std::asin(half / a)), h = half + 0.02, wall = 1.5 * a;
  if (outer) {
    return {{{r, -h, 0},
             {r + wall, -h, 0},
             {r + wall, 2 * h, 0},
             {r, 2 * h, 0},
             {r, half, bulge},
             {r, -half, 0}}};
  }
  return {{{r - wall, -h, 0},
           {r, -h, 0},
           {r, -half, bulge},
           {r, half, 0},
           {r, 2 * h, 0},
           {r - wall, 2 * h, 0}}};
}

// Balls in the races of bearings, which cells divide beside the deepest place: some faces are cuts.
TEST(SliceTorus, BallsInRacesAgreeWithColumns) {
  Random random(17);
  int compared = 0, refused = 0;
  for (int i = 0; i < 16; ++i) {
    const bool outer = i % 2 == 1;
    const double a = random.LogUniform(0.02, 0.2), half = a * random.Uniform(0.3, 0.9);
    const double r = random.Uniform(0.4, 0.6), bow = std::sqrt(a * a - half * half);
    std::vector<geometry::Cell> cells = intervox::testing::CellsOf(Race(outer, a, half, r));
    if (i % 4 < 2) cells = geometry::SplitHollows(cells);
    const double radius = a * random.Uniform(0.85, 0.999),
                 depth = a * random.LogUniform(1e-5, 0.02);
    const double turn = random.Uniform(-0.8, 0.8) * std::asin(half / a), place = a - radius + depth;
    const double sense = outer ? 1.0 : -1.0;
    const double at = r - sense * bow + sense * place * std::cos(turn);
    const double azimuth = i % 3 == 0 ? kPi / 4 : random.Uniform(0, 6);
    const geometry::Cell ball = intervox::testing::CellsOf(geometry::Sphere{radius})[0];
    const Pose X = random.RandomPose(0.5);
    const Pose Y =
        X * Pose{Mat3::Identity(),
                 {at * std::cos(azimuth), at * std::sin(azimuth), place * std::sin(turn)}};
    if (i % 4 == 2) {
      // A slanted plane through the ball's contact, which the rule refuses, and one beside it.
      const Vec3 touch{at * std::cos(azimuth), at * std::sin(azimuth), place * std::sin(turn)};
      const Vec3 n = random.Direction();
      const double beside = i % 8 == 2 ? 0.0 : 1.2 * radius;
      std::vector<geometry::Cell> halves;
      for (const geometry::Cell& cell : cells) {
        const Surface plane = MakePlane(n, Dot(n, touch) + beside);
        for (geometry::Cell& half : geometry::Halves(cell, plane))
          halves.push_back(std::move(half));
      }
      cells = std::move(halves);
    }
    for (geometry::Cell& cell : cells) {
      for (Surface& s : cell.surfaces) s.cut = i % 4 == 3 && random.Uniform(0, 1) < 0.3;
      PairQuery query{&cell, &ball, X, Y, 1e-6};
      const auto [both, column, m] = intervox::testing::AskBoth(query, &refused);
      if (!both) continue;
      ++compared;
      SCOPED_TRACE(::testing::Message() << i);
      const double v = column.volume;
      EXPECT_LT(std::fabs(m.volume - v), m.volume_error + column.volume_error + 1e-7 * v);
      intervox::testing::ExpectSameMoments(m, column, {1e-4, 1e-4, 1e-4 * radius, 1e-4});
    }
  }
  EXPECT_GT(compared, 16);
  EXPECT_LT(refused, compared);
}

// −∂V/∂x = S for motions of the ball, and about its centre it cannot be turned.
TEST(SliceTorus, AreaVectorInABallIsTheGradientOfV) {
  Random random(14);
  for (int i = 0; i < 60; ++i) {
    const double minor = 0.3 * random.LogUniform(0.1, 0.9), radius = random.LogUniform(0.03, 1);
    const Surface torus = MakeTorus(0.3, minor, random.RandomPose(0.1));
    const double depth = std::fmin(minor, radius) * random.LogUniform(1e-2, 1);
    const Surface ball = RandomBall(torus, radius, depth, &random);
    const Answer got = Slice(torus, {ball}, 1e-9);
    ASSERT_TRUE(got.result.accepted && got.moments.v > 0);
    const double h = 1e-4 * depth, size = Norm(got.metrics.area_vector);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = h;
      const auto v = [&](const Vec3& dx) {
        return Slice(torus, {Pose{Mat3::Identity(), dx} * ball}, 1e-11).moments.v;
      };
      EXPECT_NEAR((v(e) - v(-e)) / (2 * h), got.metrics.area_vector[axis], 1e-5 * size) << i;
    }
    const Vec3 about_ball =
        got.metrics.area_moment - Cross(ball.o - got.metrics.p_WC, got.metrics.area_vector);
    EXPECT_LT(Norm(about_ball), 1e-9 * radius * size) << i;
  }
}

// The same by columns, in the solver's cells.
TEST(SliceTorus, BallsAgreeWithColumns) {
  Random random(15);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    const double minor = 0.3 * random.LogUniform(0.05, 0.9), radius = random.LogUniform(0.03, 1);
    const std::vector<geometry::Cell> sectors =
        geometry::SplitHollows(intervox::testing::CellsOf(geometry::Torus{0.3, minor}));
    const geometry::Cell ball = intervox::testing::CellsOf(geometry::Sphere{radius})[0];
    const Pose X = random.RandomPose(0.5);
    const Surface at = RandomBall(MakeTorus(0.3, minor, X), radius,
                                  std::fmin(minor, radius) * random.Uniform(0.1, 1), &random);
    for (const geometry::Cell& sector : sectors) {
      PairQuery query{&sector, &ball, X, {Mat3::Identity(), at.o}, 1e-6};
      const InterferenceMetrics m = ComputeMetrics(query);
      query.rule = LeafRule::kColumn;
      const InterferenceMetrics column = ComputeMetrics(query);
      if (column.status != Status::kOk || m.contained) continue;
      EXPECT_EQ(m.rule, LeafRule::kSlice) << i;
      ++compared;
      const double size = std::cbrt(m.volume);
      EXPECT_NEAR(m.volume / column.volume, 1, 2e-6) << i;
      EXPECT_LT(Norm(m.p_WC - column.p_WC), 2e-5 * size) << i;
    }
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace intervox::cuda
