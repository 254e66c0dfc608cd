/** @file Unions and differences of level sets on one lattice. */
#pragma once

#include <memory>

#include "geometry/grid/make_level_set.h"

namespace intervox::geometry {

/** What becomes of two solids. */
enum class Combination {
  kUnion,
  kDifference,  ///< the first less the second
};

/** The level set min(a, b), or max(a, −b): a distance where the surfaces do not cross, and within
 the band of the smaller half width. Voxel sizes must be equal.
 @throws std::invalid_argument as JoinBlocks does. */
std::shared_ptr<const LevelSet> Combine(const LevelSet& a, const LevelSet& b,
                                        Combination combination, const RangeLoop& loop);

}  // namespace intervox::geometry
