/** @file Cells of one body that together are one cell again: cuts undone. */
#pragma once

#include <span>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

/** Whether cells with hollow faces are merged, too, or stay as they were cut around these. */
enum class Hollows { kMerged, kKept };

/** The same solid in fewer cells: those whose union is one cell, within 1e-9 of their size, become
 that cell, with the name of one of them. First pairs across a common face, until none is left; then
 what remains connected, as a whole, where that is a polytope. Grids stay as they are, and so does
 what would have too many surfaces. A merged cell, and one that was never cut, has the same bits
 however it was cut. Neighbours are linked anew, and corners are told from those that cuts make
 (MarkExtremes).
 @param cells  disjoint, their neighbours linked. */
std::vector<Cell> MergeCells(std::span<const Cell> cells, Hollows hollows);

}  // namespace intervox::geometry
