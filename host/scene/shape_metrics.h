/** @file Metrics of whole shapes: sums over their disjoint cells. */
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/engine.h"

namespace intervox::host {

/** How whole shapes are measured. */
struct MeasureOptions {
  double tolerance = 1e-3;  ///< relative, of each cell pair's volume
  double voxel_size = 0.0;  ///< [m], 0: none
  LeafRule rule = LeafRule::kAuto;
};

/** Metrics of a pair of whole shapes. */
struct ShapeMetrics {
  InterferenceMetrics sum;  ///< status: the worst of the cell pairs
  std::string reason;       ///< why, where the status is neither ok nor disjoint
  std::int64_t pairs = 0;   ///< cell pairs that overlap
};

/** The word of a status: ok, disjoint, tolerance_not_met, unbounded, invalid. */
std::string StatusName(Status status);

/** Adds the metrics of disjoint parts: volumes, moments about the common centroid, area vectors and
 their moments; the status becomes the worst, except that parts may miss their own tolerance where
 the sum meets it. Sums run about the first part's centroid, so that parts far from the world's
 origin keep their digits. */
InterferenceMetrics SumOfParts(std::span<const InterferenceMetrics> parts, double tolerance);

/** The overlap of two solids of disjoint cells; never throws for a bad pair. */
ShapeMetrics MeasurePair(const Engine& engine, std::span<const geometry::Cell> a,
                         std::span<const geometry::Cell> b, const Pose& X_WA, const Pose& X_WB,
                         const MeasureOptions& options);

/** The solid itself, in its own frame: volume, centroid, inertia for mass properties. */
ShapeMetrics MeasureSolid(const Engine& engine, std::span<const geometry::Cell> cells,
                          const MeasureOptions& options);

}  // namespace intervox::host
