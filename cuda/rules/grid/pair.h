/** @file Pairs with a grid: from query to metrics. */
#pragma once

#include <memory>
#include <vector>

#include "cuda/metrics.h"
#include "cuda/rules/grid/rule.h"
#include "geometry/grid/make_level_set.h"

namespace intervox::cuda {

/** Whether one of the cells is bounded by a grid. */
inline bool HasGrid(const PairQuery& query) {
  return query.a->grid.field != nullptr || query.b->grid.field != nullptr;
}

/** A pair of which one cell at least has a grid, placed on the lattice of the finer one: its rule
 sums it level by level, wherever that is done. Kept for one pair after the other, it allocates no
 more. */
class GridPair {
 public:
  /** Places the pair. @returns false where `metrics` hold the outcome already. */
  bool Place(const PairQuery& query, InterferenceMetrics* metrics);
  /** Whether another level is to be summed. */
  bool open() const { return progress_.open; }
  /** That level; its surfaces are this object's, until the next call. */
  internal::grid::GridLevel Level();
  /** Takes that level's sums. */
  void Take(const internal::clip::ClipSums& sums);
  /** The metrics, once nothing is open. */
  InterferenceMetrics Conclude() const;
  /** The owners of the grids' fields: of the lattice's, and of the other or null. */
  const std::shared_ptr<const geometry::LevelSet>* field(int i) const { return fields_[i]; }

 private:
  bool AddSurfaces(const geometry::Cell& cell, const Pose& X_FC, int body);

  const PairQuery* query_ = nullptr;
  Pose X_WF_;  ///< the lattice's frame
  GridDomain domain_;
  GridProgress progress_;
  internal::grid::GridModel model_;
  std::vector<internal::MappedSurface> surfaces_;
  std::vector<double> constants_;  ///< of the surfaces' levels, with nothing subtracted
  const std::shared_ptr<const geometry::LevelSet>* fields_[2] = {};
};

/** Sums all levels of a placed pair that are open, on the calling thread. */
void SumOpenLevels(GridPair* pair);

/** Sums them by the loop, which shares the parts of a level: the same bits. */
void SumOpenLevels(GridPair* pair, const geometry::RangeLoop& loop);

/** The metrics of a pair of which one cell at least has a grid: a pure function of the query.

 Voxels are those of the finer grid. The rules are center, fraction, clip and voxel (GridProgress);
 auto is voxel. The first three do what the voxels do, whatever the tolerance is: their status is
 ok, and volume_error says what they may be off. Other rules do not take grids: kToleranceNotMet. */
InterferenceMetrics ComputeGridPair(const PairQuery& query);

/** The same bits for one large pair, by the loop. */
InterferenceMetrics ComputeGridPair(const PairQuery& query, const geometry::RangeLoop& loop);

}  // namespace intervox::cuda
