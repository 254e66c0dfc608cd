/** @file Clipping of a parallelepiped whose faces share their corners. */
#pragma once

#include <array>
#include <optional>
#include <span>

#include "geometry/plane_cut.h"
#include "geometry/polytope.h"

namespace intervox::geometry {

/** Three independent pairs of opposite cuts, by their indices. */
struct Slabs {
  std::array<int, 3> lower{-1, -1, -1}, upper{-1, -1, -1};
};

/** Clips the parallelepiped between slabs by all other cuts. Each corner is computed once, from the
 three cuts that meet in it. Nothing where corners lie so near a cut that rounding decides on which
 side, or there are many cuts: then the faces are to be clipped one by one.
 @param center  a point near the result.
 @param tolerance  lengths below this are zero [m]. Of cuts that coincide the first one has the
 face.
 Cost grows with the square of the number of cuts. */
std::optional<Polytope> ClipSlabs(std::span<const PlaneCut> cuts, const Slabs& slabs,
                                  const Vec3& center, double tolerance);

/** Clips a polytope of all cuts but the last, whose faces share their corners, by that one. Nothing
 where ClipSlabs gives nothing, or its corners are not known. */
std::optional<Polytope> ClipShared(const Polytope& P, std::span<const PlaneCut> cuts,
                                   double tolerance);

}  // namespace intervox::geometry
