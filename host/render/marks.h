/** @file Arrows, patches and joints as small bodies of cells. */
#pragma once

#include <vector>

#include "geometry/cell.h"
#include "host/render/render.h"

namespace intervox::host::internal {

/** The shaft and head of an arrow, in the world frame; empty for an arrow too short to draw. */
std::vector<geometry::Cell> ArrowCells(const ForceArrow& arrow);

/** The flat elliptic disc of a patch, in the world frame. */
std::vector<geometry::Cell> PatchCells(const PatchMark& patch);

/** A round rod between two points; empty where they are one [m]. */
std::vector<geometry::Cell> RodCells(const Vec3& from, const Vec3& to, double radius);

/** A ball around a point [m]. */
std::vector<geometry::Cell> BallCells(const Vec3& center, double radius);

}  // namespace intervox::host::internal
