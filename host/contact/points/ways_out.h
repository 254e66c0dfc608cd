/** @file The directions in which two convex polytopes come free: faces of their Minkowski
 * difference.
 */
#pragma once

#include <vector>

#include "host/contact/points/points.h"
#include "host/contact/points/posed_polytope.h"

namespace intervox::host::points {

/** A direction along which two polytopes come apart: the normal of a face of one, or of an edge of
 each. */
struct WayOut {
  double x = 0.0;  ///< how far they are apart along it; negative: how far they have to go [m]
  Vec3 n;          ///< unit, from B to A
  int face = -1;   ///< of A or B; −1: two edges
  bool of_a = false;
  int corner = 0;   ///< of the other one, which is deepest beyond the face
  int edge_a = -1;  ///< of two edges
  int edge_b = -1;
};

/** Appends the ways out along the faces of a reference. @returns the largest x */
double AddFaceWays(const PosedPolytope& reference, const PosedPolytope& other, bool of_a,
                   std::vector<WayOut>* ways);

/** Appends the ways out along the normals of two edges, no deeper than an x.
 @param rise_b, rise_a  FindRises of A's faces and B's edges, and of B's faces and A's edges
 @returns the largest x */
double AddEdgeWays(const PosedPolytope& A, const PosedPolytope& B, double deepest,
                   const std::vector<double>& rise_b, const std::vector<double>& rise_a,
                   std::vector<WayOut>* ways);

/** The feature of two edges that cross. */
int CrossingFeature(int edge_a, int edge_b);

/** The point of a way out: a corner of one beyond a face of the other, or where two edges are
 nearest. */
PointContact PointOf(const WayOut& way, const PosedPolytope& A, const PosedPolytope& B);

}  // namespace intervox::host::points
