/** @file Joints between rigid bodies: frames, constraint equations and their derivatives
 (docs/joints.md). */
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "host/bodies/rigid_body.h"
#include "host/contact/stage/stage_joint.h"
#include "host/scene/scene.h"
#include "host/world/body_names.h"

namespace intervox::host {

/** A joint keeps its constraint equations to this much at accepted states [m] and [rad]. */
inline constexpr double kJointTolerance = 1e-10;
/** The way back onto joints ends below this error [m], [rad], or where it falls no more. */
inline constexpr double kJointsClosed = 1e-13;

/** A joint made ready: its frame J is fixed in both bodies, z along the axis. */
struct Joint {
  std::string name;
  JointType type = JointType::kRevolute;
  int body_a = -1;
  int body_b = -1;  ///< −1: the world
  Pose X_AJ;        ///< in body a
  Pose X_BJ;        ///< in body b, or in the world
  bool contact = false;
  StageServo servo;              ///< its limit is 0 without a drive
  std::vector<JointKey> motion;  ///< of the free coordinate; empty: it is free

  /** Returns whether the free coordinate is an angle. */
  bool IsAngular() const { return type == JointType::kRevolute; }
  /** Returns whether there is one free coordinate. */
  bool HasCoordinate() const {
    return type == JointType::kRevolute || type == JointType::kPrismatic;
  }
};

/** A prescribed coordinate and its derivatives [m or rad, per second, per second squared]. */
struct CoordinateMotion {
  double position = 0.0, velocity = 0.0, acceleration = 0.0;
};

/** Returns the coordinate at time t by cubic Hermite polynomials between the keys; it rests before
 the first and after the last key. At a key the derivatives are those of the interval that holds
 the time `within`. */
CoordinateMotion Evaluate(std::span<const JointKey> keys, double t, double within);

/** The pose and velocities of one side of a joint. */
struct JointSide {
  Pose X_WB;  ///< of the body frame
  Vec3 p_WM;  ///< centre of mass [m]
  Vec3 v, w;  ///< of the centre of mass [m/s], angular, world axes [rad/s]
};

/** The constraint equations of a joint at one instant. */
struct JointEquations {
  StageJoint stage;                            ///< point, rows and free direction; targets are 0
  std::array<double, kMostJointRows> error{};  ///< c of each row [m] or [rad]
  std::array<double, kMostJointRows> bias{};   ///< c̈ at zero accelerations [m/s²], [rad/s²]
  double coordinate = 0.0;  ///< free shift [m], or free angle in (−π, π] [rad]
  double rate = 0.0;        ///< of the coordinate [m/s], [rad/s]
};

/** Evaluates a joint's equations; with a prescribed coordinate, its row is the last one.
 @param a, b  the sides; a body's poses are of its frame. @param t  [s], for the prescribed
 coordinate: the last row's target is its velocity, and its bias holds minus its acceleration.
 @param within  a time of the interval between keys that counts at a key [s] */
JointEquations Evaluate(const Joint& joint, const JointSide& a, const JointSide& b, double t,
                        double within);

/** Returns the largest |c| of the rows [m] and [rad]. */
double LargestError(const JointEquations& equations);

/** Makes the joints of a scene.
 @param start  bodies as they start, in the scene's order
 @throws InputError naming line, joint, key, value, limit and remedy for unknown bodies, joints
 without a free body, frames that do not meet and start velocities that the joint does not allow. */
std::vector<Joint> MakeJoints(const Scene& scene, const BodyNames& names,
                              std::span<const RigidBody> start);

}  // namespace intervox::host
