/** @file Faces of two cells against each other: whether they touch and whether one covers another.
 */
#pragma once

#include <cstddef>

#include "geometry/bounds.h"
#include "geometry/cell.h"

namespace intervox::geometry {

/** Cells that share less than this depth, as a share of the size, only touch. */
inline constexpr double kTouchingDepth = 1e-9;

/** The half diagonal of a cell, or the size of its surfaces where it is unbounded. */
double SizeOf(const Cell& cell);

/** Whether the kept side of a surface is known to be convex. */
bool KeepsConvex(const Surface& S);

/** Whether a point lies in a cell, or on it within kTouchingDepth of its size. */
bool Touches(const Cell& cell, const Vec3& p);

/** Whether the whole of face i of A lies within B's surfaces but j, which is A's i from the other
 side. */
bool FaceWithin(const Cell& A, std::size_t i, const Cell& B, std::size_t j, double size);

/** Whether A and B touch along an area of A's surface i, which is B's surface j from the other
 side.
 @param common  a box around what both cells hold, closed. */
bool Touch(const Cell& A, std::size_t i, const Cell& B, std::size_t j, const Aabb& common,
           double depth);

}  // namespace intervox::geometry
