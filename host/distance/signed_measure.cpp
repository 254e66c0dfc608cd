#include "host/distance/signed_measure.h"

#include "host/distance/overlaps.h"

namespace intervox::host {

SignedMeasure MeasureSigned(const Engine& engine, std::span<const geometry::Cell> a,
                            std::span<const geometry::Cell> b, const Pose& X_WA, const Pose& X_WB,
                            const MeasureOptions& volume, const DistanceOptions& distance) {
  SignedMeasure out;
  const OverlapTest test = TestOverlap(a, b, X_WA, X_WB);
  out.status = test.status;
  out.reason = test.reason;
  out.overlaps = test.overlaps;
  if (test.status != Status::kOk) return out;
  if (test.overlaps) {
    const ShapeMetrics metrics = MeasurePair(engine, a, b, X_WA, X_WB, volume);
    const InterferenceMetrics& m = metrics.sum;
    // An overlap too thin for the engine has no volume.
    out.status = m.status == Status::kDisjoint ? Status::kOk : m.status;
    out.reason = metrics.reason;
    out.value = m.volume;
    out.about_W = m.p_WC;
    out.slope_W = -m.area_vector;
    out.turn_W = -m.area_moment;
    return out;
  }
  const Separation apart = MeasureDistance(a, b, X_WA, X_WB, distance);
  out.status = apart.status;
  out.reason = apart.reason;
  out.value = -apart.distance;
  out.about_W = apart.p_WA;
  out.slope_W = -apart.n;
  return out;
}

}  // namespace intervox::host
