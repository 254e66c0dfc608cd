/** @file Two rigid bodies that collide at one point: what an impulse does to them. */
#pragma once

#include <limits>
#include <string>

#include "geometry/linear.h"

namespace intervox::host {

/** A rigid body as a collision sees it. All vectors are in world axes. */
struct CollidingBody {
  std::string name = "body";                              ///< stands in error messages
  double mass = std::numeric_limits<double>::infinity();  ///< [kg]; infinite: it does not move
  Mat3 inertia;  ///< about the centre of mass [kg·m²]; not read where the mass is infinite
  Vec3 p;        ///< centre of mass [m]
  Vec3 v;        ///< its velocity [m/s]
  Vec3 w;        ///< angular velocity [rad/s]
};

/** The contact of a collision: v⁺ = v + W P for an impulse P on the body that n points toward. */
struct CollisionPoint {
  Mat3 inverse_inertia;  ///< W, symmetric and positive definite, world axes [1/kg]
  Vec3 normal{0, 0, 1};  ///< n, unit, from body j toward body i
  Vec3 velocity;         ///< of i relative to j at the point, before [m/s]
};

/** The inverse inertia that two bodies show at a point, for impulses on i and their opposites on j:
 W = Σ (1/m) 1 − [r]× J⁻¹ [r]×, r = point − p, over both bodies; Bhatt and Koechling's A in (5.9).
 @param point  world [m] @return W, world axes [1/kg]
 @throws InputError for a mass that is not positive, an inertia that no body has, numbers that are
 not finite, and two bodies of infinite mass */
Mat3 InverseContactInertia(const CollidingBody& i, const CollidingBody& j, const Vec3& point);

/** W, n and the velocity of body i relative to j at a point.
 @param normal  from j toward i; scaled to unit length
 @throws InputError as InverseContactInertia does, and for a normal of no direction */
CollisionPoint CollisionAt(const CollidingBody& i, const CollidingBody& j, const Vec3& point,
                           const Vec3& normal);

/** Gives body i the impulse P at a point, and body j its opposite; infinite masses stay.
 @param impulse  P, world [N·s] */
void ApplyImpulse(const Vec3& impulse, const Vec3& point, CollidingBody* i, CollidingBody* j);

/** The kinetic energy ½ m v² + ½ ω·J ω [J]; 0 where the mass is infinite. */
double KineticEnergy(const CollidingBody& body);

}  // namespace intervox::host
