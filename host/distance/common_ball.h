/** @file Whether two cells have a ball in common, by planes that cut off where none is. */
#pragma once

#include <algorithm>

#include "geometry/cell.h"
#include "host/distance/convex_program.h"
#include "host/distance/inner_ball.h"

namespace intervox::host::distance {

/** Whether all sides of a cell keep convex sets. */
inline bool IsConvex(const geometry::Cell& cell) {
  return cell.polytope || std::all_of(cell.surfaces.begin(), cell.surfaces.end(), KeepsConvex);
}

/** Balls of less than this share of the smaller cell's size are no overlap. */
inline constexpr double kThin = 1e-12;

/** One cell of a pair, posed in a frame at the smaller cell's centre. */
struct PosedCell {
  const geometry::Cell* cell;
  Pose X;  ///< of the cell in the frame
};

/** Looks for a point that is deep in both cells, or proves that no ball of radius `least` lies in
 both: by their planes, by planes that touch convex surfaces, or in boxes where a surface is hollow,
 in which a plane that cuts nothing off takes its place.
 @param X_AB  of the second cell in the first one's frame
 @param smaller  which of the two is the smaller, which is bounded
 @param point  set to the last point that was looked at, in the frame
 @param steps  raised by the points that were looked at */
BallVerdict FindCommonBall(const PosedCell (&pair)[2], const Pose& X_AB, int smaller, double least,
                           Vec3* point, int* steps);

}  // namespace intervox::host::distance
