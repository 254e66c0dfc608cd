/** @file Two convex polytopes along the way out that takes the least energy. */
#pragma once

#include <vector>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** Features of the points: A's corners from 0, B's from here on, which is more than a polytope has
 corners or faces. */
inline constexpr int kFirst = 3 << 12;
/** Crossings of edges from here on, whatever finds them. */
inline constexpr int kFirstCrossing = 2 * kFirst;
/** More than a polytope has edges. */
inline constexpr int kMostEdges = 9 << 11;
/** Squared sine below which two edges are parallel. */
inline constexpr double kParallelEdges = 1e-12;

/** Appends the points of two bounded polytopes with corners: those along the way out that takes the
 least energy, Σ w zᵖ. Along each that is a continuous function of the pose, and so is the least: as
 points come and go, the energy of the contact does not jump.
 @param power  p, the exponent of the law and 1
 @return a distance that they are certainly apart [m]; 0 where they meet. */
double PointsOfPolytopes(const geometry::Cell& a, const Pose& X_WA, const geometry::Cell& b,
                         const Pose& X_WB, double power, std::vector<PointContact>* out);

}  // namespace intervox::host::points
