/** @file The rotation of a rigid body that no torque acts on. */
#pragma once

#include "geometry/linear.h"

namespace intervox::host {

struct RigidBody;

/** The orientation q_WB after `duration` [s] without torque: the solution of dL_B/dt = L_B × ω_B
 and dq/dt = ½ q ω_B, with L_B = Rᵀ L and ω_B = I⁻¹ L_B, as Taylor series. The kinetic energy stays
 to rounding, however far the body turns. Beyond a thousand turns or so what is left of the
 duration is dropped: the result is then an earlier orientation of the same motion. */
Quaternion TurnFreely(const RigidBody& body, double duration);

}  // namespace intervox::host
