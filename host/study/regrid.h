/** @file Shapes as grids of other voxels, those that are grids already included. */
#pragma once

#include <vector>

#include "geometry/cell.h"
#include "geometry/shape.h"

namespace intervox::host {

/** What stands behind a shape, with which its grids can be compared. */
enum class Origin {
  kExact,     ///< surfaces: its own, or those of the shape that the grid was made of
  kMeasured,  ///< triangles of a file, or a lattice: there are grids only, of any voxel size
  kLevelSet,  ///< a level set of a file, which has one voxel size
};

/** Says what stands behind a shape. */
Origin OriginOf(const geometry::Shape& shape);

/** Edge of a grid's voxels, all scales applied [m]. */
double VoxelSizeOf(const geometry::Shape& grid);

/** The cells of a shape, or of the shape that the grid was made of; of a grid of another origin its
 own. @throws std::invalid_argument as ToCells does. */
std::vector<geometry::Cell> CellsBehind(const geometry::Shape& shape);

/** The shape as a grid of these voxels. What is unbounded, and a level set of a file, stays as it
 is.
 @throws std::invalid_argument for voxel sizes that it has no grid of. */
std::vector<geometry::Cell> CellsOfGrid(const geometry::ShapePtr& shape, double voxel_size,
                                        double half_width);

}  // namespace intervox::host
