/** @file The bristle model along one direction, for the rows' references. */
#pragma once

#include <algorithm>
#include <cmath>

namespace intervox::host {

/** The constants of Gonthier (3.28)–(3.42), per unit load. */
struct BristleConstants {
  double mu_s = 0.0, mu_c = 0.0;  ///< [–]
  double sigma_0 = 0.0;           ///< [1/m]
  double sigma_1 = 0.0;           ///< [s/m]
  double sigma_2 = 0.0;           ///< [s/m]
  double v_stribeck = 0.0;        ///< [m/s]; directions are regularised at a hundredth of it
  double dwell_time = 0.0;        ///< [s]
};

/** What it answers to a slip. */
struct BristleAnswer {
  double friction = 0.0;   ///< over the load, along the slip; the force opposes it
  double z_rate = 0.0;     ///< [m/s]
  double s_dw_rate = 0.0;  ///< [1/s]
};

/** The equations as the source has them. @param v  slip [m/s] @param z  deflection [m] */
inline BristleAnswer Bristle(const BristleConstants& c, double v, double z, double s_dw) {
  const double s = std::exp(-v * v / (c.v_stribeck * c.v_stribeck));
  const double u = v / (0.01 * c.v_stribeck);
  const double direction = std::fabs(u) >= 1.0 ? (u > 0.0 ? 1.0 : -1.0) : u * (1.5 - 0.5 * u * u);
  const double mu_max = c.mu_c + (c.mu_s - c.mu_c) * s_dw;
  BristleAnswer out;
  out.z_rate = s * v + (1.0 - s) * (c.mu_c * direction - c.sigma_0 * z) / c.sigma_1;
  const double load = c.sigma_0 * z + c.sigma_1 * out.z_rate;
  const double held = std::clamp(load, -mu_max, mu_max);
  if (held != load) out.z_rate = (held - c.sigma_0 * z) / c.sigma_1;
  out.friction = held + c.sigma_2 * v;
  out.s_dw_rate = (s - s_dw) / (s >= s_dw ? c.dwell_time : c.sigma_1 / c.sigma_0);
  return out;
}

}  // namespace intervox::host
