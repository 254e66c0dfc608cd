/** @file Cells of one body cut where neighbours cover a face in part. */
#pragma once

#include <span>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

/** The same solid in cells whose plane faces lie either wholly inside it or wholly on its surface,
 as far as cuts along faces of neighbours do that: an L of a long and a short block becomes three
 blocks. What a neighbour with a curved face covers stays covered in part, and so does what takes
 more than 64 further cells. Neighbours are linked anew.
 @param cells  disjoint, their neighbours linked. */
std::vector<Cell> SplitCoveredFaces(std::span<const Cell> cells);

}  // namespace intervox::geometry
