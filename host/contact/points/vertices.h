/** @file Points of two cells with plane faces of which one at least is round: vertices of each in
 the other. */
#pragma once

#include <optional>
#include <vector>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** A vertex of another cell that is inside this one, as a ball without a radius: its foot. Empty
 where it is outside. */
std::optional<PointContact> VertexIn(const geometry::Cell& cell, const Pose& X_WC, int feature,
                                     const Vec3& p_W);

/** Whether a cell is a cylinder, a cone or a part of a ball, with a rim or a tip at least that no
 cut took. Its hollow faces do not matter: a tube is one, too. */
bool IsRoundWithVertices(const geometry::Cell& cell);

/** Whether two cells touch by their vertices: cylinders, cones and polytopes; tubes and funnels
 with polytopes. */
bool HaveVertices(const geometry::Cell& a, const geometry::Cell& b);

/** Appends the points at which vertices of a cell are inside the other: corners, tips, and of each
 rim the point that goes in farthest along the plane face beyond which the other cell reaches least,
 with two more at 120° from it. Each is a ball without a radius: its depth, the distance of its foot
 on the other cell's boundary, is continuous while it moves and has the normal as its gradient.
 Edges of a polytope that cross the wall of a cylinder are points, too, see AddWallCrossings.
 Where the deepest point of the cells is deeper than all of them, as where edges cross, it takes the
 place of the one that has most energy.
 @param power  p of a point's energy ∝ zᵖ
 @return a distance that the cells are certainly apart [m]; 0 where points were found; empty where
 the cells may meet elsewhere. */
std::optional<double> PointsOfVertices(const PairQuery& query, double power,
                                       std::vector<PointContact>* out);

}  // namespace intervox::host::points
