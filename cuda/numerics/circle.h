/** @file Directions of a plane by half-angle tangents about the middles of four quadrants.

 The middle of quadrant 0 is +x, that of quadrant 1 is +y. In a quadrant u ∈ [−kT, kT] stands for
 the direction (1 − u², 2u)/(1 + u²) from its middle, so that +, −, ×, ÷ and √ suffice. */
#pragma once

#include <cmath>

#include "geometry/hd.h"

namespace intervox::cuda::internal {

/** tan(π/8): half-angle tangents of a quadrant about its middle lie in [−kT, kT]. */
inline constexpr double kT = 0.41421356237309504880;

/** A direction as its quadrant and the half-angle tangent from the quadrant's middle. */
struct QuadrantAngle {
  int quadrant = 0;
  double u = 0.0;
};

/** The angle of (x, y), which need not be a unit vector. */
INTERVOX_HD inline QuadrantAngle AngleOf(double x, double y) {
  const bool wide = std::fabs(x) >= std::fabs(y);
  const int quadrant = wide ? (x > 0 ? 0 : 2) : (y > 0 ? 1 : 3);
  const double c = wide ? std::fabs(x) : std::fabs(y);
  const double s = quadrant == 0 ? y : quadrant == 1 ? -x : quadrant == 2 ? -y : x;
  return {quadrant, s / (c + std::sqrt(c * c + s * s))};
}

/** Turns (x, y) by as many quarter turns. */
INTERVOX_HD constexpr void TurnByQuadrant(int quadrant, double* x, double* y) {
  const double a = *x, b = *y;
  *x = quadrant == 0 ? a : quadrant == 1 ? -b : quadrant == 2 ? -a : b;
  *y = quadrant == 0 ? b : quadrant == 1 ? a : quadrant == 2 ? -b : -a;
}

/** The unit vector (c, s) of an angle; returns 1/(1 + u²), half of dφ/du. */
INTERVOX_HD inline double DirectionOf(const QuadrantAngle& angle, double* c, double* s) {
  const double u = angle.u, ig = 1.0 / (1.0 + u * u);
  *c = (1.0 - u * u) * ig;
  *s = 2.0 * u * ig;
  TurnByQuadrant(angle.quadrant, c, s);
  return ig;
}

}  // namespace intervox::cuda::internal
