#include "integrators/partitioned.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace intervox::integrators {
namespace {

/** Four doubles, wherever they begin. */
using Pack [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

// The first `size` of out = start + h Σ_{j<n} w_j k_j, the k_j being consecutive rows of `rows`.
// Each element is summed in the order of the rows; some are taken together.
void Combine(const PartitionedSystem& system, std::span<const double> start, std::size_t size,
             double h, std::span<const double> weights, const double* rows, std::span<double> out) {
  constexpr std::size_t kWide = 4;
  std::array<double, kMaxStages> w;
  std::array<const double*, kMaxStages> k;
  std::size_t terms = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (h * weights[j] == 0.0) continue;
    w[terms] = h * weights[j];
    k[terms++] = rows + j * start.size();
  }
  const auto some = [&](std::size_t begin, std::size_t end) {
    std::size_t i = begin;
    for (; i + kWide <= end; i += kWide) {
      Pack sum = *reinterpret_cast<const Pack*>(start.data() + i);
      for (std::size_t j = 0; j < terms; ++j) {
        sum += w[j] * *reinterpret_cast<const Pack*>(k[j] + i);
      }
      *reinterpret_cast<Pack*>(out.data() + i) = sum;
    }
    for (; i < end; ++i) {
      double sum = start[i];
      for (std::size_t j = 0; j < terms; ++j) sum += w[j] * k[j][i];
      out[i] = sum;
    }
  };
  system.ForRanges(size, some);
}

}  // namespace

void PartitionedStepper::Step(PartitionedSystem& system, double t, double h, std::span<double> x,
                              std::span<double> y, std::span<double> a) {
  const Tableau& tableau = *tableau_;
  const std::size_t nx = x.size(), ny = y.size(), na = a.size();
  const std::size_t stages = static_cast<std::size_t>(tableau.stages);
  const std::size_t needed = (2 * nx + ny) + stages * (nx + ny + na);
  if (workspace_.size() < needed) workspace_.resize(needed);
  const std::span<double> x_i(workspace_.data(), nx);
  const std::span<double> y_i(x_i.data() + nx, ny);
  const std::span<double> offset(y_i.data() + ny, nx);
  double* const x_rates = offset.data() + nx;
  double* const y_rates = x_rates + stages * nx;
  double* const a_rates = y_rates + stages * ny;

  // How many rates each stage has written: those that came into use after it were zero.
  std::array<std::size_t, kMaxStages> written{};
  const auto velocities_in_use = [&](std::size_t solved) {
    const std::size_t in_use = system.VelocitiesInUse(ny);
    for (std::size_t j = 0; j < solved; ++j) {
      double* const row = y_rates + j * ny;
      for (; written[j] < in_use; ++written[j]) row[written[j]] = 0.0;
    }
    return in_use;
  };

  system.Copy(y, y_i);
  for (std::size_t i = 0; i < stages; ++i) {
    const std::size_t in_use = velocities_in_use(i);
    const double h_gamma = h * tableau.a_implicit[i][i];
    Combine(system, x, nx, h, {tableau.a_explicit[i], i}, x_rates, x_i);
    if (i > 0) system.Project(x_i);
    if (h_gamma > 0.0) {
      // x* + hγ v, with v from the explicit tableau: the implicit position to O(h³).
      Combine(system, y, system.VelocitiesThatMove(in_use), h, {tableau.a_explicit[i], i}, y_rates,
              y_i);
      system.PredictRate(x_i, y_i, offset);
      Combine(system, x, nx, h, {tableau.a_implicit[i], i}, x_rates, x_i);
      const auto move = [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          const double x_star = x_i[k];
          x_i[k] += h_gamma * offset[k];
          offset[k] = x_star;
        }
      };
      system.ForRanges(nx, move);
      system.Project(x_i);
      const auto subtract = [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) offset[k] -= x_i[k];
      };
      system.ForRanges(nx, subtract);
    } else {
      std::fill(offset.begin(), offset.end(), 0.0);
    }
    system.StageOffset(offset);
    Combine(system, y, in_use, h, {tableau.a_implicit[i], i}, y_rates, y_i);
    system.SolveStage(static_cast<int>(i), t + tableau.c[i] * h, h_gamma, x_i, y_i,
                      {y_rates + i * ny, ny}, {a_rates + i * na, na});
    written[i] = system.VelocitiesInUse(ny);
    system.PositionRate(x_i, y_i, {x_rates + i * nx, nx});
  }
  Combine(system, x, nx, h, {tableau.b, stages}, x_rates, x_i);
  system.Project(x_i);
  system.Copy(x_i, x);
  const std::size_t in_use = velocities_in_use(stages);
  Combine(system, y, in_use, h, {tableau.b, stages}, y_rates, y_i);
  system.Copy(y_i.first(in_use), y);
  Combine(system, a, system.QuadraturesInUse(na), h, {tableau.b, stages}, a_rates, a);
}

}  // namespace intervox::integrators
