#include <gtest/gtest.h>

#include <cmath>

#include "tests/cuda/families.h"
#include "tests/cuda/path.h"
#include "tests/samples.h"

// Properties that hold for any two solids in any pose, each on random poses of every pair of
// families. The names that start with Slow run thousands of poses.

namespace intervox {
namespace {

using testing::Cell;
using testing::Family;
using testing::Random;

constexpr double kTolerance = 1e-3;

const std::vector<Family>& Families() {
  static const std::vector<Family> families = testing::AllFamilies();
  return families;
}

// Calls f(first, second, random) for `count` draws that go through all pairs of families.
template <class F>
void ForRandomPairs(int count, unsigned seed, F&& f) {
  Random random(seed);
  const std::size_t n = Families().size();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    f(Families()[i % n], Families()[i / n % n], &random);
  }
}

PairQuery RandomQuery(const Family& a, const Family& b, Random* random) {
  PairQuery q{&a.cell, &b.cell, random->RandomPose(0.4), random->RandomPose(0.4)};
  q.tolerance = kTolerance;
  return q;
}

bool IsSwapped(const InterferenceMetrics& a, const InterferenceMetrics& b) {
  return a.volume == b.volume && a.p_WC == b.p_WC && a.J_W.row0 == b.J_W.row0 &&
         a.J_W.row1 == b.J_W.row1 && a.J_W.row2 == b.J_W.row2 && a.area_vector == -b.area_vector &&
         a.area_moment == -b.area_moment && a.status == b.status &&
         a.volume_error == b.volume_error;
}

void CheckSwap(int count) {
  ForRandomPairs(count, 1, [](const Family& a, const Family& b, Random* random) {
    PairQuery q = RandomQuery(a, b, random);
    const InterferenceMetrics m = ComputeMetrics(q);
    std::swap(q.a, q.b);
    std::swap(q.X_WA, q.X_WB);
    EXPECT_TRUE(IsSwapped(m, ComputeMetrics(q))) << a.name << ", " << b.name;
  });
}

void CheckMotion(int count) {
  ForRandomPairs(count, 2, [](const Family& a, const Family& b, Random* random) {
    PairQuery q = RandomQuery(a, b, random);
    const InterferenceMetrics m = ComputeMetrics(q);
    const Pose X = random->RandomPose(5);
    q.X_WA = X * q.X_WA;
    q.X_WB = X * q.X_WB;
    const InterferenceMetrics w = ComputeMetrics(q);
    const double e = 2 * kTolerance, V = m.volume;
    EXPECT_EQ(m.status, w.status) << a.name << ", " << b.name;
    ASSERT_NEAR(V, w.volume, e * V + 1e-14) << a.name << ", " << b.name;
    if (!(V > 1e-9)) return;
    const double r = std::sqrt(0.5 * Trace(m.J_W) / V);
    EXPECT_LE(Norm(X * m.p_WC - w.p_WC), e * r + 1e-13) << a.name << ", " << b.name;
    const Mat3 J = X.R * m.J_W * Transpose(X.R) - w.J_W;
    EXPECT_LE(Norm(J.row0) + Norm(J.row1) + Norm(J.row2), 15 * e * Trace(m.J_W))
        << a.name << ", " << b.name;
    const double area = std::pow(V, 2.0 / 3) + Norm(m.area_vector);
    EXPECT_LE(Norm(X.R * m.area_vector - w.area_vector), 50 * e * area) << a.name << ", " << b.name;
  });
}

void CheckComplement(int count) {
  ForRandomPairs(count, 3, [](const Family& a, const Family& b, Random* random) {
    PairQuery q = RandomQuery(a, b, random);
    PairQuery whole = q;
    const Cell box = testing::BoxCell({9, 9, 9});
    whole.b = &box;
    const double V = ComputeMetrics(whole).volume;
    double sum = ComputeMetrics(q).volume;
    for (const Cell& piece : testing::ComplementPieces(b.cell)) {
      q.b = &piece;
      const InterferenceMetrics m = ComputeMetrics(q);
      sum += m.volume;
      // A sliver may miss its own relative tolerance without weight in the sum.
      EXPECT_TRUE(m.status == Status::kOk || m.status == Status::kDisjoint ||
                  m.volume_error < 1e-9 * V)
          << a.name << ", " << b.name << " error " << m.volume_error / V;
    }
    EXPECT_NEAR(sum, V, 2 * kTolerance * V) << a.name << ", " << b.name;
  });
}

// dV/ds by central differences, A moving along the unit vector e or turning about it through p_WC.
double SlopeOfV(PairQuery q, const Vec3& p_WC, const Vec3& e, bool turns, double step) {
  const Pose X_WA = q.X_WA;
  double V[2];
  for (int side = 0; side < 2; ++side) {
    const Vec3 d = (side ? step : -step) * e;
    q.X_WA = X_WA;
    if (turns) {
      q.X_WA.R = testing::Turned(d, X_WA.R);
      q.X_WA.p = p_WC + testing::Turned(d, {}) * (X_WA.p - p_WC);
    } else {
      q.X_WA.p += d;
    }
    V[side] = ComputeMetrics(q).volume;
  }
  return (V[1] - V[0]) / (2 * step);
}

// S and G are minus the gradient of V, along and about a random direction, at a tolerance that
// resolves the differences. Where the step meets a kink of V, a smaller one does not.
void CheckGradient(int count) {
  int checked = 0;
  ForRandomPairs(count, 4, [&](const Family& a, const Family& b, Random* random) {
    PairQuery q = RandomQuery(a, b, random);
    q.tolerance = 3e-5;
    const InterferenceMetrics m = ComputeMetrics(q);
    if (m.status != Status::kOk || m.volume < 1e-4) return;
    ++checked;
    const double limit = 4e-3 * (Norm(m.area_vector) + std::pow(m.volume, 2.0 / 3));
    for (const bool turns : {false, true}) {
      const Vec3 e = random->Direction();
      const double expected = -Dot(turns ? m.area_moment : m.area_vector, e);
      double slope = SlopeOfV(q, m.p_WC, e, turns, 2e-3);
      if (std::fabs(slope - expected) > limit) {
        PairQuery finer = q;
        finer.tolerance = 1e-6;
        slope = SlopeOfV(finer, m.p_WC, e, turns, 2e-4);
      }
      EXPECT_NEAR(slope, expected, limit)
          << a.name << ", " << b.name << (turns ? " about " : " along ") << e.x << " " << e.y << " "
          << e.z;
    }
  });
  EXPECT_GT(checked, 0.7 * count);
}

// Along a straight path V follows its own gradient: no jump above a tenth of the tolerance.
void CheckPaths(int paths, int poses) {
  ForRandomPairs(paths, 5, [&](const Family& a, const Family& b, Random* random) {
    PairQuery q = RandomQuery(a, b, random);
    const Vec3 start = q.X_WA.p;
    const Vec3 direction = random->Direction();
    const double step = 1e-4;
    std::vector<testing::PathPose> path;
    for (int i = 0; i < poses; ++i) {
      q.X_WA.p = start + (i * step) * direction;
      const InterferenceMetrics m = ComputeMetrics(q);
      path.push_back({m.volume, -Dot(m.area_vector, direction)});
    }
    EXPECT_LE(testing::LargestJump(path, step), 0.1 * kTolerance) << a.name << ", " << b.name;
  });
}

TEST(Invariants, SwapNegatesToTheBit) { CheckSwap(98); }
TEST(Invariants, RigidMotion) { CheckMotion(98); }
TEST(Invariants, InsideAndOutsideMakeTheWhole) { CheckComplement(49); }
TEST(Invariants, AreaVectorAndMomentAreTheGradient) { CheckGradient(24); }
TEST(Invariants, PathsHaveNoJumps) { CheckPaths(49, 10); }

TEST(SlowInvariants, SwapNegatesToTheBit) { CheckSwap(intervox::testing::Samples(1225)); }
TEST(SlowInvariants, RigidMotion) { CheckMotion(intervox::testing::Samples(1225)); }
TEST(SlowInvariants, InsideAndOutsideMakeTheWhole) {
  CheckComplement(intervox::testing::Samples(1225));
}
TEST(SlowInvariants, AreaVectorAndMomentAreTheGradient) {
  CheckGradient(intervox::testing::Samples(735));
}
TEST(SlowInvariants, PathsHaveNoJumps) { CheckPaths(49, 1000); }

TEST(Invariants, ContainedCellsHaveNoNormal) {
  const Cell ball = testing::CellsOf(geometry::Sphere{0.1})[0];
  for (const Family& family : Families()) {
    if (family.name == "torus" || family.name == "holed box") continue;
    Random random(6);
    const Pose X = random.RandomPose(1);
    const PairQuery q{&ball, &family.cell, X, X};
    const InterferenceMetrics m = ComputeMetrics(q);
    EXPECT_TRUE(m.contained) << family.name;
    EXPECT_NEAR(m.volume, 4 * std::acos(-1.0) / 3 * 1e-3, 1e-9) << family.name;
    EXPECT_LE(Norm(m.area_vector), 1e-12) << family.name;
  }
}

TEST(Invariants, IdenticalCells) {
  for (const Family& family : Families()) {
    Random random(7);
    const Pose X = random.RandomPose(3);
    const PairQuery q{&family.cell, &family.cell, X, X};
    const InterferenceMetrics m = ComputeMetrics(q);
    EXPECT_EQ(m.status, Status::kOk) << family.name;
    EXPECT_TRUE(m.contained) << family.name;
    EXPECT_EQ(m.area_vector, Vec3{}) << family.name;
  }
}

TEST(Invariants, FarFromTheOriginAndSmall) {
  // A 1 µm deep lens of two balls, 100 m away: depth and radii are exact doubles.
  const double R = 0.125, depth = std::ldexp(1.0, -20), d = 2 * R - depth;
  const Cell ball = testing::CellsOf(geometry::Sphere{R})[0];
  const Vec3 p{100, -80, 64};
  PairQuery q{&ball, &ball, {{}, p}, {{}, p + Vec3{d, 0, 0}}};
  q.tolerance = 1e-6;
  const InterferenceMetrics m = ComputeMetrics(q);
  const double V = std::acos(-1.0) * (4 * R + d) * (2 * R - d) * (2 * R - d) / 12;
  EXPECT_EQ(m.status, Status::kOk);
  EXPECT_NEAR(m.volume, V, 1e-8 * V);
}

}  // namespace
}  // namespace intervox
