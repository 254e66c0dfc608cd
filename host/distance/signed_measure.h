/** @file One number that tells how deep two solids overlap or how far they are apart. */
#pragma once

#include <span>
#include <string>

#include "cuda/engine.h"
#include "host/distance/distance.h"
#include "host/scene/shape_metrics.h"

namespace intervox::host {

/** The volume of an overlap, or minus the distance, and how it changes as A moves. */
struct SignedMeasure {
  /// ok: to the tolerances; tolerance_not_met, unbounded and invalid as the query that was asked.
  Status status = Status::kInvalid;
  std::string reason;     ///< why, where the status is not ok
  bool overlaps = false;  ///< whether `value` is a volume
  double value = 0.0;     ///< V [m³] where the solids overlap, else −distance [m]
  Vec3 about_W;           ///< the centroid of the overlap, or A's witness point [m]
  Vec3 slope_W;           ///< d value/d translation of A: −S [m²], or −n
  Vec3 turn_W;            ///< d value/d rotation of A about `about_W`: −G [m³], or 0
};

/** Measures the overlap by the engine where TestOverlap finds one, else the distance. As solids
 touch it passes through 0 without a jump; in units it does not agree, so its sign and zero count.
 */
SignedMeasure MeasureSigned(const Engine& engine, std::span<const geometry::Cell> a,
                            std::span<const geometry::Cell> b, const Pose& X_WA, const Pose& X_WB,
                            const MeasureOptions& volume = {},
                            const DistanceOptions& distance = {});

}  // namespace intervox::host
