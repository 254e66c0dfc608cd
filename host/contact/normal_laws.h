/** @file Normal laws of the affine form f_n = max(0, f_e + b v_cn). */
#pragma once

#include <algorithm>
#include <cmath>

#include "host/contact/damping_factor.h"
#include "host/contact/laws.h"

namespace intervox::host {

/** f_n = k_v V_r (1 + a v_cn), Gonthier (4.178), a = −d(e)/(e max(v_i, v_small)), (4.63). */
class GonthierNormal : public NormalLaw {
 public:
  /** stiffness k_v [N/m³]; restitution e, or e(v) = 1 − restitution_slope v (3.12); v_small. */
  explicit GonthierNormal(Parameters& p)
      : k_v_(PositiveStiffness(p, "stiffness")),
        e_(p.InRange("restitution", PairRestitution(p.material_i(), p.material_j()), 0.01, 1.0,
                     "Use 0.01 for a dead impact, 1 for an elastic one.")),
        slope_(p.InRange("restitution_slope", 0.0, 0.0, 1e6, "Give 0 for a constant e [s/m].")),
        v_small_(p.InRange("v_small", 1e-4, 1e-12, 1e3, "Give a small speed in m/s.")),
        d_(DampingRoot(e_)) {}
  NormalForce Force(double V_r, double a) const override {
    const double f_e = k_v_ * V_r;
    return {f_e, a * f_e};
  }
  double DampingFactor(double v_i) const override {
    if (slope_ == 0.0) return -d_ / (e_ * std::max(v_i, v_small_));
    return host::DampingFactor(std::clamp(1.0 - slope_ * v_i, 0.01, 1.0), v_i, v_small_);
  }

 private:
  double k_v_, e_, slope_, v_small_, d_;
};

/** Kelvin and Voigt's spring and damper: f_n = max(0, k_v V_r − c v_cn). */
class LinearNormal : public NormalLaw {
 public:
  /** stiffness k_v [N/m³]; damping c [N·s/m]. */
  explicit LinearNormal(Parameters& p)
      : k_v_(PositiveStiffness(p, "stiffness")),
        c_(p.InRange("damping", 0.0, 0.0, 1e300, "Damping must not be negative.")) {}
  NormalForce Force(double V_r, double /*a*/) const override {
    return {k_v_ * V_r, V_r > 0.0 ? -c_ : 0.0};
  }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }

 private:
  double k_v_, c_;
};

}  // namespace intervox::host
