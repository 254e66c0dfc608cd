/** @file The flow of slip during a collision: friction that follows the slip while P_n grows. */
#pragma once

#include "host/impulse/local.h"

namespace intervox::host::impulse {

/** What ends a collision. */
enum class FlowEnd { kNewton, kPoisson, kStronge };

/** Where a flow ended. */
struct Flow {
  LocalImpulse impulse;           ///< [N·s]
  double compression = 0.0;       ///< P_c, impulse while v < 0 [N·s]
  double work_compression = 0.0;  ///< W_c ≤ 0, of the normal impulse while v < 0 [J]
  double work_restitution = 0.0;  ///< W_r ≥ 0, of the normal impulse since [J]
};

/** Integrates du/dp_n = b − μ A u/|u|, Bhatt and Koechling (5.12), (5.13), with u the slip.
 In their time τ, dτ = dp_n/|u| (5.16), angle and logarithm of the slip are smooth (5.17), (5.18).
 Straight pieces (slip along an invariant direction, sticking, slip that starts again along the one
 direction of outflow) are closed forms. Ends of phases are located to rounding, the flow to 1e-12.
 */
Flow FlowOf(const LocalContact& contact, double e, double mu, FlowEnd end);

}  // namespace intervox::host::impulse
