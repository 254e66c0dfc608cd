/** @file How cells curve where they touch: principal curvatures of surfaces, edges and corners, and
 of the gap between two of them. */
#pragma once

#include <span>

#include "geometry/cell.h"
#include "host/contact/points/points.h"

namespace intervox::host::points {

/** The curvatures of a boundary at a point, along unit directions across its normal n. Curvature is
 1/radius [1/m]: positive where the solid is convex, 0 of a plane, infinite across an edge and in
 both directions at a corner. k_1 ≥ k_2, and d_1, d_2, n are right-handed. */
struct Curvatures {
  double k_1 = 0.0;  ///< [1/m]
  double k_2 = 0.0;  ///< [1/m]
  Vec3 d_1;
  Vec3 d_2;
};

/** The second derivatives ∇∇f of a surface's level function, in its cell's frame. */
Mat3 Hessian(const geometry::Surface& surface, const Vec3& p);

/** Of one surface at a point p on it, from the Hessian of its level function, for the kept side: W
 = side T ∇∇f T/|∇f| with T = I − n nᵀ. In the surface's frame. At a cone's apex both are infinite.
 */
Curvatures CurvaturesOf(const geometry::Surface& surface, const Vec3& p);

/** Of a cell at a boundary point p, where it is touched along the unit normal n out of it: a face's
 where p lies on one surface, or near none of several; on two, those of the edge: infinite across
 it, and along it the bend of the curve towards −n; on three or more a corner's. Cut faces do not
 count. In the cell's frame. */
Curvatures CurvaturesOf(const geometry::Cell& cell, const Vec3& p, const Vec3& n);

/** Of a posed solid of one cell or several, at a point p_W of its boundary where the unit normal
 out of it is n_W; world axes. */
Curvatures CurvaturesOf(std::span<const geometry::Cell> cells, const Pose& X_WB, const Vec3& p_W,
                        const Vec3& n_W);

/** Of the gap between two bodies that touch: the gap grows by ½ (k_1 x² + k_2 y²) along d_1 and
 d_2. The tensors of both add up; both in one frame, with normals that are opposite. */
Curvatures RelativeCurvatures(const Curvatures& a, const Curvatures& b, const Vec3& n);

/** The same of a point at which the cells of a query touch, world axes; n is the point's. */
Curvatures CurvaturesOfGap(const PairQuery& query, const PointContact& point);

/** Of the gap between two faces that overlap, at a point p_W of the overlap; n from B toward A.
 Infinite in all directions where a solid has no face towards the other there, or several whose
 normals lie within 25° of it, as at an edge or on facets of a round part; and on grids. */
Curvatures CurvaturesOfFaces(const PairQuery& query, const Vec3& p_W, const Vec3& n);

/** Hertz' stiffness over the modulus E* [m^½]: f = E* form z^(3/2) for a gap of these relative
 curvatures. With the ellipse's axes a ≥ b, its eccentricity e and the complete integrals K(e), E(e)
 (Johnson, Contact Mechanics, 4.26):

   k_2/k_1 = ((a/b)² E − K)⁻¹ (K − E) … form = (2π/3) (a/b) √E / (√((k_1 + k_2)/2) K^(3/2)),

 which is (4/3) √R where both are 1/R. 0 where the curvatures are not both positive and finite: such
 a contact is no ellipse. */
double HertzForm(double k_1, double k_2);

}  // namespace intervox::host::points
