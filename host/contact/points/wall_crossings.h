/** @file Where straight edges of a polytope press into the wall of a cylinder. */
#pragma once

#include <vector>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** Whether a cell is a cylinder between planes across its axis, or a tube. */
bool IsCylinder(const geometry::Cell& cell);

/** Appends the points at which edges of A, a polytope, are nearest to the axis of B, a cylinder,
 and in its wall, along the common perpendicular, which is the gradient of that depth. A cylinder
 across a bar lies on two of them. A point weighs less near the end of its edge, once that is in the
 wall and counts itself, and less than its depth from the end of the wall. Edges at cuts are left
 out, and so is what lies in a tube's hole. */
void AddWallCrossings(const PairQuery& query, std::vector<PointContact>* out);

}  // namespace intervox::host::points
