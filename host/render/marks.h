/** @file Arrows and patches as small bodies of cells. */
#pragma once

#include <vector>

#include "geometry/cell.h"
#include "host/render/render.h"

namespace intervox::host::internal {

/** The shaft and head of an arrow, in the world frame; empty for an arrow too short to draw. */
std::vector<geometry::Cell> ArrowCells(const ForceArrow& arrow);

/** The flat elliptic disc of a patch, in the world frame. */
std::vector<geometry::Cell> PatchCells(const PatchMark& patch);

}  // namespace intervox::host::internal
