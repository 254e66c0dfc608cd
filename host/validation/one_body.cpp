#include "host/validation/one_body.h"

#include <algorithm>
#include <cmath>

namespace intervox::host {

Rebound ReboundOf(const OneBody& body, double speed, double dt, double longest) {
  const auto rate = [&](double z, double v) {
    return body.gravity - (z > 0.0 ? std::max(0.0, body.force(z, v)) / body.mass : 0.0);
  };
  double z = 0.0, v = speed;
  for (double t = 0.0; t < longest; t += dt) {
    const double a1 = rate(z, v);
    const double v2 = v + 0.5 * dt * a1, a2 = rate(z + 0.5 * dt * v, v2);
    const double v3 = v + 0.5 * dt * a2, a3 = rate(z + 0.5 * dt * v2, v3);
    const double v4 = v + dt * a3, a4 = rate(z + dt * v3, v4);
    const double z_next = z + dt / 6 * (v + 2 * v2 + 2 * v3 + v4);
    const double v_next = v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    if (z_next <= 0.0) {
      const double share = z / (z - z_next);
      return {-(v + share * (v_next - v)), t + share * dt};
    }
    z = z_next;
    v = v_next;
  }
  return {0.0, longest};
}

double Integral(const std::function<double(double)>& f, double end, int n) {
  const double h = end / n;
  double sum = f(0.0) + f(end);
  for (int k = 1; k < n; ++k) sum += (k % 2 == 1 ? 4 : 2) * f(k * h);
  return sum * h / 3;
}

}  // namespace intervox::host
