/** @file Convex polytopes by clipping: the planes' part of a cell, with its vertices. */
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "geometry/plane_cut.h"
#include "geometry/surface.h"

namespace intervox::geometry {

/** A face of a polytope. */
struct PolytopeFace {
  int cut = -1;  ///< index into the cuts; at or beyond their number: a wall of the clipping cube
  std::size_t first = 0;  ///< of its corners, in the polytope's vertices
  std::size_t count = 0;
};

/** The intersection of half-spaces, clipped to a cube where it is infinite. */
struct Polytope {
  std::vector<PolytopeFace> faces;
  std::vector<Vec3> vertices;  ///< the faces' corners, face by face; a point may repeat
  std::vector<int> edges;      ///< the cut beyond the edge from each of them to the face's next
  std::vector<int> corners;  ///< of each vertex: one number where faces share it; empty: not known
  Vec3 lower;                ///< axis-aligned box of the vertices
  Vec3 upper;
  double tolerance = 0.0;  ///< lengths below this are zero [m]
  bool empty = false;      ///< no points, or flat within the tolerance
  bool bounded = true;     ///< the clipping cube is not touched

  /** The corners of a face, counter-clockwise seen from outside. */
  std::span<const Vec3> Corners(const PolytopeFace& face) const {
    return std::span(vertices).subspan(face.first, face.count);
  }
  /** The cuts beyond the edges of a face from each corner to the next. */
  std::span<const int> Edges(const PolytopeFace& face) const {
    return std::span(edges).subspan(face.first, face.count);
  }
};

/** How far the clipping cube reaches, in sizes of what is clipped. */
inline constexpr double kUnboundedReach = 1e6;

/** Where a bounded polytope lies: its middle and its largest extent along an axis [m]. */
struct Place {
  Vec3 center;
  double extent = 0;
};

/** The place of an axis-aligned box. */
Place PlaceOf(const Vec3& lower, const Vec3& upper);

/** Clips a cube about the origin by all cuts; where the result is infinite the cube's half width is
 kUnboundedReach times the scale or 1 m, whichever is larger. Vertices are recomputed from their
 three planes, so that they carry no error of the cube's size.
 @param scale  [m] a length no smaller than the cuts' offsets and the size of the result.
 @param likely  where the result is likely to lie, which makes it faster; that is checked.
 Cost grows with the cube of the number of cuts. */
Polytope ClipPolytope(std::span<const PlaneCut> cuts, double scale,
                      const std::optional<Place>& likely = std::nullopt);

/** The bounded polytope of all cuts but the last, clipped by that one, too. Nothing where its
 corners are not known to be shared, or rounding decides on which side of the cut they are. */
std::optional<Polytope> ClipFurther(const Polytope& P, std::span<const PlaneCut> cuts);

/** ClipPolytope where the result is bounded; else one that says so and has no faces. */
Polytope ClipIfBounded(std::span<const PlaneCut> cuts, double scale);

/** The mean of points. */
Vec3 Mean(std::span<const Vec3> points);

/** The half-space of a plane surface. */
PlaneCut ToCut(const Surface& plane, int id);

/** Clips a convex polygon by n·x ≤ d; vertices within the tolerance count as inside. */
std::vector<Vec3> ClipPolygon(std::span<const Vec3> p, const Vec3& n, double d, double tolerance);

}  // namespace intervox::geometry
