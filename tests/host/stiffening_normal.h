/** @file An example of a contact law of one's own: a foundation that stiffens with its load. */
#pragma once

#include <cmath>

#include "host/contact/registry.h"

namespace example {

/** f_n = max(0, k V (V/V_ref)^(m−1) (1 − c v_cn)). */
class StiffeningNormal : public intervox::host::NormalLaw {
 public:
  /** stiffness k [N/m³], exponent m ≥ 1, reference_volume V_ref [m³], damping c [s/m]. */
  explicit StiffeningNormal(intervox::host::Parameters& p)
      : k_(PositiveStiffness(p, "stiffness")),
        m_(p.InRange("exponent", 1.5, 1.0, 5.0, "A foundation does not soften.")),
        V_ref_(p.InRange("reference_volume", 1e-6, 1e-18, 1e3, "Give a volume in m³.")),
        c_(p.InRange("damping", 0.0, 0.0, 1e6, "Give a damping in s/m.")) {}

  intervox::host::NormalForce Force(double V, double /*a*/) const override {
    const double f_e = k_ * V * std::pow(V / V_ref_, m_ - 1);
    return {f_e, -c_ * f_e};
  }
  double DampingFactor(double /*v_i*/) const override { return -c_; }

 private:
  double k_, m_, V_ref_, c_;
};

/** The one line that makes scenes know it as `model: stiffening`. */
inline const bool kRegistered =
    Register<StiffeningNormal>(intervox::host::NormalLaws(), "stiffening");

}  // namespace example
