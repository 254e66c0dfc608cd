/** @file A joint as one implicit stage sees it. */
#pragma once

#include <array>
#include <cstddef>

#include "geometry/linear.h"

namespace intervox::host {

/** A joint allows at most this many constraint equations. */
inline constexpr std::size_t kMostJointRows = 6;

/** One direction of relative motion of two bodies at a point p. The relative velocity along it is
 linear·(v_a(p) − v_b(p)) + angular·(ω_a − ω_b), and a force f along it acts on body a as the force
 f·linear at p and the torque f·angular, and on body b as the opposite. */
struct JointRow {
  Vec3 linear;
  Vec3 angular;
};

/** A force law of one relative velocity: f(ε), ε = velocity − rate, is zero in the dead band,
 linear over `band` beyond it, and limited. */
struct StageServo {
  double velocity = 0.0;  ///< [m/s] or [rad/s]
  double limit = 0.0;     ///< [N] or [N·m]; 0: there is no servo
  double dead_band = 0.0;
  double band = 1.0;
};

/** A joint whose constraint equations are J v = target in the velocities of the stage's bodies. */
struct StageJoint {
  int body_a = -1;  ///< index into the stage's bodies; −1: the world
  int body_b = -1;
  Vec3 p_WJ;  ///< where forces act [m]
  std::size_t rows = 0;
  std::array<JointRow, kMostJointRows> row;
  std::array<double, kMostJointRows> target{};  ///< asked for relative velocities [m/s], [rad/s]
  JointRow free;                                ///< direction of the servo
  StageServo servo;

  std::array<double, kMostJointRows> multiplier{};  ///< out: constraint forces [N], [N·m]
  double servo_force = 0.0;                         ///< out [N] or [N·m]
  Vec3 force;   ///< out: on body a at p_WJ, the servo's included [N]
  Vec3 torque;  ///< out: on body a about p_WJ, the servo's included [N·m]
};

/** Force of a servo at a rate, and how it falls with the rate, −df/d(rate) ≥ 0. */
struct ServoForce {
  double force = 0.0;
  double slope = 0.0;
};
/** Evaluates the law of a servo. */
ServoForce ForceAt(const StageServo& servo, double rate);

}  // namespace intervox::host
