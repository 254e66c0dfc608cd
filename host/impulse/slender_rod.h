/** @file A slender rod whose lower end touches a rough floor: Painlevé's problem. */
#pragma once

#include <vector>

#include "host/impulse/laws.h"

namespace intervox::host {

/** A uniform rod in a vertical plane, its lower end on the floor and its centre toward +x of it. */
struct SlenderRod {
  double mass = 1.0;         ///< m [kg]
  double half_length = 1.0;  ///< l [m]; the inertia is m l²/3
  double angle = 0.5;        ///< θ, of the rod above the floor, in (0, π/2] [rad]
  double turning = 0.0;      ///< θ̇ [rad/s]
  double slip = 0.0;         ///< velocity of the lower end along x [m/s]
  double friction = 0.0;     ///< μ
  double gravity = 9.81;     ///< g [m/s²]
};

/** What a rigid rod's end does next. */
enum class RodMode { kLeaves, kSticks, kSlidesForth, kSlidesBack };

/** One way for a rigid rod to go on: accelerations and forces that Newton's and Coulomb's laws
 allow together. */
struct RodSolution {
  RodMode mode = RodMode::kLeaves;
  double normal_force = 0.0;             ///< f_n ≥ 0 [N]
  double tangential_force = 0.0;         ///< f_t along x [N]
  double normal_acceleration = 0.0;      ///< of the end, ≥ 0 [m/s²]
  double tangential_acceleration = 0.0;  ///< of the end along x [m/s²]
};

/** All ways to go on from rest normal to the floor. With s = c − μ b sgn(slip), the end's normal
 acceleration for each newton of load, and a₀ its free one, a slipping end has
 one for s > 0; two for s < 0, a₀ > 0 (indeterminate); none for s < 0, a₀ < 0 (inconsistent).
 @throws InputError for values outside the ranges of SlenderRod */
std::vector<RodSolution> RodSolutions(const SlenderRod& rod);

/** The least friction with which an end that slips toward −x jams, (1 + 3 cos²θ)/(3 sin θ cos θ);
 never below 4/3, which it is at tan θ = 2. @param angle  θ in (0, π/2) [rad] */
double JammingFriction(double angle);

/** The rod's end as a contact: x along the floor, z up. @param rise  its normal velocity [m/s] */
CollisionPoint RodContact(const SlenderRod& rod, double rise);

}  // namespace intervox::host
