// The tolerance holds for the centroid (over the radius of gyration) and the inertia (a fifth of
// its error) as it does for V, in poses that are hard for one rule or another.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cuda/families.h"

namespace intervox {
namespace {

using testing::Cell;
using testing::Frobenius;
using testing::Random;

constexpr double kTolerance = 1e-3;

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

TEST(MomentsTolerance, HoldsInHardPoses) { Check(150, 1); }
TEST(SlowMomentsTolerance, HoldsInHardPoses) { Check(2000, 2); }

}  // namespace
}  // namespace intervox
