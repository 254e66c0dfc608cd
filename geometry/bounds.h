/** @file Axis-aligned bounds of cells and solids in any pose. */
#pragma once

#include <span>

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

/** The boxes, grown by `margin` each, share a point. */
bool Overlap(const Aabb& a, const Aabb& b, double margin = 0.0);

}  // namespace intervox::geometry
