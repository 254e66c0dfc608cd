/** @file Rigid bodies: mass properties and the state that the stepper advances. */
#pragma once

#include <functional>

#include "cuda/moments/mass_properties.h"
#include "host/bodies/input.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** How a body moves. */
enum class BodyKind { kFree, kFixed, kDriven };

/** What the guard on energy knows of a body, since the start [J]. */
struct EnergyAccount {
  double passed = 0.0;  ///< by how much its kinetic and potential energy have gone up and down
  double gained = 0.0;  ///< in resolved substeps, by nothing; less what such errors took since
};

/** A body and its state at the last accepted step.

 State: centre of mass, orientation, linear momentum p and spin L (angular momentum about the centre
 of mass). Within a step the stepper advances p and H, the angular momentum about the point O where
 the centre was at the step's start: with a force f at a, dp = f and dH = (a − O)×f + τ, so opposite
 wrenches at the same point cancel in the sums over bodies to rounding, whatever the scheme. Then
 L = H − (r − O)×p and ω = I_W⁻¹ L: there is no gyroscopic term to integrate. */
struct RigidBody {
  BodyKind kind = BodyKind::kFree;
  double mass = 0.0;                      ///< [kg]; 0 unless free
  Vec3 p_BM;                              ///< centre of mass, body frame [m]
  Mat3 inertia_M = Mat3::Zero();          ///< about the centre of mass, body axes [kg·m²]
  double inverse_mass = 0.0;              ///< [1/kg]; 0 unless free
  Mat3 inverse_inertia_M = Mat3::Zero();  ///< body axes [1/(kg·m²)]
  Vec3 p_WM;                              ///< centre of mass [m]
  Quaternion q_WB;                        ///< orientation, unit
  Vec3 momentum;                          ///< p [kg·m/s]
  Vec3 spin;                              ///< L [kg·m²/s]
  Vec3 v;                                 ///< of the centre of mass [m/s]
  Vec3 w;                                 ///< angular, world axes [rad/s]
  BodyInput input;
  EnergyAccount account;
};

/** I_W⁻¹ at the orientation R_WB. */
Mat3 InverseInertiaW(const RigidBody& body, const Mat3& R_WB);

/** I_W⁻¹ L at the orientation R_WB: the angular velocity of spin L, world axes [rad/s]. */
Vec3 TurnOf(const RigidBody& body, const Mat3& R_WB, const Vec3& spin);

/** Pose of the body frame from centre of mass and orientation. */
Pose FramePose(const RigidBody& body, const Vec3& p_WM, const Mat3& R_WB);

/** Sets a free body's velocities from its momenta and orientation. @return pose of its frame */
Pose SetVelocities(RigidBody* body);

/** Mass properties of a body's solid at a density [kg/m³]; empty for a body without a solid.
 @throws std::invalid_argument where it has none. */
using SolidMass = std::function<MassProperties(double density)>;

/** Makes a body with its start state. Mass properties are those given; what is not given comes from
 the solid and the material's density, a given mass scaling them.
 @throws InputError naming the body and what is missing or wrong. */
RigidBody MakeRigidBody(const Scene& scene, const BodySettings& settings, const SolidMass& solid);

/** Kinetic energy [J]. */
double KineticEnergy(const RigidBody& body);

}  // namespace intervox::host
