#include "cuda/moments/metrics_sum.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "cuda/moments/moments.h"

namespace intervox {
namespace {

/** Larger is worse: in the order in which they are declared, but for nothing at all. */
int Severity(Status status) { return status == Status::kDisjoint ? -1 : static_cast<int>(status); }

bool HasVolume(const InterferenceMetrics& part) {
  return (part.status == Status::kOk || part.status == Status::kToleranceNotMet) && part.volume > 0;
}

/** No rule took the part: nothing is known beyond its box. */
bool IsUnmeasured(const InterferenceMetrics& part) {
  return part.status == Status::kToleranceNotMet && !(part.volume > 0);
}

/** The parts that add anything, in an order that no order of the parts changes: solids that are
 swapped have the same sums. */
std::span<const InterferenceMetrics* const> InOrder(std::span<const InterferenceMetrics> parts) {
  thread_local std::vector<const InterferenceMetrics*> order;
  order.clear();
  for (const InterferenceMetrics& part : parts) {
    if (part.volume != 0 || part.volume_hi != 0 || part.volume_error != 0) order.push_back(&part);
  }
  const auto key = [](const InterferenceMetrics* m) {
    return std::tuple(m->volume, m->volume_hi, m->volume_error, m->p_WC.x, m->p_WC.y, m->p_WC.z);
  };
  std::sort(order.begin(), order.end(),
            [&](const auto* p, const auto* q) { return key(p) < key(q); });
  return order;
}

}  // namespace

InterferenceMetrics SumOfParts(std::span<const InterferenceMetrics> parts, double tolerance) {
  InterferenceMetrics sum;
  const InterferenceMetrics* only = nullptr;
  int with_volume = 0;
  for (const InterferenceMetrics& part : parts) {
    if (Severity(part.status) > Severity(sum.status)) sum.status = part.status;
    sum.work += part.work;
  }
  const std::span<const InterferenceMetrics* const> order = InOrder(parts);
  for (const InterferenceMetrics* part : order) {
    sum.volume += part->volume;
    sum.volume_lo += part->volume_lo;
    sum.volume_hi += part->volume_hi;
    sum.volume_error += part->volume_error;
    if (!HasVolume(*part)) continue;
    ++with_volume;
    if (only == nullptr) only = part;
  }
  if (only == nullptr) return sum;
  // A sliver that misses its own tolerance may weigh nothing in the sum; a part that no rule could
  // measure always counts.
  const bool judged = std::isfinite(tolerance);
  const bool met = judged ? sum.volume_error <= tolerance * sum.volume
                          : std::none_of(parts.begin(), parts.end(), IsUnmeasured);
  if (sum.status == Status::kToleranceNotMet && met) sum.status = Status::kOk;
  sum.rule = only->rule;
  if (with_volume == 1) {
    sum.p_WC = only->p_WC;
    sum.J_W = only->J_W;
    sum.area_vector = only->area_vector;
    sum.area_moment = only->area_moment;
    sum.contained = only->contained;
    return sum;
  }
  const Vec3 origin = only->p_WC;
  Vec3 first;
  for (const InterferenceMetrics* part : order) {
    if (!HasVolume(*part)) continue;
    first += part->volume * (part->p_WC - origin);
    sum.area_vector += part->area_vector;
    if (part->rule != sum.rule) sum.rule = LeafRule::kAuto;
  }
  const Vec3 centroid = first / sum.volume;
  sum.p_WC = origin + centroid;
  for (const InterferenceMetrics* part : order) {
    if (!HasVolume(*part)) continue;
    const Vec3 arm = (part->p_WC - origin) - centroid;
    sum.J_W = sum.J_W + part->J_W + cuda::PointInertia(part->volume, arm);
    sum.area_moment += part->area_moment + Cross(arm, part->area_vector);
  }
  return sum;
}

}  // namespace intervox
