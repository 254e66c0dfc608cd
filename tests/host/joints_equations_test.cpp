// Joints' equations: rows, their Jacobians and accelerations against differences along motions.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/joints/joint.h"

namespace intervox::host {
namespace {

/** A rigid motion with constant accelerations, its frame at the centre of mass but for p_BM. */
struct Motion {
  Vec3 p, v, a, w, alpha, p_BM;
  Quaternion q;

  /** At time t: rotation by the series of constant w and alpha, good to t⁴. */
  JointSide At(double t) const {
    // θ of exp for q̇ = ½ ω q with ω = w + α t: t w + t²/2 α + t³/12 α × w (Magnus).
    const Vec3 turn = t * w + (0.5 * t * t) * alpha + (t * t * t / 12.0) * Cross(alpha, w);
    JointSide side;
    side.X_WB.R = ToRotation(Normalized(FromRotationVector(turn) * q));
    side.p_WM = p + t * v + (0.5 * t * t) * a;
    side.X_WB.p = side.p_WM - side.X_WB.R * p_BM;
    side.v = v + t * a;
    side.w = w + t * alpha;
    return side;
  }
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double Number() { return normal_(random_); }
  Vec3 Vector() { return {Number(), Number(), Number()}; }
  Motion Body() {
    Motion motion{Vector(), Vector(), Vector(), Vector(), Vector(), Vector(), {}};
    motion.q = Normalized(Quaternion{Number(), Number(), Number(), Number()});
    return motion;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/** Relative velocity along a row. */
double Along(const JointRow& row, const Vec3& p, const JointSide& a, const JointSide& b) {
  return Dot(row.linear, a.v + Cross(a.w, p - a.p_WM) - b.v - Cross(b.w, p - b.p_WM)) +
         Dot(row.angular, a.w - b.w);
}

class JointEquationsTest : public ::testing::TestWithParam<JointType> {};

TEST_P(JointEquationsTest, RatesAndAccelerationsAreThoseOfDifferences) {
  Draw draw(7);
  for (int k = 0; k < 50; ++k) {
    const Motion a = draw.Body(), b = draw.Body();
    Joint joint;
    joint.type = GetParam();
    // Any relative pose: equations hold off the joint too.
    joint.X_AJ = {ToRotation(draw.Body().q), draw.Vector()};
    joint.X_BJ = {ToRotation(draw.Body().q), draw.Vector()};
    if (joint.HasCoordinate()) joint.motion = {{-10, 0.3, 0.7}, {10, -0.4, 1.1}};
    const double d = 1e-4;
    const auto at = [&](double t) { return Evaluate(joint, a.At(t), b.At(t), t, t); };
    const JointEquations now = at(0), before = at(-d), after = at(d);
    // A shift, and the rows of turns, are exact; the angle's rate is ω·z only on the joint.
    const std::size_t rows = now.stage.rows - (joint.IsAngular() ? 1 : 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const double rate = Along(now.stage.row[r], now.stage.p_WJ, a.At(0), b.At(0));
      EXPECT_NEAR((after.error[r] - before.error[r]) / (2 * d), rate - now.stage.target[r], 1e-6);
      // c̈ = J (accelerations) + bias.
      JointSide a_rate = a.At(0), b_rate = b.At(0);
      a_rate.v = a.a, a_rate.w = a.alpha, b_rate.v = b.a, b_rate.w = b.alpha;
      const double expected = Along(now.stage.row[r], now.stage.p_WJ, a_rate, b_rate) + now.bias[r];
      EXPECT_NEAR((after.error[r] - 2 * now.error[r] + before.error[r]) / (d * d), expected, 1e-5)
          << "row " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, JointEquationsTest,
                         ::testing::Values(JointType::kRevolute, JointType::kPrismatic,
                                           JointType::kSpherical, JointType::kFixed));

TEST(JointEquations, TheAngleTurnsWithTheFirstBodyAboutTheAxis) {
  Joint joint;
  joint.X_BJ = {ToRotation(Normalized(Quaternion{1, 2, -1, 0.5})), {0.1, 0.2, 0.3}};
  for (const double angle : {-3.0, -1.0, 0.0, 0.5, 3.1}) {
    JointSide a, b;
    a.X_WB = {joint.X_BJ.R * ToRotation(FromRotationVector({0, 0, angle})), joint.X_BJ.p};
    a.p_WM = a.X_WB.p;
    a.w = 2.0 * joint.X_BJ.R.Col(2);
    const JointEquations at = Evaluate(joint, a, b, 0, 0);
    EXPECT_NEAR(at.coordinate, angle, 1e-14);
    EXPECT_NEAR(at.rate, 2.0, 1e-14);
    EXPECT_LT(LargestError(at), 1e-15);
    EXPECT_EQ(at.stage.rows, 5u);
  }
}

TEST(JointServo, IsZeroInTheDeadBandLinearBeyondAndLimited) {
  const StageServo servo{2.0, 30.0, 0.5, 0.1};
  EXPECT_EQ(ForceAt(servo, 1.6).force, 0.0);
  EXPECT_EQ(ForceAt(servo, 2.4).force, 0.0);
  EXPECT_NEAR(ForceAt(servo, 1.45).force, 15.0, 1e-12);
  EXPECT_NEAR(ForceAt(servo, 2.55).force, -15.0, 1e-12);
  EXPECT_NEAR(ForceAt(servo, 1.45).slope, 300.0, 1e-12);
  EXPECT_EQ(ForceAt(servo, 0.0).force, 30.0);
  EXPECT_EQ(ForceAt(servo, 9.0).force, -30.0);
  EXPECT_EQ(ForceAt(servo, 9.0).slope, 0.0);
}

TEST(JointMotion, IsTheCubicOfItsKeysAndRestsBesideThem) {
  const std::vector<JointKey> keys = {{1, 0.5, 2}, {3, -1, 0.5}};
  EXPECT_EQ(Evaluate(keys, 0.5, 0.5).position, 0.5);
  EXPECT_EQ(Evaluate(keys, 0.5, 0.5).velocity, 0.0);
  EXPECT_EQ(Evaluate(keys, 4, 4).position, -1.0);
  EXPECT_NEAR(Evaluate(keys, 1, 2).velocity, 2.0, 1e-14);
  EXPECT_NEAR(Evaluate(keys, 3, 2).position, -1.0, 1e-14);
  EXPECT_NEAR(Evaluate(keys, 3, 2).velocity, 0.5, 1e-14);
  EXPECT_EQ(Evaluate(keys, 3, 3.1).velocity, 0.0);
  const double d = 1e-4;
  for (const double t : {1.2, 2.0, 2.9}) {
    const auto at = [&](double dt) { return Evaluate(keys, t + dt, 2).position; };
    EXPECT_NEAR((at(d) - at(-d)) / (2 * d), Evaluate(keys, t, 2).velocity, 1e-7);
    EXPECT_NEAR((at(d) - 2 * at(0) + at(-d)) / (d * d), Evaluate(keys, t, 2).acceleration, 1e-6);
  }
}

}  // namespace
}  // namespace intervox::host
