/** @file The slice rule against closed forms, the column rule, asymptotes and the gradient of V. */
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "tests/cuda/families.h"
#include "tests/cuda/on_a_floor.h"

namespace intervox {
namespace {

using testing::CellsOf;
using testing::LowestPoint;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

/** The first cell of an operation on two primitives along z. */
geometry::Cell Combined(geometry::Operation operation, const geometry::Primitive& first,
                        double first_z, const geometry::Primitive& second, double second_z) {
  using geometry::Leaf;
  return geometry::ToCells(
      *geometry::Tree(operation, {Leaf(first, {Mat3::Identity(), {0, 0, first_z}}),
                                  Leaf(second, {Mat3::Identity(), {0, 0, second_z}})}))[0];
}

/** A random cell of revolution, of about the size 1. */
geometry::Cell RandomTurned(int kind, Random* random) {
  using geometry::Operation;
  const double r = random->LogUniform(0.02, 1.0), h = random->LogUniform(0.02, 1.0);
  switch (kind) {
    case 0:
      return CellsOf(geometry::Cylinder{r, h})[0];
    case 1:
      return CellsOf(geometry::Cone{r, 0.0, h})[0];
    case 2:
      return CellsOf(geometry::Cone{r, random->Uniform(0.1, 0.9) * r, h})[0];
    case 3:
      return CellsOf(geometry::Torus{r, random->Uniform(0.05, 0.9) * r})[0];
    case 4:
      return CellsOf(geometry::Capsule{r, h})[static_cast<std::size_t>(random->Uniform(0, 2.99))];
    case 5:  // a tube, inside and out
      return Combined(Operation::kDifference, geometry::Cylinder{r, h}, 0,
                      geometry::Cylinder{random->Uniform(0.1, 0.9) * r, 2 * h}, 0);
    case 6:  // a spheroid without its top
      return Combined(Operation::kIntersection, geometry::Ellipsoid{{r, r, h}}, 0,
                      geometry::HalfSpace{{0, 0, 1}, random->Uniform(-0.5, 0.5) * h}, 0);
    default:  // a lens
      return Combined(Operation::kIntersection, geometry::Sphere{r}, 0.5 * r,
                      geometry::Sphere{1.2 * r}, -0.6 * r);
  }
}
constexpr int kKinds = 8;

TEST(SliceRule, AgreesWithColumns) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(71);
  int compared[kKinds] = {};
  for (int i = 0; i < 12 * kKinds; ++i) {
    const int kind = i % kKinds;
    const geometry::Cell cell = RandomTurned(kind, &random);
    const Mat3 R = random.Rotation();
    const double top = LowestPoint({&cell, 1}, R, floor);
    const Pose X = random.RandomPose(1.0);
    PairQuery query{&cell, &floor, X * Pose{R, {0, 0, top - random.LogUniform(1e-4, 1.0)}}, X};
    query.tolerance = 1e-6;
    query.rule = LeafRule::kColumn;
    const InterferenceMetrics column = ComputeMetrics(query);
    if (column.status != Status::kOk) continue;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    if (m.status == Status::kToleranceNotMet && m.volume_error > m.volume) continue;  // refused
    ASSERT_EQ(m.status, Status::kOk) << i << ' ' << m.volume << ' ' << column.volume;
    ++compared[kind];
    SCOPED_TRACE(i);
    EXPECT_NEAR(m.volume / column.volume, 1, 2e-6);
    testing::ExpectSameMoments(m, column, {2e-5, 2e-5, 1e-4 * std::cbrt(column.volume), 2e-5});
  }
  for (int kind = 0; kind < kKinds; ++kind) EXPECT_GT(compared[kind], 5) << kind;
}

// A cylinder on its side: the segment's area times the length, down to 1e-13 of the radius.
TEST(SliceRule, CylinderOnItsSide) {
  const double R = 0.3, L = 1.4;
  const geometry::Cell cell = CellsOf(geometry::Cylinder{R, L})[0];
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  const Mat3 onto_side{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (double h = 0.55; h > 1e-13; h *= 0.3) {
    PairQuery query{&cell, &floor, {onto_side, {0.2, 0.1, R - h}}, {}};
    query.tolerance = 1e-9;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    const double c = R - query.X_WA.p.z;  // what rounding leaves of h
    // 4 c √(2Rc) Σ binom(½, k) (−u)^k / (2k + 3)
    const double u = 0.5 * c / R;
    const double series = 1.0 / 3 - u * (0.1 + u * (1.0 / 56 + u * (1.0 / 144 + u * 5.0 / 1408)));
    const double exact =
        u < 0.02 ? 4 * c * std::sqrt(2 * R * c) * series
                 : R * R * std::acos((R - c) / R) - (R - c) * std::sqrt(c * (2 * R - c));
    EXPECT_NEAR(m.volume / (exact * L), 1, 1e-9 + 1e-15 / h) << h;
    EXPECT_NEAR(m.area_vector.z / (2 * std::sqrt(c * (2 * R - c)) * L), 1, 1e-9 + 1e-15 / h) << h;
  }
}

// Archimedes' hoof: a plane through a diameter of the base takes ⅔ R² H of a cylinder.
TEST(SliceRule, ArchimedesHoof) {
  Random random(72);
  for (int i = 0; i < 50; ++i) {
    const double R = random.LogUniform(0.01, 1), H = random.LogUniform(1e-8, 1);
    const geometry::Cell cell = CellsOf(geometry::Cylinder{R, 4.0})[0];
    const Vec3 n = Normalized(Vec3{-H / R, 0, 1});
    const geometry::Cell floor = CellsOf(geometry::HalfSpace{n, Dot(n, {0, 0, -2})})[0];
    const Pose X = random.RandomPose(0.1);
    PairQuery query{&cell, &floor, X, X};
    query.tolerance = 1e-9;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    EXPECT_NEAR(m.volume / (2.0 / 3 * R * R * H), 1, 1e-10 + 3e-14 / H) << R << ' ' << H;
  }
}

// A plane cuts an elliptic cone off a cone: π/3 a b d, d the apex' distance from the plane.
TEST(SliceRule, TipOfACone) {
  Random random(73);
  for (int i = 0; i < 50; ++i) {
    const double slope = random.LogUniform(0.05, 5), half = std::atan(slope);
    const double tilt = random.Uniform(0, 0.98) * (0.5 * kPi - half);
    const geometry::Cell cell = CellsOf(geometry::Cone{0.0, slope, 1.0})[0];  // apex at z = −½
    const double s = std::sin(tilt), c = std::cos(tilt);
    const double shrink = 1 - (slope * s / c) * (slope * s / c);
    const double d = 0.4 * random.LogUniform(1e-9, 1) * (c - slope * s);
    const geometry::Cell floor =
        CellsOf(geometry::HalfSpace{{s, 0, c}, Dot(Vec3{s, 0, c}, {0, 0, -0.5}) + d})[0];
    const Pose X = random.RandomPose(0.1);
    PairQuery query{&cell, &floor, X, X};
    query.tolerance = 1e-9;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    const double h = d / c;  // where the plane meets the axis
    const double major = slope * h / c / shrink, minor = slope * h / std::sqrt(shrink);
    EXPECT_NEAR(m.volume / (kPi / 3 * major * minor * d), 1, 1e-9 + 3e-14 / d)
        << slope << ' ' << tilt << ' ' << d;
  }
}

// A cone that lies on its side ε deep: V = ∫ 4/3 √(2 r/c) ε^{3/2} dl along the generator, c the
// cosine of the half angle, but for a share ε/R near the apex.
TEST(SliceRule, ConeOnItsSide) {
  const double k = 0.5, H = 0.8, cosine = 1 / std::sqrt(1 + k * k), sine = k * cosine;
  const geometry::Cell cell = CellsOf(geometry::Cone{0.0, k * H, H})[0];  // apex at −H/2
  for (double depth = 1e-6; depth > 1e-13; depth *= 0.1) {
    // The side at −x lies on the plane n·x = offset; the half-space reaches above it.
    const Vec3 n{cosine, 0, sine};
    const geometry::Cell floor =
        CellsOf(geometry::HalfSpace{n, Dot(n, {0, 0, -0.5 * H}) + depth})[0];
    PairQuery query{&cell, &floor, {}, {}};
    query.tolerance = 1e-9;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    const double L = H / cosine;
    // Radius of curvature across the generator at the distance l from the apex: l k.
    const double exact =
        4.0 / 3 * std::sqrt(2 * k) * depth * std::sqrt(depth) * (2.0 / 3) * L * std::sqrt(L);
    EXPECT_NEAR(m.volume / exact, 1, 1e-3 * std::sqrt(depth / 1e-6) + 1e-15 / depth) << depth;
  }
}

// Over a box the rule answers where one face cuts alone, and refuses where an edge does, too.
TEST(SliceRule, OverABox) {
  const geometry::Cell box = testing::BoxCell({1, 1, 1});
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{{0, 0, 1}, 0.5})[0];
  Random random(75);
  int alone = 0, refused = 0;
  for (int i = 0; i < 40 * kKinds; ++i) {
    const geometry::Cell cell = RandomTurned(i % kKinds, &random);
    const Mat3 R = random.Rotation();
    const double top = LowestPoint({&cell, 1}, R, floor), depth = random.LogUniform(1e-9, 1e-2);
    const Pose X = random.RandomPose(1.0);
    const Pose X_box{R, {random.Uniform(-0.6, 0.6), random.Uniform(-0.6, 0.6), top - depth}};
    PairQuery query{&cell, &box, X * X_box, X};
    query.tolerance = 1e-6;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    if (m.status == Status::kToleranceNotMet && m.volume == 0) {
      ++refused;
      continue;
    }
    if (m.status != Status::kOk) continue;
    ++alone;
    // Below the rounding of positions rules may differ.
    if (depth < 1e-6) continue;
    query.rule = LeafRule::kColumn;
    const InterferenceMetrics column = ComputeMetrics(query);
    if (column.status != Status::kOk) continue;
    EXPECT_NEAR(m.volume / column.volume, 1, 3e-6) << i << ' ' << depth;
  }
  EXPECT_GT(alone, 100);
  EXPECT_GT(refused, 5);
}

// A second plane that leaves only the tip of the overlap, between its end and the last node, leaves
// something.
TEST(SliceRule, TheTipOfAnOverlap) {
  const geometry::Cell spheroid = CellsOf(geometry::Ellipsoid{{0.5, 0.3, 0.3}})[0];
  Random random(77);
  for (int i = 0; i < 50; ++i) {
    const double depth = random.LogUniform(1e-6, 1e-2);
    const double z = 0.3 - depth, tip = 0.5 * std::sqrt((0.3 - z) * (0.3 + z)) / 0.3;
    const double left = random.LogUniform(1e-8, 1e-3) * tip;
    geometry::HalfSpaces corner;
    corner.half_spaces = {{{0, 0, 1}, -z}, {Normalized(Vec3{-1, 0, 0.1}), 0.0}};
    corner.half_spaces[1].offset = Dot(corner.half_spaces[1].normal, Vec3{tip - left, 0, -z});
    const geometry::Cell cell = CellsOf(corner)[0];
    PairQuery query{&spheroid, &cell, {}, {}};
    EXPECT_GT(ComputeMetrics(query).volume_hi, 0) << depth << ' ' << left / tip;
    query.rule = LeafRule::kSlice;
    const InterferenceMetrics m = ComputeMetrics(query);
    EXPECT_TRUE(m.status == Status::kToleranceNotMet || m.volume > 0) << depth << ' ' << left / tip;
  }
}

// A plate with a hole is no solid of revolution: planes bound it outside.
TEST(SliceRule, RefusesAPlateWithAHole) {
  const geometry::Cell plate = testing::HoledBoxCells({1, 1, 0.5}, 0.25)[0];
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  PairQuery query{&plate, &floor, {}, {}};
  EXPECT_NEAR(ComputeMetrics(query).volume, 0.25 * (1 - kPi * 0.0625), 1e-9);
  query.rule = LeafRule::kSlice;
  EXPECT_EQ(ComputeMetrics(query).status, Status::kToleranceNotMet);
}

// Above a groove's walls there is nothing, whichever wall is tried first.
TEST(SliceRule, AboveAGroove) {
  geometry::HalfSpaces wedge;
  wedge.half_spaces = {{{-0.6, 0, 0.8}, 0.0}, {{0.6, 0, 0.8}, 0.0}};
  const geometry::Cell ridge = CellsOf(wedge)[0];
  Random random(76);
  int apart = 0, touching = 0;
  for (int i = 0; i < 20 * kKinds; ++i) {
    const geometry::Cell cell = RandomTurned(i % kKinds, &random);
    const Mat3 R = random.Rotation();
    const geometry::Cell side = CellsOf(geometry::HalfSpace{{0.6, 0, 0.8}, 0.0})[0];
    PairQuery query{&cell, &side, {}, {}};
    query.X_WA = {R, {}};
    const double top = LowestPoint({&cell, 1}, R, side);
    const double depth = (i % 2 == 0 ? -1 : 1) * random.LogUniform(1e-9, 1e-2);
    query.X_WA.p = {0.5, 0, top - depth};
    query.rule = LeafRule::kSlice;
    // Moved along the side's slope by 0.5, which turns the height by 0.6 / 0.8 of it.
    query.X_WA.p.z -= 0.5 * 0.6 / 0.8;
    const double half_space = ComputeMetrics(query).volume;
    query.b = &ridge;
    const InterferenceMetrics m = ComputeMetrics(query);
    if (m.status == Status::kToleranceNotMet) continue;
    if (depth < 0) {
      ++apart;
      EXPECT_EQ(m.volume, 0) << i;
    } else {
      ++touching;
      EXPECT_LE(m.volume, half_space * (1 + 1e-6)) << i;
    }
  }
  EXPECT_GT(apart, 30);
  EXPECT_GT(touching, 30);
}

// −∂V/∂x = S and −∂V/∂θ = G about the centroid's point, for motions of the cell.
TEST(SliceRule, AreaVectorIsTheGradient) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(74);
  int compared = 0;
  for (int i = 0; i < 10 * kKinds; ++i) {
    if (i % kKinds == 4) continue;  // a piece of a capsule: its cut faces are not in S
    const geometry::Cell cell = RandomTurned(i % kKinds, &random);
    const Mat3 R = random.Rotation();
    const double top = LowestPoint({&cell, 1}, R, floor);
    const double depth = random.LogUniform(1e-3, 0.3);
    PairQuery query{&cell, &floor, {R, {0, 0, top - depth}}, {}};
    query.rule = LeafRule::kSlice;
    query.tolerance = 1e-9;
    const InterferenceMetrics m = ComputeMetrics(query);
    if (m.status != Status::kOk || m.contained) continue;
    ++compared;
    const double step = 1e-5 * depth;
    const auto moved = [&](const Vec3& dx, const Vec3& turn) {
      PairQuery other = query;
      const Mat3 T = ToRotation(Normalized(Quaternion{1, turn.x, turn.y, turn.z}));
      other.X_WA = {T * R, m.p_WC + T * (query.X_WA.p - m.p_WC) + dx};
      return ComputeMetrics(other).volume;
    };
    const double size = std::cbrt(m.volume);
    for (const Vec3& e : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      const double force = (moved(step * e, {}) - moved(-step * e, {})) / (2 * step);
      EXPECT_NEAR(-force, Dot(e, m.area_vector), 1e-4 * Norm(m.area_vector)) << i;
      const double angle = 1e-5 * depth;
      const double torque =
          (moved({}, 0.5 * angle * e) - moved({}, -0.5 * angle * e)) / (2 * angle);
      EXPECT_NEAR(-torque, Dot(e, m.area_moment), 1e-3 * size * Norm(m.area_vector)) << i;
    }
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace intervox
