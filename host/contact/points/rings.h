/** @file Points of a ring, a whole torus, on a convex cell. */
#pragma once

#include <optional>
#include <vector>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** The radius of the tube of a cell that is a whole torus [m]; 0: it is none. */
double TubeOf(const geometry::Cell& cell);

/** The radius of the widest bore or dimple of a cell [m]: 0 where it has none, infinite where
 another face is hollow. A thicker tube rests on their rims. */
double WidestHollow(const geometry::Cell& cell);

/** Whether a cell is as a convex one to a tube or a circle of this radius: its faces are planes or
 walls of revolution, and its hollows are narrower. */
bool IsConvexTo(double radius, const geometry::Cell& cell);

/** Whether one of two cells is a whole torus, and the other convex with plane faces or walls of
 revolution, but for hollows narrower than the tube: a polytope, a cylinder, a cone, a part of a
 ball, a block with a small bore. */
bool IsRingOnConvex(const geometry::Cell& a, const geometry::Cell& b);

/** Appends the points of a ring on a convex cell. A ring is a ball whose centre runs along a
 circle: each point is the foot of such a ball, its depth z is continuous while the bodies move and
 has the normal as its gradient. There are two sets of them:
 - the places where z is largest along the circle, one or several, U_p = Σ w_j z_jᵖ;
 - twelve that keep their places on the ring and weigh a quarter each, U_f = ¼ Σ z_kᵖ: three times
   what the deepest has where the ring lies flat.
 The energy is U = U_f s(U_p/U_f), with s = 1 below ½, s(q) = q above 3/2 and smooth between. As
 U is homogeneous in both, points that weigh ∂U/∂U_p and ∂U/∂U_f have U as their energy and its
 gradient as their force: nothing jumps as the ring is laid down, and flat it has no place that is
 deepest by rounding.
 @param power  p of a point's energy ∝ zᵖ
 @param on_cut  takes the deepest point where it is left out as it lies on a cut face; may be null
 @return a distance that the cells are certainly apart [m]; 0 where they may meet; empty where no
 foot is found. */
std::optional<double> PointsOfRing(const PairQuery& query, double power,
                                   std::vector<PointContact>* out,
                                   std::optional<PointContact>* on_cut);

}  // namespace intervox::host::points
