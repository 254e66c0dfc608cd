/** @file The exact damping factor of the normal law, Gonthier (3.23)–(3.25), (3.43), (4.63). */
#pragma once

namespace intervox::host {

/** The dimensionless d(e): the root in (1 − e, 1) of (1 + d/e)/(1 − d) = exp(d(1 + 1/e)), with
 which a single impact returns with exactly e times its speed; 0 for e = 1.
 @param e  coefficient of restitution, in [0.01, 1]
 @return   d to rounding; for e ≤ 0.025 it rounds to 1. */
double DampingRoot(double e);

/** a = −d(e)/(e max(v_i, v_small)) ≤ 0 [s/m]. */
double DampingFactor(double e, double v_i, double v_small);

/** The largest A = |a| v_i, that of e = 0.01 [–]. */
inline constexpr double kMostDamping = 100.0;

/** The speed v of a free impact that stores E at its deepest, over √(2 E/m): A/√(2 (A − ln(1 +
 A))), A = |a| v, of any elastic force that grows with the depth; 1 without damping. */
double PressingSpeed(double A);

}  // namespace intervox::host
