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

/** The energy-conserving law: w(V) = c V^m, force w′(V) S and moment w′(V) G about the centroid, of
 the whole pair of bodies. c = k_v/(2A) and m = 2 on a face of area A; c = k_v/(3√(πR)), m = 3/2 for
 a thin cap; c = (8/15) E* √R (πR)^(−5/4), m = 5/4 for Hertz's contact. */
class ConservingNormal : public NormalLaw {
 public:
  /** coefficient c [J/m^(3m)]; exponent m [–]; restitution e; v_small. */
  explicit ConservingNormal(Parameters& p)
      : c_(p.InRange("coefficient", 0.0, 1e-30, 1e300,
                     "Give the c of w = c V^m in J/m^(3m), k_v/(2 A) for a face of area A.")),
        m_(p.InRange("exponent", 0.0, 1.05, 4.0,
                     "Give the m of w = c V^m: 2 for a face, 1.5 for a thin cap, 1.25 for Hertz's "
                     "contact.")),
        e_(p.InRange("restitution", PairRestitutionOr(p.material_i(), p.material_j(), 1.0), 0.01,
                     1.0, "Use 0.01 for a dead impact, 1 for an elastic one.")),
        v_small_(p.InRange("v_small", 1e-4, 1e-12, 1e3, "Give a small speed in m/s.")),
        d_(DampingRoot(e_)) {}
  NormalForce Force(double V_r, double a) const override {
    const double p_e = c_ * m_ * std::pow(V_r, m_ - 1.0);
    return {p_e, a * p_e};
  }
  double DampingFactor(double v_i) const override { return -d_ / (e_ * std::max(v_i, v_small_)); }
  bool Conserves() const override { return true; }
  double Potential(double V) const override { return c_ * std::pow(V, m_); }

 private:
  double c_, m_, e_, v_small_, d_;
};

}  // namespace intervox::host
