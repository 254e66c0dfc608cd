// Prescribed motions: exact ends, velocities that are the poses' derivatives, C¹ between keys.
#include "host/bodies/motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace intervox::host {
namespace {

PrescribedMotion ThreeKeys() {
  PrescribedMotion motion;
  motion.keys = {{0.5, {1, 0, 0}, {0.2, 0, 0.1}, {}, {0, 0, 1}},
                 {1.5, {1, 2, 0}, {0, 0.5, 0}, {0.9, 0.1, 0.3, 0}, {1, 0.5, 0}},
                 {2.0, {0, 2, 1}, {0.1, 0, 0}, {-0.5, 0.2, 0, 0.4}, {0, 0, 0}}};
  return motion;
}

Vec3 NumericalSpin(const PrescribedMotion& motion, double t, double h) {
  const Quaternion a = Evaluate(motion, t - h).q_WF, b = Evaluate(motion, t + h).q_WF;
  const Vec3 turn = ToRotationVector(b * Quaternion{a.w, -a.x, -a.y, -a.z});
  return turn / (2 * h);
}

TEST(MotionTest, PassesThroughItsKeys) {
  const PrescribedMotion motion = ThreeKeys();
  for (std::size_t k = 0; k + 1 < motion.keys.size(); ++k) {
    const FrameMotion at = Evaluate(motion, motion.keys[k].t);
    EXPECT_LT(Norm(at.X_WF.p - motion.keys[k].position), 1e-14);
    EXPECT_LT(Norm(at.v_WF - motion.keys[k].velocity), 1e-13);
    EXPECT_LT(Norm(at.w_WF - motion.keys[k].angular_velocity), 1e-13);
  }
}

TEST(MotionTest, VelocitiesAreTheDerivativesAndContinuous) {
  const PrescribedMotion motion = ThreeKeys();
  const double h = 1e-5;
  for (double t = 0.55; t < 1.99; t += 0.0371) {
    const FrameMotion at = Evaluate(motion, t);
    const Vec3 v = (Evaluate(motion, t + h).X_WF.p - Evaluate(motion, t - h).X_WF.p) / (2 * h);
    EXPECT_LT(Norm(at.v_WF - v), 1e-8) << t;
    EXPECT_LT(Norm(at.w_WF - NumericalSpin(motion, t, h)), 1e-8) << t;
  }
  const FrameMotion before = Evaluate(motion, 1.5 - 1e-9), after = Evaluate(motion, 1.5 + 1e-9);
  EXPECT_LT(Norm(before.v_WF - after.v_WF), 1e-7);
  EXPECT_LT(Norm(before.w_WF - after.w_WF), 1e-7);
}

TEST(MotionTest, HoldsOutsideItsKeys) {
  const PrescribedMotion motion = ThreeKeys();
  EXPECT_EQ(Evaluate(motion, 0.2).v_WF, Vec3{});
  EXPECT_EQ(Evaluate(motion, 0.2).X_WF.p, (Vec3{1, 0, 0}));
  EXPECT_EQ(Evaluate(motion, 7.0).w_WF, Vec3{});
  EXPECT_EQ(Evaluate(motion, 7.0).X_WF.p, (Vec3{0, 2, 1}));
}

TEST(MotionTest, OneKeyIsConstantVelocity) {
  PrescribedMotion motion;
  motion.keys = {{1, {1, 2, 3}, {0.5, 0, 0}, {}, {0, 0, 2}}};
  const FrameMotion at = Evaluate(motion, 1.75);
  EXPECT_LT(Norm(at.X_WF.p - Vec3{1.375, 2, 3}), 1e-15);
  EXPECT_NEAR(at.X_WF.R(1, 0), std::sin(1.5), 1e-15);
  EXPECT_EQ(at.w_WF, (Vec3{0, 0, 2}));
}

TEST(MotionTest, RotationVectorsGoBothWays) {
  for (const Vec3 r : {Vec3{0.3, -0.2, 0.9}, Vec3{0, 0, 3.1}, Vec3{1e-10, 0, 0}, Vec3{}}) {
    EXPECT_LT(Norm(ToRotationVector(FromRotationVector(r)) - r), 1e-14);
  }
}

TEST(MotionTest, RefusesKeysOutOfOrder) {
  PrescribedMotion motion = ThreeKeys();
  EXPECT_TRUE(IsValid(motion));
  motion.keys[1].t = 3;
  EXPECT_FALSE(IsValid(motion));
  motion = ThreeKeys();
  motion.keys[2].orientation = {0, 0, 0, 0};
  EXPECT_FALSE(IsValid(motion));
  EXPECT_FALSE(IsValid(PrescribedMotion{}));
}

}  // namespace
}  // namespace intervox::host
