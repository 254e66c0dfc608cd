/** @file The largest convex parts of a solid with plane faces: they overlap. */
#pragma once

#include <span>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

/** The largest convex parts that planes of the solid's own faces bound: an L is a long and a tall
 block that share its corner. They are the same however the solid was cut. Empty where a cell is no
 bounded polytope, where there are no two parts, and where the planes would divide the solid into
 more than 64 pieces. The parts have no neighbours.
 @param cells  disjoint, their neighbours linked. */
std::vector<Cell> LargestConvexParts(std::span<const Cell> cells);

}  // namespace intervox::geometry
