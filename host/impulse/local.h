/** @file A collision in its contact's own axes, where the laws are written. */
#pragma once

#include <Eigen/Core>

namespace intervox::host::impulse {

/** W and the velocity, split into the tangent plane and the normal:
 slip⁺ = slip + A p_t + b p_n, v⁺ = v + b·p_t + c p_n. */
struct LocalContact {
  Eigen::Matrix2d A;
  Eigen::Vector2d b;
  double c = 0.0;
  Eigen::Vector2d slip;
  double v = 0.0;
};

/** An impulse in the same axes. */
struct LocalImpulse {
  Eigen::Vector2d t = Eigen::Vector2d::Zero();
  double n = 0.0;
};

/** Friction that dissipates most, for a load of 1 and a disc of radius R. */
struct DiscFriction {
  Eigen::Vector2d q;  ///< argmin ½ q·A q + g·q over |q| ≤ R
  double slip = 0.0;  ///< κ ≥ 0 of (A + κ 1) q = −g; 0 inside the disc: it sticks
};

/** The tangential impulse within a disc that leaves the least energy; it is unique, as A is
 positive definite. On the rim, what slip is left is −κ q. @param radius  R ≥ 0 */
DiscFriction FrictionOnDisc(const Eigen::Matrix2d& A, const Eigen::Vector2d& g, double radius);

/** Routh's graph. @throws InputError where slip, b and A's axes do not share one plane */
LocalImpulse RouthImpulse(const LocalContact& contact, double e, double mu);

/** Newton's e with Coulomb's law for the whole impulse: p_t is that of FrictionOnDisc for p_n. */
LocalImpulse KaneImpulse(const LocalContact& contact, double e, double mu);

/** Brach's law: p_t = −ζ p_n along the first slip, ζ bounded by μ, by the end of slip, and by the
 energy. */
LocalImpulse BrachImpulse(const LocalContact& contact, double e, double mu);

/** Chatterjee and Ruina's law: (1 + e) P_I + κ (P_II − P_I), κ the largest up to 1 + e_t in the
 * cone. */
LocalImpulse ChatterjeeImpulse(const LocalContact& contact, double e, double e_t, double mu);

}  // namespace intervox::host::impulse
