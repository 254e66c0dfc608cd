/** @file Pairs with a grid: from query to metrics. */
#pragma once

#include "cuda/metrics.h"

namespace intervox::cuda {

/** Whether one of the cells is bounded by a grid. */
inline bool HasGrid(const PairQuery& query) {
  return query.a->grid.field != nullptr || query.b->grid.field != nullptr;
}

/** The metrics of a pair of which one cell at least has a grid: a pure function of the query.

 Voxels are those of the finer grid. The rules are center, fraction, clip and voxel (GridRule); auto
 is voxel. The first three do what the voxels do, whatever the tolerance is: their status is ok, and
 volume_error says what they may be off. Other rules do not take grids: kToleranceNotMet. */
InterferenceMetrics ComputeGridPair(const PairQuery& query);

}  // namespace intervox::cuda
