#include "host/contact/damping_factor.h"

#include <algorithm>
#include <cmath>

namespace intervox::host {

namespace {

/** (x − ln(1 + x))/x² = ½ − x/3 + x²/4 − …, for |x| ≤ 0.11 to rounding. */
double LogRest(double x) {
  double sum = 0.0;
  for (int k = 18; k >= 2; --k) sum = 1.0 / k - x * sum;
  return sum;
}

}  // namespace

double DampingRoot(double e) {
  if (e >= 1.0) return 0.0;
  // In u = ln(1 − d), d = 1 − exp(u), the root's upper end is moved to infinity and
  // g = d(1 + 1/e) − ln(1 + d/e) + u is smooth; near e = 1, d ≈ (3/2)(1 − e) is small and g has a
  // double root at 0, so the bracket excludes it: g > 0 at d = 1 − e, g < 0 as u → −∞.
  const auto g = [e](double u) {
    const double d = -std::expm1(u);
    // Near the double root g is d² times a difference that keeps its digits.
    if (d < 0.1) return LogRest(d / e) / (e * e) - LogRest(-d);
    return d * (1.0 + 1.0 / e) - std::log1p(d / e) + u;
  };
  double high = std::log(e);      // d = 1 − e
  double low = -(1.0 + 1.0 / e);  // g < 0 here: d(1 + 1/e) < 1 + 1/e
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (g(middle) < 0.0 ? low : high) = middle;
  }
  return -std::expm1(0.5 * (low + high));
}

double PressingSpeed(double A) {
  // m v dv = −f (1 + |a| v) dz: E = ∫ f dz = (m v²/A²) (A − ln(1 + A)).
  const double share = A < 0.1 ? LogRest(A) : (A - std::log1p(A)) / (A * A);
  return 1.0 / std::sqrt(2.0 * share);
}

double DampingFactor(double e, double v_i, double v_small) {
  return -DampingRoot(e) / (e * std::max(v_i, v_small));
}

}  // namespace intervox::host
