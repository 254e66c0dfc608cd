/** @file Closest points of one surface, of the curve where two meet, and corners of three. */
#pragma once

#include <array>

#include "geometry/surface.h"

namespace intervox::geometry::internal {

/** Up to four stationary points of the distance, the closest first. */
struct ClosestPoints {
  std::array<Vec3, 4> x;
  int count = 0;
};

/** The points of the surface f = 0 closest to p; the first is the globally closest one. */
ClosestPoints ClosestOnSurface(const Surface& S, const Vec3& p);

/** Walks from *x along the curve f_a = f_b = 0 to the point nearest to p. @returns whether it
 converged; parallel normals do not. */
bool ClosestOnCurve(const Surface& a, const Surface& b, const Vec3& p, Vec3* x);

/** Newton's method for f_a = f_b = f_c = 0 from *x. @returns whether it converged. */
bool FindCorner(const Surface& a, const Surface& b, const Surface& c, Vec3* x);

}  // namespace intervox::geometry::internal
