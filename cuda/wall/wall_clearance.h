/** @file How far a peg is from the wall of the hole that it hangs in. */
#pragma once

#include "cuda/metrics.h"

namespace intervox {

/** A lower bound of the distance of two posed cells where a round peg of one hangs free in a round
 hole of the other (cuda/wall/wall_cuts.h) [m]; 0 where that does not show that they are apart. Of a
 pair with a hole this costs half of what its metrics cost if they are apart; of others next to
 nothing.
 */
double WallClearance(const PairQuery& query);

/** A point between the surface of a round peg of one cell and the wall of a round hole of the
 other, where the peg reaches farthest past it: at one of the ends that both have in common, moved
 inward by a share of what lies between the ends. It may lie outside of other surfaces. False where
 no peg reaches past a wall.
 @param X_AB  of the second cell in the frame of the first
 @param p_A   the point in the frame of the first [m] */
bool PointBeyondWall(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_AB,
                     double share, Vec3* p_A);

}  // namespace intervox
