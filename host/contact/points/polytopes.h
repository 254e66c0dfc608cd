/** @file Two convex polytopes along their separating axis of least depth. */
#pragma once

#include <vector>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** Features of the points: A's corners from 0, B's from here on, which is more than a polytope has
 corners or faces. */
inline constexpr int kFirst = 3 << 12;
/** Crossings of edges from here on, whatever finds them. */
inline constexpr int kFirstCrossing = 2 * kFirst;

/** Appends the points of two bounded polytopes with corners.
 @return a distance that they are certainly apart [m]; 0 where they meet. */
double PointsOfPolytopes(const geometry::Cell& a, const Pose& X_WA, const geometry::Cell& b,
                         const Pose& X_WB, std::vector<PointContact>* out);

}  // namespace intervox::host::points
