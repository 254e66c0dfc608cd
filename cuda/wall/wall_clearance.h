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

}  // namespace intervox
