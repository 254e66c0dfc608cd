/** @file Corners of cells that are corners of the body: where it is locally a pointed cone. */
#pragma once

#include <span>

#include "geometry/cell.h"

namespace intervox::geometry {

/** Sets `corners.extreme` of the cells of one body that have neighbours, however cuts go through
 its corners: true where all that connected cells hold next to the corner lies in a pointed cone,
 to first order, and no cell before has the same corner. Cells without neighbours need no such list.
 @param cells  of one body, their neighbours linked. */
void MarkExtremes(std::span<Cell> cells);

}  // namespace intervox::geometry
