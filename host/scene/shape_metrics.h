/** @file Metrics of whole shapes: sums over their disjoint cells. */
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/engine.h"
#include "cuda/moments/metrics_sum.h"

namespace intervox::host {

/** How whole shapes are measured. */
struct MeasureOptions {
  double tolerance = 1e-3;  ///< relative, of each cell pair's volume
  double voxel_size = 0.0;  ///< [m], 0: none
  LeafRule rule = LeafRule::kAuto;

  /** What sums are judged against: infinity where the rule takes the voxel size, because then no
   tolerance was asked for; the stated error says what the answer is worth. */
  double Judged() const;
};

/** Metrics of a pair of whole shapes. */
struct ShapeMetrics {
  InterferenceMetrics sum;  ///< status: the worst of the cell pairs
  std::string reason;       ///< why, where the status is neither ok nor disjoint
  std::int64_t pairs = 0;   ///< cell pairs that overlap
};

/** The overlap of two solids of disjoint cells; never throws for a bad pair. */
ShapeMetrics MeasurePair(const Engine& engine, std::span<const geometry::Cell> a,
                         std::span<const geometry::Cell> b, const Pose& X_WA, const Pose& X_WB,
                         const MeasureOptions& options);

/** The same at many poses, for one after the other: sums[i] belongs to X_WA[i] and X_WB[i]. The
 poses and the sums must be equally many. */
void MeasurePoses(const Engine& engine, std::span<const geometry::Cell> a,
                  std::span<const geometry::Cell> b, std::span<const Pose> X_WA,
                  std::span<const Pose> X_WB, const MeasureOptions& options,
                  std::span<InterferenceMetrics> sums);

/** The solid itself, in its own frame: volume, centroid, inertia for mass properties. On an engine
 with threads a grid is shared by all cores, and told of (GridWatch). */
ShapeMetrics MeasureSolid(const Engine& engine, std::span<const geometry::Cell> cells,
                          const MeasureOptions& options);

}  // namespace intervox::host
