/** @file Motions prescribed to bodies and to holders' targets. */
#pragma once

#include "host/scene/scene.h"

namespace intervox::host {

/** Pose and velocities of a moving frame F. */
struct FrameMotion {
  Quaternion q_WF;  ///< orientation, unit
  Pose X_WF;        ///< pose; its rotation is that of q_WF
  Vec3 v_WF;        ///< velocity of the origin [m/s]
  Vec3 w_WF;        ///< angular velocity, world axes [rad/s]
};

/** The quaternion of the rotation vector r: a turn by |r| [rad] about r. */
Quaternion FromRotationVector(const Vec3& r);
/** The rotation vector of the unit quaternion q, |r| ≤ π [rad]. */
Vec3 ToRotationVector(const Quaternion& q);
/** dq/dt of a frame that turns with w, world axes: ½ (0, w) q. */
Quaternion QuaternionRate(const Vec3& w, const Quaternion& q);

/** The motion at time t [s].

 One key: constant velocities from that key on, held before it. Several: cubic Hermite polynomials
 between the keys, for the position and, normalised, for the quaternion, with the keys' velocities
 at the ends: pose C¹, velocities consistent with it; held at rest before the first and after the
 last key. Successive orientations must be less than half a turn apart.
 Requires at least one key, times ascending. */
FrameMotion Evaluate(const PrescribedMotion& motion, double t);

/** The motion at time t ≥ key.t with the key's constant velocities. */
FrameMotion Evaluate(const PrescribedMotion::Key& key, double t);

/** Whether the motion has at least one key, ascending times and finite values with quaternions
 that are not zero. */
bool IsValid(const PrescribedMotion& motion);

}  // namespace intervox::host
