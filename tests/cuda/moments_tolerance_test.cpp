// The tolerance holds for the centroid (over the radius of gyration) and the inertia (a fifth of
// its error) as it does for V, in poses that are hard for one rule or another.
#include <gtest/gtest.h>

#include <cmath>

#include "geometry/hollows.h"
#include "tests/cuda/families.h"
#include "tests/samples.h"

namespace intervox {
namespace {

using testing::Cell;
using testing::Frobenius;
using testing::Random;

constexpr double kTolerance = 1e-3;
constexpr Vec3 kX{1, 0, 0};

// Every axis on an axis: faces are parallel, edges lie in them, generators touch along lines.
Mat3 Aligned(Random* random) {
  const int z = static_cast<int>(random->Uniform(0, 3));
  Vec3 first, third;
  third[z] = random->Uniform(-1, 1) < 0 ? -1 : 1;
  first[(z + 1 + static_cast<int>(random->Uniform(0, 2))) % 3] =
      random->Uniform(-1, 1) < 0 ? -1 : 1;
  return Mat3::FromColumns(first, Cross(third, first), third);
}

// A posed pair that overlaps by `depth` along some direction: anywhere, aligned, or aligned but for
// a turn of 1e-8 … 0.1.
PairQuery Touching(const Cell& a, const Cell& b, int kind, double depth, Random* random) {
  PairQuery q{&a, &b, random->RandomPose(0.2), random->RandomPose(0.2)};
  Vec3 direction = random->Direction();
  if (kind > 0) {
    const Mat3 world = random->Rotation();
    q.X_WA.R = world * Aligned(random);
    q.X_WB.R = world * Aligned(random);
    direction = q.X_WB.R.Col(static_cast<int>(random->Uniform(0, 3)));
  }
  if (kind == 2) {
    q.X_WA.R = testing::Turned(random->LogUniform(1e-8, 0.1) * random->Direction(), q.X_WA.R);
  }
  const Vec3 start = q.X_WA.p;
  double overlap = 0, free = 3;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (overlap + free);
    q.X_WA.p = start + middle * direction;
    (ComputeMetrics(q).status == Status::kDisjoint ? free : overlap) = middle;
  }
  q.X_WA.p = start + (overlap - depth) * direction;
  return q;
}

void Check(int count, unsigned seed) {
  std::vector<testing::Family> families;
  for (const testing::Family& family : testing::AllFamilies()) {
    if (family.name != "torus") families.push_back(family);
  }
  const double last = static_cast<double>(families.size());
  Random random(seed);
  int checked = 0;
  for (int i = 0; i < count; ++i) {
    const testing::Family& a = families[static_cast<std::size_t>(random.Uniform(0, last))];
    const testing::Family& b = families[static_cast<std::size_t>(random.Uniform(0, last))];
    const double depth = random.LogUniform(1e-6, 0.1);
    PairQuery q = Touching(a.cell, b.cell, i % 3, depth, &random);
    q.tolerance = kTolerance;
    const InterferenceMetrics m = ComputeMetrics(q);
    q.tolerance = 1e-8;
    const InterferenceMetrics fine = ComputeMetrics(q);
    if (m.status != Status::kOk || !(fine.volume > 0)) continue;
    if (!(fine.volume_error <= 1e-6 * fine.volume)) continue;
    ++checked;
    const double V = fine.volume, r = std::sqrt(0.5 * Trace(fine.J_W) / V);
    const auto where = [&] {
      return a.name + ", " + b.name + ", kind " + std::to_string(i % 3) + " rule " +
             std::to_string(static_cast<int>(m.rule)) + " depth " + std::to_string(1e6 * depth) +
             "e-6";
    };
    EXPECT_LE(std::fabs(m.volume - V), kTolerance * V) << where();
    EXPECT_LE(Norm(m.p_WC - fine.p_WC), kTolerance * r) << where();
    EXPECT_LE(Frobenius(m.J_W - fine.J_W), 5 * kTolerance * Frobenius(fine.J_W)) << where();
  }
  EXPECT_GT(checked, count / 3);
}

// At three tolerances, against the same pair at 1e-9. Returns how many of them could be compared.
int Compare(PairQuery q, const std::string& where) {
  q.tolerance = 1e-9;
  const InterferenceMetrics fine = ComputeMetrics(q);
  if (!(fine.volume > 0) || fine.status != Status::kOk) return 0;
  const double V = fine.volume, r = std::sqrt(0.5 * Trace(fine.J_W) / V);
  const double reach = Norm(q.a->bounds.half) + Norm(q.b->bounds.half);
  if (r < 1e-4 * reach) return 0;  // rounding, of positions squared
  int compared = 0;
  for (double tolerance : {1e-2, 1e-3, 1e-6}) {
    q.tolerance = tolerance;
    const InterferenceMetrics m = ComputeMetrics(q);
    if (m.status != Status::kOk) continue;
    ++compared;
    const std::string here = where + " at " + std::to_string(tolerance) + " rule " +
                             std::to_string(static_cast<int>(m.rule));
    EXPECT_LE(std::fabs(m.volume - V), tolerance * V) << here;
    EXPECT_LE(Norm(m.p_WC - fine.p_WC), tolerance * r) << here;
    EXPECT_LE(Frobenius(m.J_W - fine.J_W), 5 * tolerance * Frobenius(fine.J_W)) << here;
  }
  return compared;
}

// Parts of a dimpled box touch something far from the dimple's face or on it.
void CheckDimples(int count, unsigned seed) {
  using geometry::Leaf;
  Random random(seed);
  int compared = 0;
  for (int i = 0; i < count; ++i) {
    const double size = random.LogUniform(1e-3, 10), part = size * random.LogUniform(0.01, 10);
    const double radius = size * random.LogUniform(0.1, 3), depth = random.Uniform(0.02, 0.3);
    const Vec3 radii{radius, radius * random.Uniform(0.5, 1), radius * random.Uniform(0.5, 1)};
    const double top = 0.4 * size, sunk = depth * std::fmin(radii.z, size);
    const std::vector<Cell> cells = geometry::SplitHollows(geometry::ToCells(*geometry::Tree(
        geometry::Operation::kDifference,
        {Leaf(geometry::Box{{size, 0.7 * size, 2 * top}}),
         Leaf(geometry::Ellipsoid{radii}, {Mat3::Identity(), {0, 0, top + radii.z - sunk}})})));
    const double wide = part * random.LogUniform(0.05, 1);
    const Cell b = i % 3 == 0   ? testing::CellsOf(geometry::Cone{wide, 0, part})[0]
                   : i % 3 == 1 ? testing::CellsOf(geometry::Cylinder{wide, part})[0]
                                : testing::CellsOf(geometry::Cone{wide, 0.3 * wide, part})[0];
    for (const Cell& a : cells) {
      const double least = std::fmin(size, wide);
      PairQuery q{&a, &b, {random.Rotation(), {}}, {random.Rotation(), {}}};
      q.X_WB.p = q.X_WA * a.bounds.X.p;
      const Vec3 direction = random.Direction(), start = q.X_WB.p;
      double overlap = 0, free = 3 * (size + part);
      for (int k = 0; k < 45; ++k) {
        const double middle = 0.5 * (overlap + free);
        q.X_WB.p = start + middle * direction;
        (ComputeMetrics(q).status == Status::kDisjoint ? free : overlap) = middle;
      }
      q.X_WB.p = start + (overlap - least * random.LogUniform(1e-4, 0.3)) * direction;
      compared += Compare(q, a.name + ", pair " + std::to_string(i));
    }
  }
  EXPECT_GT(compared, 3 * count);
}

// Slabs, rods and cones across a needle: the fluxes of its face start at its centre.
void CheckNeedles(int count, unsigned seed) {
  Random random(seed);
  int compared = 0;
  for (int i = 0; i < count; ++i) {
    Vec3 radii{1, random.LogUniform(0.002, 0.3), 0};
    radii.z = radii.y * random.LogUniform(0.1, 1);
    const Cell needle = testing::CellsOf(geometry::Ellipsoid{radii})[0];
    const double t = radii.y * random.LogUniform(0.1, 5);
    const Cell b = i % 3 == 0   ? testing::BoxCell({t, 2, 2})
                   : i % 3 == 1 ? testing::CellsOf(geometry::Cylinder{t, 2})[0]
                                : testing::CellsOf(geometry::Cone{t, 0.3 * t, 2})[0];
    const Vec3 across{0, radii.y * random.Uniform(-1, 1), radii.z * random.Uniform(-1, 1)};
    const Pose X{testing::Turned(random.Vector(0.3), {}), across + random.Uniform(-1, 1) * kX};
    compared += Compare({&needle, &b, {}, X}, "needle " + std::to_string(i));
  }
  EXPECT_GT(compared, count);
}

TEST(MomentsTolerance, HoldsFarFromADimple) { CheckDimples(40, 3); }
TEST(MomentsTolerance, HoldsInSlicesOfNeedles) { CheckNeedles(100, 4); }
TEST(SlowMomentsTolerance, HoldsFarFromADimple) { CheckDimples(testing::Samples(250), 5); }
TEST(SlowMomentsTolerance, HoldsInSlicesOfNeedles) { CheckNeedles(testing::Samples(350), 6); }

TEST(MomentsTolerance, HoldsInHardPoses) { Check(150, 1); }
TEST(SlowMomentsTolerance, HoldsInHardPoses) { Check(2000, 2); }

}  // namespace
}  // namespace intervox
