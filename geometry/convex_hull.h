/** @file Convex hulls of points. */
#pragma once

#include <span>
#include <vector>

#include "geometry/polytope.h"

namespace intervox::geometry {

/** Most triangles of a hull while it is made: cells cost the square of their faces. */
inline constexpr int kMostHullTriangles = 12000;

/** The half-spaces of the convex hull, one for each face; coplanar facets are merged, and every
 point satisfies every half-space exactly as computed. A cut's id is the point that touches it.
 Deterministic. Empty when the points are flat: thinner than 1e-10 of their extent.
 @throws std::length_error for a hull of more than kMostHullTriangles triangles. */
std::vector<PlaneCut> ConvexHull(std::span<const Vec3> points);

}  // namespace intervox::geometry
