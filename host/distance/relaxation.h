/** @file A cell within a box as a convex set: exact where its surfaces are convex, wider elsewhere.
 */
#pragma once

#include <span>
#include <vector>

#include "geometry/cell.h"
#include "host/distance/convex_program.h"

namespace intervox::host::distance {

/** A cell of one of two bodies in the program's frame, in which lengths are about 1. */
struct PlacedCell {
  std::vector<geometry::Surface> convex;  ///< those whose kept side is convex
  std::vector<geometry::Surface> others;
  geometry::OrientedBox box;  ///< holds the cell, or its part that may be nearest
  bool bounded = true;
};

/** Places a cell: x' = (X_WC x − origin)/length. An unbounded cell has no box yet. */
PlacedCell Place(const geometry::Cell& cell, const Pose& X_WC, const Vec3& origin, double length);

/** Appends what bounds a convex set that holds the cell's part in `box`: each surface that keeps no
 convex set is replaced by a plane, off it by the square of the box' size at most.
 @returns false where the box proves to have no part. */
bool Relax(const PlacedCell& cell, const geometry::OrientedBox& box, int body,
           std::vector<Constraint>* constraints);

/** Draws a box in to the part of it that all cells may have in common there. @returns false where
 that is nothing */
bool Contract(std::span<const PlacedCell> cells, geometry::OrientedBox* box);

/** How much of what Relax gives away is due to the box' extent along each of its axes, roughly.
 @param at  a point: then only by those surfaces beyond which it lies */
Vec3 Slack(const PlacedCell& cell, const geometry::OrientedBox& box, const Vec3* at = nullptr);

/** Appends what bounds the cell next to x: each surface that keeps no convex set is replaced by the
 plane that touches its level there. Tori stay: what is found with them is a local minimum. */
void LinearizeAt(const PlacedCell& cell, const Vec3& x, int body,
                 std::vector<Constraint>* constraints);

/** The largest level of the cell's surfaces at x: how far x is outside. */
double Outside(const PlacedCell& cell, const Vec3& x);

}  // namespace intervox::host::distance
