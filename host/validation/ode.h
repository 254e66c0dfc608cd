/** @file Ordinary differential equations of the rows' references, integrated apart from the
 simulation. */
#pragma once

#include <functional>
#include <vector>

namespace intervox::host {

/** ẏ = f(t, y). */
using OdeRates =
    std::function<void(double t, const std::vector<double>& y, std::vector<double>* rates)>;

/** How accurately a reference is integrated. */
struct OdeAccuracy {
  double tolerance = 1e-10;   ///< of a step's error, over the scales
  std::vector<double> scale;  ///< of each of y; its own size is added
  double longest = 1.0;       ///< step [s]
};

/** Integrates from t to `end` by Dormand and Prince's pair of orders 5 and 4, with the step that
 the accuracy asks for. @param watch  is told each accepted state; false ends the integration there
 */
void Integrate(const OdeRates& rates, double t, double end, const OdeAccuracy& accuracy,
               std::vector<double>* y,
               const std::function<bool(double t, const std::vector<double>& y)>& watch);

}  // namespace intervox::host
