/** @file The two nearest points of convex sets: a primal-dual interior-point method. */
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "geometry/surface.h"

namespace intervox::host::distance {

/** A condition c(x) ≤ 0 on one of the two points, c convex. */
struct Constraint {
  int body = 0;               ///< whose point: 0 or 1
  geometry::Surface surface;  ///< in the program's frame; a plane where it is linear
  bool hull = false;          ///< of a torus: its convex hull, all points within e_y of its disc
};

/** A plane, by the level of a point. */
struct Flat {
  double level = 0.0;
  Vec3 n;
};

/** The plane that bounds a torus' hull above or below its disc at x; nothing elsewhere, and for
 other constraints. */
std::optional<Flat> FlatOfHull(const Constraint& constraint, const Vec3& x);

/** A sphere that holds all points of a set that may be nearest. */
struct Reach {
  Vec3 center;
  double radius = std::numeric_limits<double>::infinity();
};

/** The nearest points found, and what is proved. */
struct NearestPoints {
  Vec3 x, y;                    ///< of body 0 and body 1
  Vec3 n;                       ///< unit vector from y to x; to all digits where proved
  double distance = 0.0;        ///< |x − y|
  double lower = 0.0;           ///< no two points within their reach are nearer
  double violation = HUGE_VAL;  ///< the largest of the constraints at x and y
};

/** Minimises |x − y| where all constraints hold; lengths should be about 1.

 The lower bound needs no convergence: with multipliers λ ≥ 0 and any n, convexity gives
 n·x' ≥ n·x + Σ λ c(x) − |n + Σ λ ∇c(x)| |x' − x| for all x' of the set, and likewise for y. The
 unit vector n is that of Σ λ ∇c(y) − Σ λ ∇c(x), as x − y has no digits left where they touch.
 @param reach  of both sets; where one is infinite nothing is proved
 @param enough ends the search once `lower` is above it */
NearestPoints FindNearest(const std::vector<Constraint>& constraints, const Vec3& x, const Vec3& y,
                          const std::array<Reach, 2>& reach, double enough);

/** Whether the side that a surface keeps is a convex set. */
inline bool KeepsConvex(const geometry::Surface& surface) {
  using geometry::SurfaceKind;
  const double s = surface.side;
  if (surface.kind == SurfaceKind::kPlane) return true;
  if (surface.kind == SurfaceKind::kTorus) return false;
  if (surface.kind == SurfaceKind::kCone) return s > 0;
  return s * surface.e.x >= 0 && s * surface.e.y >= 0 && s * surface.e.z >= 0;
}

/** c(x), of a cone as a cone: its level over its slope. */
double ConstraintValue(const Constraint& constraint, const Vec3& x);

}  // namespace intervox::host::distance
