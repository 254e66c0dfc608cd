/** @file The polytope around an intersection of sides of surfaces, and the box around it. */
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geometry/bounds.h"
#include "geometry/cell.h"
#include "geometry/polytope.h"

namespace intervox::geometry {

/** A convex polytope that encloses the intersection of the surfaces' kept sides: its planes, and
 tangent planes of the curved surfaces whose inside is kept. A cut's id is the index of its plane
 surface, or −1 for a tangent plane. */
struct EnclosingPolytope {
  std::vector<PlaneCut> cuts;
  Polytope polytope;
};

/** Builds it. A quadric without a formula of its own is bounded by contracting its equation over
 the box of the other surfaces. */
EnclosingPolytope Enclose(std::span<const Surface> surfaces);

/** The same to rounding where the polytope is likely to lie in a box, which makes it faster. */
EnclosingPolytope EncloseWithin(std::span<const Surface> surfaces, const Aabb& box);

/** The same for what the surfaces hold in a box, whose walls are among the tangent planes. */
EnclosingPolytope EncloseIn(std::span<const Surface> surfaces, const Aabb& box);

/** The hull within one more plane, the surface `id`. Nothing where it must be built anew: it is not
 bounded, or rounding decides on which side of the plane a corner is. */
std::optional<EnclosingPolytope> EncloseFurther(const EnclosingPolytope& hull, const Surface& plane,
                                                int id);

/** The hull with its planes numbered anew and without those that are gone. Nothing where one of
 these has a face or an edge.
 @param origin  of each new number: the old one, ascending. */
std::optional<EnclosingPolytope> Renumbered(EnclosingPolytope hull,
                                            std::span<const std::ptrdiff_t> origin);

/** MakeCell for surfaces that have the hull. */
Cell MakeCellIn(const EnclosingPolytope& hull, std::vector<Surface> surfaces, std::string name);

/** The polytope's face of the plane surface `surface`; null where it has none. */
const PolytopeFace* FindFace(const EnclosingPolytope& hull, int surface);

/** A length that the surfaces' positions and sizes do not exceed; 1 m where all are 0. */
double LengthScale(std::span<const Surface> surfaces);

/** The smallest oriented box found for the polytope and the ellipsoids among the surfaces. Its axes
 are those of a curved surface, of a pair of planes, or the frame's own; where the polytope is not
 bounded the half extents are infinite. */
OrientedBox EnclosingBox(std::span<const Surface> surfaces, const Polytope& polytope);

}  // namespace intervox::geometry
