/** @file Level sets less what interpolation between their nodes adds. */
#pragma once

#include <memory>

#include "geometry/grid/make_level_set.h"

namespace intervox::geometry {

/** The field with f − ∇²f/12 at its nodes, lengths in voxels. Trilinear interpolation overestimates
 f by ∇²f/12 in the mean, so that this has the volume and the overlaps of the solid itself where its
 surface is smooth. ∇²f is of differences; nodes that lack a neighbour within the band stay. */
std::shared_ptr<const LevelSet> WithoutBias(const LevelSet& field, const RangeLoop& loop);

}  // namespace intervox::geometry
