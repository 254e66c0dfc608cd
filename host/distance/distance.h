/** @file Distances of posed solids: between which points, and what is proved. */
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "cuda/metrics.h"
#include "geometry/cell.h"

namespace intervox::host {

/** How distances are measured. */
struct DistanceOptions {
  double tolerance = 1e-9;  ///< of the distance, times the size of the smaller solid
  int most_boxes = 20000;   ///< into which pairs of cells are divided before what is known is told
  /// Points of A and B in the world from which to go downhill, and no more: nothing is proved then.
  /// Of grids they are not used.
  std::optional<std::array<Vec3, 2>> start = {};
};

/** How far two solids are apart. */
struct Separation {
  /// ok: distance − lower is within the tolerance; disjoint never; tolerance_not_met: it is not;
  /// invalid: both solids are unbounded, or one is empty.
  Status status = Status::kInvalid;
  std::string reason;     ///< why, where the status is not ok
  double distance = 0.0;  ///< between the witness points [m]; 0 where the solids meet
  double lower = 0.0;     ///< proved: no two points are nearer [m]
  Vec3 p_WA;              ///< witness point of A in the world [m]
  Vec3 p_WB;              ///< witness point of B in the world [m]
  Vec3 n;                 ///< unit vector from B to A; 0 where the solids meet
  int boxes = 0;          ///< pairs of cells, and of parts of them, that were looked at
};

/** The distance of two posed solids, of one cell or several. One may be unbounded. */
Separation MeasureDistance(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                           const Pose& X_WA, const Pose& X_WB, const DistanceOptions& options = {});

/** The same at many poses on threads (0: all cores): separations[i] belongs to X_WA[i] and X_WB[i].
 The same bits for any number of threads. */
void MeasureDistances(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                      std::span<const Pose> X_WA, std::span<const Pose> X_WB,
                      const DistanceOptions& options, int threads,
                      std::span<Separation> separations);

}  // namespace intervox::host
