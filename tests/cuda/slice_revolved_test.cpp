/** @file Rounded solids of revolution on a plane: slices across the axis against closed forms,
 columns, and the gradient of V. */
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
constexpr double kQuarter = 0.41421356237309503;  // bulge of a quarter of a circle

/** A cup: its foot rounded outside and within, of about the size 1. */
geometry::Revolve RandomCup(Random* random) {
  const double height = random->LogUniform(0.2, 1.0), wall = random->Uniform(0.02, 0.1);
  const double outside = random->LogUniform(0.01, 0.15), within = random->LogUniform(0.01, 0.1);
  const double radius = outside + 2 * within + wall + random->LogUniform(0.01, 0.5);
  const double inner = radius - wall, floor = random->Uniform(0.02, 0.1);
  return {{{0.0, 0.0, 0.0},
           {radius - outside, 0.0, kQuarter},
           {radius, outside, 0.0},
           {radius, height, 0.0},
           {inner, height, 0.0},
           {inner, floor + within, -kQuarter},
           {inner - within, floor, 0.0},
           {0.0, floor, 0.0}}};
}

/** A pin with a round collar and a round groove. */
geometry::Revolve RandomPin(Random* random) {
  const double collar = random->LogUniform(0.01, 0.15), groove = random->LogUniform(0.01, 0.1);
  const double r = random->Uniform(0.3, 0.5);
  return {{{0.0, 0.0, 0.0},
           {r, 0.0, random->Uniform(0.4, 1.0)},
           {r, 2 * collar, 0.0},
           {r, 2 * collar + 0.1, -random->Uniform(0.4, 1.0)},
           {r, 2 * collar + 0.1 + 2 * groove, 0.0},
           {random->Uniform(0.3, 1.0) * r, 2 * collar + 0.3 + 2 * groove, 0.0},
           {0.0, 2 * collar + 0.3 + 2 * groove, 0.0}}};
}

std::vector<geometry::Cell> RandomPart(Random* random) {
  return random->Uniform(0, 1) < 0.5 ? CellsOf(RandomCup(random)) : CellsOf(RandomPin(random));
}

bool HasTorus(const geometry::Cell& cell) {
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.kind == geometry::SurfaceKind::kTorus) return true;
  }
  return false;
}

TEST(SliceRevolved, FootOnAFloorIsAClosedForm) {
  const double r = 0.34, a = 0.06;
  const geometry::Revolve foot{
      {{0.0, 0.0, 0.0}, {r, 0.0, kQuarter}, {r + a, a, 0.0}, {r + a, 0.9, 0.0}, {0.0, 0.9, 0.0}}};
  const std::vector<geometry::Cell> cells = CellsOf(foot);
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  for (double depth = a; depth > 1e-12; depth *= 0.1) {
    double v = 0.0, first = 0.0;
    Vec3 S;
    for (const geometry::Cell& cell : cells) {
      PairQuery query{&cell, &floor, {Mat3::Identity(), {0.1, 0.2, -depth}}, {}};
      query.tolerance = 1e-6;
      const InterferenceMetrics m = ComputeMetrics(query);
      // Of columns there are thousands. They are asked where positions round by 1e-6 of the depth.
      EXPECT_TRUE(m.work < 100 || depth < 1e-10) << depth;
      v += m.volume;
      first += m.volume * m.p_WC.z;
      S += m.area_vector;
    }
    // r(z) = r + w with w² = a² − (a − z)²: ∫ (r² + 2 r w + w²) dz.
    const double angle = 2 * std::asin(std::sqrt(0.5 * depth / a));
    const double w = a * (angle - std::sin(angle) * std::cos(angle)) / 2 * a;  // ∫ w dz
    const double exact =
        kPi * (r * r * depth + 2 * r * w + a * depth * depth - depth * depth * depth / 3);
    // Positions round to 1e-17 m.
    EXPECT_NEAR(v / exact, 1, 1e-6 + 5e-17 / depth) << depth;
    const double radius = r + std::sqrt(depth * (2 * a - depth));
    EXPECT_NEAR(S.z / (kPi * radius * radius), 1, 1e-6) << depth;
    EXPECT_LT(first / v, -0.45 * depth);
    EXPECT_GT(first / v, -0.55 * depth);
  }
}

// Some faces are cuts, which count nothing in S and G.
TEST(SliceRevolved, CellsAgreeWithColumns) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(81);
  int compared = 0, refused = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<geometry::Cell> cells = RandomPart(&random);
    const Mat3 R = i % 5 == 0 ? Mat3::Identity() : random.Rotation();
    const double top = LowestPoint(cells, R, floor);
    const double depth = random.LogUniform(1e-6, 1.0);
    const Pose X = random.RandomPose(1.0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!HasTorus(cells[c])) continue;
      geometry::Cell cell = cells[c];
      for (geometry::Surface& s : cell.surfaces) s.cut = random.Uniform(0, 1) < 0.3;
      PairQuery query{&cell, &floor, X * Pose{R, {0, 0, top - depth}}, X};
      query.tolerance = 1e-6;
      query.rule = LeafRule::kColumn;
      const InterferenceMetrics column = ComputeMetrics(query);
      if (column.status != Status::kOk) continue;
      query.rule = LeafRule::kSlice;
      const InterferenceMetrics m = ComputeMetrics(query);
      if (m.status != Status::kOk) {
        ++refused;
        continue;
      }
      ++compared;
      EXPECT_LT(std::fabs(m.volume - column.volume),
                2e-6 * column.volume + column.volume_error + m.volume_error)
          << i << ' ' << c;
      SCOPED_TRACE(::testing::Message() << i << ' ' << c);
      testing::ExpectSameMoments(m, column, {1e-4, 1e-4, 1e-4, 1e-4});
    }
  }
  EXPECT_GT(compared, 50);
  EXPECT_LT(refused, compared / 5);
}

// Faces between the cells of one part count nothing, whatever their walls weigh.
TEST(SliceRevolved, AreaVectorOfAPartIsTheGradientOfV) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(82);
  for (int i = 0; i < 20; ++i) {
    const std::vector<geometry::Cell> cells = RandomPart(&random);
    const Mat3 R = i % 5 == 0 ? Mat3::Identity() : random.Rotation();
    const double top = LowestPoint(cells, R, floor), depth = random.LogUniform(1e-3, 0.3);
    const auto sum = [&](double z, Vec3* S) {
      double v = 0.0;
      for (const geometry::Cell& cell : cells) {
        PairQuery query{&cell, &floor, {R, {0, 0, z}}, {}};
        query.tolerance = 1e-9;
        const InterferenceMetrics m = ComputeMetrics(query);
        v += m.volume;
        *S += m.area_vector;
      }
      return v;
    };
    Vec3 S, unused;
    sum(top - depth, &S);
    const double step = 1e-4 * depth;
    const double slope =
        (sum(top - depth + step, &unused) - sum(top - depth - step, &unused)) / (2 * step);
    EXPECT_NEAR(-slope / Norm(S), 1, 1e-4) << i;
    EXPECT_LT(std::hypot(S.x, S.y), 1e-5 * S.z) << i;
  }
}

}  // namespace
}  // namespace intervox
