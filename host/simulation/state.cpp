#include "host/simulation/state.h"

#include <cmath>

namespace intervox::host {

std::array<double, kLosses> LossesOf(std::span<const double> work) {
  const double sliding = work[kFrictionWork] - (work[kBristleStored] - work[kSpinStored]);
  return {work[kNormalLoss], sliding, work[kSpinningWork] - work[kSpinStored], work[kRollingLoss]};
}

std::array<double, kLosses> EnergyLedger::Losses() const {
  std::array<double, kLosses> losses = LossesOf(work);
  losses[kSliding] += bristle_lost;
  return losses;
}

void EnergyLedger::Add(const EnergyLedger& other) {
  for (std::size_t q = 0; q < kQuadratures; ++q) work[q] += other.work[q];
  elastic += other.elastic;
  numerical += other.numerical;
  bristle_lost += other.bristle_lost;
  projected += other.projected;
}

void EnergyLedger::Watch() {
  const std::array<double, kLosses> now = Losses();
  for (std::size_t k = 0; k < kLosses; ++k) {
    highest[k] = std::fmax(highest[k], now[k]);
    largest_fall = std::fmax(largest_fall, highest[k] - now[k]);
  }
}

}  // namespace intervox::host
