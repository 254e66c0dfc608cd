/** @file Triangles of a scene's bodies. */
#pragma once

#include <span>
#include <string>
#include <vector>

#include "geometry/bounds.h"
#include "host/mesh/triangulate.h"

namespace intervox::host {

/** Cuts unbounded cells to a box in the cells' frame; bounded ones stay as they are. */
std::vector<geometry::Cell> CutToBox(std::span<const geometry::Cell> cells,
                                     const geometry::Aabb& box);

/** A thousandth of the diagonal of the cells' box [m]: the deviation where none is asked for. */
double DefaultDeviation(std::span<const geometry::Cell> cells);

}  // namespace intervox::host
