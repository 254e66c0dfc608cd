/** @file Rays through grids. */
#pragma once

#include <optional>

#include "geometry/cell.h"

namespace intervox::geometry {

/** Where a ray enters a grid's solid. */
struct GridHit {
  double t = 0;  ///< along the direction [m]
  Vec3 normal;   ///< outward, unit
};

/** The first change from f > 0 to f ≤ 0 on origin + t direction with t_min < t < t_max. Steps are
 as long as the field's slope allows, and a twentieth of a voxel at least: what is thinner may be
 missed.
 @param origin, direction  in the frame of the part's cell; direction is a unit vector
 @param inside  whether the ray starts inside, set at t_min */
std::optional<GridHit> FirstEntry(const GridPart& part, const Vec3& origin, const Vec3& direction,
                                  double t_min, double t_max, bool* inside);

}  // namespace intervox::geometry
