/** @file The compliant holder (gripper): six springs and dampers from a body's frame to a moving
 target. */
#pragma once

#include "host/bodies/motion.h"
#include "host/bodies/rigid_body.h"
#include "host/contact/contact.h"

namespace intervox::host {

/** A holder at one instant, positions known, velocities not: its wrench on the body, at the body
 frame's origin B, is affine in the body's velocities,
   f = f_0 − D (v_B − v_ref),  τ = τ_0 − D_r (ω − ω_ref). */
struct HolderStage {
  Vec3 p_WB;           ///< where f acts [m]
  Vec3 f_0;            ///< spring force [N]
  Vec3 tau_0;          ///< spring torque about B [N·m]
  Mat3 K, K_r;         ///< stiffness, world axes [N/m], [N·m/rad]
  Mat3 D, D_r;         ///< damping, world axes [N·s/m], [N·m·s/rad]
  Mat3 R_WT;           ///< the target's axes, along which K and D are diagonal
  Vec3 k, d;           ///< K and D along them
  Vec3 v_ref, w_ref;   ///< velocities of the target's material at B [m/s], [rad/s]
  Vec3 force, torque;  ///< the wrench found last, about B [N], [N·m]
};

/** The holder with its target and the body's frame at X_WB, q_WB. The deviation is resolved in the
 target's axes; the rotational one is a rotation vector. */
HolderStage MakeHolderStage(const Holder& holder, const FrameMotion& target, const Pose& X_WB,
                            const Quaternion& q_WB);

/** What the springs of a holder store [J]: ½ eᵀ K e + ½ φᵀ K_r φ, e being where the body's frame is
 off its target and φ the rotation vector between them. */
struct HolderEnergy {
  double stored = 0.0;
  double rounding = 0.0;  ///< of it, by that of positions
};
/** That of the holder with its target and the body's frame at X_WB, q_WB. */
HolderEnergy EnergyOf(const Holder& holder, const FrameMotion& target, const Pose& X_WB,
                      const Quaternion& q_WB);

/** A bound on the frequency of a body in its holder [rad/s]. */
double FrequencyBound(const Holder& holder, const RigidBody& body);

/** Lets the springs act at the implicit position: the body is off from there by dx + hγ v and
 turned by dtheta + hγ ω, so that hγ K is added to the damping. No stiffness is then unstable. */
void MoveHolder(double h_gamma, const StageBody& body, HolderStage* holder);

/** Wrench at the velocities of `body`. */
void EvaluateHolder(const StageBody& body, HolderStage* holder);

/** Solves M v = M v* + hγ (damping wrench + spring wrench) for the wrench, where `body` holds the
 velocities v* that all other loads leave: the damper is implicit, so no damping is too large.
 Unconditionally stable: M + hγ D is symmetric and positive definite. */
void SolveHolder(double h_gamma, const StageBody& body, HolderStage* holder);

/** Powers of a holder at the velocities of `body` [W]: on the body, by what moves the target, and
 what the dampers take. What is left goes into the springs. */
struct HolderPower {
  double on_body = 0.0, by_target = 0.0, loss = 0.0;
};
/** Those of the wrench found last.
 @param h_gamma  of MoveHolder, 0 where it was not called [s] */
HolderPower PowerOf(double h_gamma, const StageBody& body, const HolderStage& holder);

}  // namespace intervox::host
