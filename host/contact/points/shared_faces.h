/** @file What a face of a convex polytope shares with a face or an edge that lies nearly flat on
 * it.
 */
#pragma once

#include <vector>

#include "host/contact/points/points.h"
#include "host/contact/points/posed_polytope.h"

namespace intervox::host::points {

/** The sine of 12°, at which faces and edges stop lying on each other. */
inline constexpr double kSteepSine = 0.2079117;

/** zᵖ for p > 1, z ≥ 0. */
double PowerOf(double z, double power);

/** Σ w zᵖ over points with depths z: the energy of their contact over a constant. */
double EnergyOf(const std::vector<PointContact>& points, double power);

/** Whether faces with these outward normals share anything: λ of ShareFaces is above 0. */
bool LieFlat(const Vec3& n_B, const Vec3& n_A);

/** Whether an edge does so with a face.
 @param rise  n·u of the face's normal and the edge [m]; @param square  u·u [m²] */
inline bool LiesAlong(double rise, double square) {
  return rise * rise < kSteepSine * kSteepSine * square;
}

/** Sets `out` to the corners of what face f of B and face g of A share, as far as they are deep.
 Each is a corner of one beyond the other's face, or two edges that cross, along its own normal,
 which is the gradient of its depth. It weighs half of what there is of both sides that meet in it,
 in shares of the whole edges, or of the other face's extent where that is less: a corner of a whole
 face weighs 1, and one that is cut off gives its weight to the two that come. All weights are λ
 times that, λ falling from 1 where the faces are less than 3° apart to 0 at 12°, and less where a
 depth is more than that below the plane of f: then w zᵖ is what that one has.
 @param power  p of the energy, the law's exponent and 1 */
void ShareFaces(const PosedPolytope& B, std::size_t f, const PosedPolytope& A, std::size_t g,
                double power, std::vector<PointContact>* out);

/** The same of an edge of the other that lies along a face of a reference: both ends of what there
 is of it, each with its share. @param of_a  whether the face is A's */
void ShareEdge(const PosedPolytope& reference, std::size_t face, const PosedPolytope& other,
               int edge, bool of_a, double power, std::vector<PointContact>* out);

}  // namespace intervox::host::points
