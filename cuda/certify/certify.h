/** @file Volumes of overlaps between bounds that are proved. */
#pragma once

#include <cstdint>
#include <span>

#include "cuda/metrics.h"

namespace intervox {

/** How far an enclosure is to be narrowed. */
struct CertifyOptions {
  double tolerance = 1e-4;           ///< half of upper − lower over lower, in [1e-9, 0.1]
  std::int64_t most_boxes = 300000;  ///< effort: boxes that are looked into
};

/** lower ≤ V ≤ upper, proved from the cells' numbers with all rounding [m³]. */
struct VolumeEnclosure {
  double lower = 0.0;
  double upper = 0.0;
  /** kOk: within the tolerance. kDisjoint: upper is 0. kToleranceNotMet: wider than asked for, and
   true. Nothing is known, and upper is infinite, where it is kUnbounded: two cells are infinite; or
   kInvalid: a pose is not finite or no rotation. */
  Status status = Status::kDisjoint;
  std::int64_t boxes = 0;  ///< that were looked into

  /** The middle of the bounds [m³]. */
  double Middle() const { return lower + 0.5 * (upper - lower); }
};

/** Encloses the volume that two solids of disjoint cells have in common (cuda/certify/README.md).
 The same bits everywhere; serial. Never throws for a bad pair: its status says what is wrong. */
VolumeEnclosure CertifyVolume(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                              const Pose& X_WA, const Pose& X_WB,
                              const CertifyOptions& options = {});

}  // namespace intervox
