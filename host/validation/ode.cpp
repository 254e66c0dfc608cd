#include "host/validation/ode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace intervox::host {
namespace {

constexpr std::size_t kStages = 7;
// Dormand, Prince: A family of embedded Runge–Kutta formulae, 1980.
constexpr std::array<double, kStages> kNodes = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
constexpr std::array<std::array<double, 6>, kStages> kWeights = {
    {{},
     {0.2},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
constexpr std::array<double, kStages> kError = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

}  // namespace

void Integrate(const OdeRates& rates, double t, double end, const OdeAccuracy& accuracy,
               std::vector<double>* y,
               const std::function<bool(double, const std::vector<double>&)>& watch) {
  const std::size_t n = y->size();
  std::array<std::vector<double>, kStages> k;
  for (std::vector<double>& of : k) of.resize(n);
  std::vector<double> at(n);
  double h = std::min(accuracy.longest, 1e-6 * (end - t));
  rates(t, *y, k.data());
  while (t < end) {
    h = std::min(h, end - t);
    for (std::size_t stage = 1; stage < kStages; ++stage) {
      at = *y;
      for (std::size_t of = 0; of < stage; ++of) {
        const double weight = h * kWeights[stage][of];
        for (std::size_t i = 0; i < n; ++i) at[i] += weight * k[of][i];
      }
      rates(t + kNodes[stage] * h, at, &k[stage]);
    }
    double error = 0.0;  // `at` is the solution: the last stage's weights are the formula's
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t stage = 0; stage < kStages; ++stage) sum += kError[stage] * k[stage][i];
      error = std::max(error, std::fabs(h * sum) / (accuracy.scale[i] + std::fabs(at[i])));
    }
    const double share = error / accuracy.tolerance;
    if (share <= 1.0 || h < 1e-15 * (end + 1.0)) {
      t = h < end - t ? t + h : end;
      std::swap(*y, at);
      std::swap(k.front(), k.back());
      if (!watch(t, *y)) return;
    }
    h = std::min(accuracy.longest, h * std::clamp(0.9 * std::pow(share + 1e-12, -0.2), 0.2, 5.0));
  }
}

}  // namespace intervox::host
