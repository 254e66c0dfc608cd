#include "host/contact/normal_bilinear.h"

#include <algorithm>
#include <cmath>

#include "host/contact/normal_laws.h"

namespace intervox::host {
namespace {

/** Width of Chatterjee's climb, in shares of V_max. */
constexpr double kClimb = 0.5;

}  // namespace

BilinearNormal::BilinearNormal(Parameters& p)
    : at_points_(p.AtPoints()),
      k_1_(LinearStiffness(p)),
      e_(p, PairRestitution(p.material_i(), p.material_j(), p.geometry())) {}

LoadingCurve StrongeNormal::Curve(const PatchLatch& latch) const {
  return {Lost(latch) * latch.V_max, 0.0, latch.V_max, k_1_ * latch.V_max, k_1_};
}

void StrongeNormal::Turn(double V_p, double V, PatchLatch* latch) const {
  const double lost = std::max(LostBy(*latch), Lost(*latch) * latch->V_max / V_p);
  if (!(lost > 0.0)) return;  // both lines are one
  // ½ k₂ (V − lost V_max)² = ½ k₁ (V² − lost V_p²), k₂ = k₁/(1 − lost).
  const double unloaded = std::sqrt((1.0 - lost) * std::max(0.0, V * V - lost * V_p * V_p));
  latch->V_max = (V - unloaded) / lost;
  if (!e_.IsConstant()) latch->unloading = 1.0 - lost;
}

LoadingCurve ChatterjeeNormal::Curve(const PatchLatch& latch) const {
  const double V_1 = latch.V_max, V_2 = (1.0 + kClimb) * latch.V_max;
  return {V_1, latch.unloading * k_1_ * V_1, V_2, k_1_ * V_2, k_1_};
}

void ChatterjeeNormal::Turn(double V_p, double V, PatchLatch* latch) const {
  // ½ s k₁ V² = ½ k₁ (V² − (1 − e²) V_p²), down to s = 0, where a step has gone past the whole.
  const double lost = LostBy(*latch);
  const double peak = lost > 0.0 ? std::min(V_p, V / std::sqrt(lost)) : V_p;
  const double s = std::max(0.0, 1.0 - lost * (peak / V) * (peak / V));
  latch->unloading = latch->V_max > 0.0 ? std::min(s, latch->unloading) : s;
  latch->V_max = std::max(latch->V_max, peak);
}

}  // namespace intervox::host
