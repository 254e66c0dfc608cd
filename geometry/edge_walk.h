/** @file Walks within a cell to its plane faces, edges and corners. */
#pragma once

#include <optional>

#include "geometry/cell.h"

namespace intervox::geometry {

/** Where a walk ends that goes from a point p of a cell along a direction, on along the plane faces
 that it meets, and along the edges between them: at a corner, on a curved surface, or where the
 direction is across a face. Empty where p is outside, or the walk does not end. In the cell's
 frame. */
std::optional<Vec3> EndOfWalk(const Cell& cell, Vec3 p, const Vec3& along);

}  // namespace intervox::geometry
