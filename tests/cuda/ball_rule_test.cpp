#include "cuda/rules/ball/rule.h"

#include <gtest/gtest.h>

#include "cuda/engine.h"
#include "tests/cuda/families.h"
#include "tests/cuda/same_bits.h"

namespace intervox {
namespace {

using testing::Frobenius;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

testing::Cell BallCell(double radius) { return testing::CellsOf(geometry::Sphere{radius})[0]; }

// All metrics agree, J, S and G to a share of the size of what they are made of.
void ExpectSame(const InterferenceMetrics& got, const InterferenceMetrics& truth, double r) {
  ASSERT_EQ(got.status, truth.status);
  const double size = std::cbrt(truth.volume), area = Norm(truth.area_vector);
  EXPECT_NEAR(got.volume, truth.volume, 1e-8 * truth.volume);
  EXPECT_LT(Norm(got.p_WC - truth.p_WC), 1e-8 * r);
  EXPECT_LT(Frobenius(got.J_W - truth.J_W), 1e-7 * Frobenius(truth.J_W));
  EXPECT_LT(Norm(got.area_vector - truth.area_vector), 1e-8 * (area + 1e-3 * size * size));
  EXPECT_LT(Norm(got.area_moment - truth.area_moment), 1e-8 * r * (area + 1e-3 * size * size));
}

void ExpectWholeBall(const InterferenceMetrics& got, double r, const Vec3& p_WC) {
  ASSERT_EQ(got.status, Status::kOk);
  const double V = 4.0 / 3.0 * kPi * r * r * r;
  EXPECT_NEAR(got.volume, V, 1e-14 * V);
  EXPECT_LT(Norm(got.p_WC - p_WC), 1e-15 * (1.0 + Norm(p_WC)));
  EXPECT_LT(Frobenius(got.J_W - 0.4 * V * r * r * Mat3::Identity()), 1e-14 * V * r * r);
  EXPECT_EQ(Norm(got.area_vector) + Norm(got.area_moment), 0.0);
}

// The polar rule integrates what the closed forms say.
TEST(BallRule, TwoBallsAgreeWithThePolarRule) {
  Random random(3);
  int lenses = 0, inside = 0;
  for (int k = 0; k < 200; ++k) {
    const double r = random.LogUniform(0.2, 1.0), R = random.LogUniform(0.2, 1.0);
    const testing::Cell a = BallCell(r), b = BallCell(R);
    const double depth = random.LogUniform(1e-4, 20.0) * std::min(r, R);
    const Pose X_WA = random.RandomPose(2.0);
    const double apart = std::max(0.0, r + R - depth);
    const Pose X_WB{random.Rotation(), X_WA.p + apart * random.Direction()};
    PairQuery query{&a, &b, X_WA, X_WB, 1e-9};
    const InterferenceMetrics got = ComputeMetrics(query);
    EXPECT_EQ(got.work, 1);
    EXPECT_EQ(got.contained, depth >= 2 * std::min(r, R));
    ++(got.contained ? inside : lenses);
    query.rule = LeafRule::kPolar;
    if (got.contained) {
      ExpectWholeBall(got, std::min(r, R), r < R ? X_WA.p : X_WB.p);
    } else {
      ExpectSame(got, ComputeMetrics(query), r);
    }
  }
  EXPECT_GT(lenses, 100);
  EXPECT_GT(inside, 10);
}

TEST(BallRule, ABallAndAHalfSpaceAgreeWithThePolarRule) {
  Random random(4);
  int caps = 0, inside = 0;
  for (int k = 0; k < 200; ++k) {
    const double r = random.LogUniform(0.2, 1.0);
    const Vec3 n = random.Direction();
    const testing::Cell ball = BallCell(r), floor = testing::HalfSpaceCell(n, 0.3);
    const Pose X_WA = random.RandomPose(2.0), X_WF = random.RandomPose(2.0);
    const double depth = random.LogUniform(1e-4, 20.0) * r;
    const Vec3 up = X_WF.R * n, on = X_WF * (0.3 * n);
    const Vec3 beside = Cross(up, random.Vector(1.0));
    PairQuery query{&ball, &floor, {X_WA.R, on + beside + (r - depth) * up}, X_WF, 1e-9};
    const InterferenceMetrics got = ComputeMetrics(query);
    EXPECT_EQ(got.work, 1);
    EXPECT_EQ(got.contained, depth >= 2 * r);
    ++(got.contained ? inside : caps);
    if (got.contained) {
      ExpectWholeBall(got, r, query.X_WA.p);
      continue;
    }
    query.rule = LeafRule::kPolar;
    ExpectSame(got, ComputeMetrics(query), r);
    EXPECT_NEAR(got.volume, kPi * depth * depth * (r - depth / 3), 1e-9 * got.volume);
    // n_B out of the floor, and the mean of the cap's and the disc's area vectors is the disc's.
    const Vec3 S = kPi * depth * (2 * r - depth) * up;
    EXPECT_LT(Norm(got.area_vector - S), 1e-9 * Norm(S));
  }
  EXPECT_GT(caps, 100);
  EXPECT_GT(inside, 5);
}

TEST(BallRule, SwappingNegatesToTheBit) {
  Random random(5);
  const testing::Cell a = BallCell(0.3), b = BallCell(0.5),
                      floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  for (int k = 0; k < 20; ++k) {
    const Pose X{random.Rotation(), 0.1 * random.Direction()}, Y{random.Rotation(), {0, 0, 0.15}};
    for (const testing::Cell* other : {&a, &b, &floor}) {
      const InterferenceMetrics one = ComputeMetrics({&a, other, X, Y});
      InterferenceMetrics two = ComputeMetrics({other, &a, Y, X});
      ASSERT_EQ(one.status, Status::kOk);
      two.area_vector = -two.area_vector;
      two.area_moment = -two.area_moment;
      EXPECT_TRUE(testing::SameBits(one, two));
    }
  }
}

TEST(BallRule, ApartAndLostInTheFloorAreDisjoint) {
  const testing::Cell a = BallCell(0.3), floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  // Farther apart than the balls, nearer than their boxes.
  const Pose X{Mat3::Identity(), {0.45, 0.45, 0}};
  EXPECT_EQ(ComputeMetrics({&a, &a, {}, X}).status, Status::kDisjoint);
  EXPECT_EQ(ComputeMetrics({&a, &floor, {Mat3::Identity(), {0, 0, 0.3001}}, {}}).status,
            Status::kDisjoint);
  PairQuery graze{&a, &floor, {Mat3::Identity(), {1e6, 0, std::nextafter(0.3, 0.0)}}, {}};
  // The depth is rounding.
  EXPECT_EQ(ComputeMetrics(graze).status, Status::kToleranceNotMet);
  graze.volume_floor = 1e-20;
  EXPECT_EQ(ComputeMetrics(graze).status, Status::kDisjoint);
}

// Ten digits of depth are left a thousand kilometres from the origin's ball: positions are
// subtracted before anything else.
TEST(BallRule, DigitsSurviveDistance) {
  const testing::Cell a = BallCell(0.25);
  const Vec3 far{1 << 20, 1 << 19, 0};
  const Pose X{Mat3::Identity(), {0.25, 0.25, 0.25}};
  const InterferenceMetrics here = ComputeMetrics({&a, &a, {}, X});
  const InterferenceMetrics there =
      ComputeMetrics({&a, &a, {Mat3::Identity(), far}, {X.R, far + X.p}});
  EXPECT_EQ(here.volume, there.volume);
  EXPECT_TRUE(here.volume > 0);
}

}  // namespace
}  // namespace intervox
