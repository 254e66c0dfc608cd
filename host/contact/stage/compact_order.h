/** @file An order of points in which consecutive ones are near each other. */
#pragma once

#include <span>
#include <vector>

#include "geometry/linear.h"

namespace intervox::host::internal {

/** Orders points so that the first `part` of them lie together, so do the next `part`, and so on:
 halves, and halves of these, are cut off across the longest side of their box. Of two neighbours
 in a lattice the one that is first lies on the same side of the other everywhere, within parts and
 across them, which incomplete factors need to be good. Points in one place are in the order of
 their numbers; costs n log n. */
void CompactOrder(std::span<const Vec3> points, int part, int threads, std::vector<int>* order);

}  // namespace intervox::host::internal
