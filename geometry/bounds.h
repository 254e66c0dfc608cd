/** @file Axis-aligned bounds of cells and solids in any pose. */
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

/** An axis-aligned box; infinite where the solid is, lower > upper when empty. */
struct Aabb {
  Vec3 lower;
  Vec3 upper;
};

/** The axis-aligned box, in W, of a cell posed at X_WC. Exact for bounded polytopes and for each
 curved surface whose inside is kept; elsewhere that of the cell's oriented box. */
Aabb BoundsInPose(const Cell& cell, const Pose& X_WC);

/** The box of a set of cells of one body. */
Aabb BoundsInPose(std::span<const Cell> cells, const Pose& X_WC);

/** The boxes share a point. */
bool Overlap(const Aabb& a, const Aabb& b);

/** MakeCell for a cell that is known to lie in a box, infinite where nothing is known. Surfaces
 whose outside is kept may bound a cell where no plane around it does: then the box does.
 @throws std::invalid_argument when there is no surface. */
Cell MakeCellWithin(const Aabb& within, std::vector<Surface> surfaces, std::string name);

/** All pairs a < b of boxes that share a point, ascending. O(n log² n) and the pairs. */
std::vector<std::pair<int, int>> NearPairs(std::span<const Aabb> boxes);

}  // namespace intervox::geometry
