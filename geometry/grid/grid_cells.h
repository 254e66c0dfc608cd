/** @file Grids as cells: the whole grid as one, or its blocks. */
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "geometry/cell.h"
#include "geometry/grid/level_set.h"

namespace intervox::geometry {

/** Whether one of the cells is a grid's. */
bool HasGrid(std::span<const Cell> cells);

/** The cell of a whole grid: its six planes stand around the inside, outside of it.
 @param X_CG   the grid's frame in the cell's
 @param scale  a voxel's edge becomes scale · field.voxel_size; positive. */
Cell MakeGridCell(std::shared_ptr<const LevelSet> field, const Pose& X_CG, double scale,
                  std::string name);

/** Refuses what SplitGrids would need more memory for than there is: a block's cell, with what a
 simulation keeps of it, takes twice what its nodes do.
 @throws std::invalid_argument naming voxels that would do. */
void RequireRoomToSplit(const std::vector<Cell>& cells);

/** The cells of the blocks that have an inside: each with surface alone, blocks that lie inside
 merged to boxes. Faces between them are cut; neighbours share a face of a block. A cell without a
 grid stays as it is.
 @param cells  of one body; their neighbours must be of no use, as a grid's cell has none. */
std::vector<Cell> SplitGrids(std::vector<Cell> cells);

}  // namespace intervox::geometry
