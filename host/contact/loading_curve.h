/** @file The elastic force of a patch that remembers how far it has been pressed: a curve of
 straight pieces, and what it stores. */
#pragma once

#include <algorithm>
#include <cmath>

namespace intervox::host {

/** f_e(V): from (0, 0) straight to (V_1, f_1), to (V_2, f_2), and on with the slope k. V is the
 measure of compliance: a volume [m³], at points a depth [m]. Requires k > 0, and
 0 ≤ V_1 < V_2 and 0 ≤ f_1 < f_2 with no smaller slope on the second piece than on the first, or
 zeros: k V. */
struct LoadingCurve {
  double V_1 = 0.0;
  double f_1 = 0.0;  ///< [N]
  double V_2 = 0.0;
  double f_2 = 0.0;  ///< [N]
  double k = 0.0;    ///< [N/m³], at points [N/m]
};

/** f_e at V [N]. */
inline double ForceOf(const LoadingCurve& c, double V) {
  if (V >= c.V_2) return c.f_2 + c.k * (V - c.V_2);
  if (V > c.V_1) return c.f_1 + (c.f_2 - c.f_1) * ((V - c.V_1) / (c.V_2 - c.V_1));
  return c.V_1 > 0.0 ? c.f_1 * (V / c.V_1) : 0.0;
}

/** The larger slope of the pieces that a small motion from V may meet: k from V_2 on, below it that
 of the piece that ends there. */
inline double SlopeNear(const LoadingCurve& c, double V) {
  return V < c.V_2 ? (c.f_2 - c.f_1) / (c.V_2 - c.V_1) : c.k;
}

/** ∫₀^V f_e(V') (V'/V)^(1/p − 1) dV': the work of pressing, times the area |S| at V, of a patch
 whose volume grows with the power p of the approach, so that |S| ∝ V^(1 − 1/p). Of a point, p = 1,
 it is the potential [J]. */
inline double WorkOf(const LoadingCurve& c, double V, double p) {
  const auto piece = [&](double from, double f_from, double to, double f_to) {
    if (!(to > from)) return 0.0;
    if (p == 1.0) return 0.5 * (f_from + f_to) * (to - from);
    const double slope = (f_to - f_from) / (to - from), rest = f_from - slope * from, q = 1.0 / p;
    const auto integral = [&](double x) {
      return std::pow(x, q) * (rest / q + slope * V * x / (q + 1.0));
    };
    return V * (integral(to / V) - integral(from / V));
  };
  if (!(V > 0.0)) return 0.0;
  const double to_1 = std::min(V, c.V_1), to_2 = std::min(V, c.V_2);
  return piece(0.0, 0.0, to_1, ForceOf(c, to_1)) + piece(c.V_1, c.f_1, to_2, ForceOf(c, to_2)) +
         piece(c.V_2, c.f_2, V, ForceOf(c, V));
}

/** The largest value of the cubic on [0, h] with these end values and slopes; requires slope_0 > 0
 and slope_1 < 0, between which there is one maximum. */
inline double PeakOf(double value_0, double slope_0, double value_1, double slope_1, double h) {
  // Its slope is C + 2 B x + A x² on [0, 1].
  const double rise = value_1 - value_0, C = h * slope_0, m_1 = h * slope_1;
  const double A = 3.0 * (C + m_1 - 2.0 * rise), B = 3.0 * rise - 2.0 * C - m_1;
  const double x = C / (std::sqrt(std::max(0.0, B * B - A * C)) - B);
  return value_0 + x * (C + x * (B + x * A / 3.0));
}

}  // namespace intervox::host
