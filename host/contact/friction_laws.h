/** @file Friction laws without states. */
#pragma once

#include <algorithm>
#include <cmath>

#include "host/contact/laws.h"

namespace intervox::host {

/** No friction. */
class NoFriction : public FrictionLaw {
 public:
  explicit NoFriction(Parameters& /*p*/) {}
  double VelocityScale() const override { return 1.0; }
  Traction Evaluate(const Slip& /*x*/) const override { return {}; }
};

/** Regularised Coulomb friction: f_t = −μ f_n C_v dir_ε(v_t, v_ε); it creeps below v_ε. */
class CoulombFriction : public FrictionLaw {
 public:
  /** mu, by default the materials' pair value; v_epsilon [m/s]. */
  explicit CoulombFriction(Parameters& p)
      : mu_(p.InRange("mu", PairFriction(p.material_i().friction, p.material_j().friction), 0.0,
                      1e3, "Give a friction coefficient from 0 to 1000.")),
        v_epsilon_(p.InRange("v_epsilon", 1e-4, 1e-12, 1e3, "Give a small speed in m/s.")) {}
  double VelocityScale() const override { return v_epsilon_; }
  double Weight(double /*v_avg_squared*/) const override { return 0.0; }
  Traction Evaluate(const Slip& x) const override {
    Traction t;
    t.f = (mu_ * x.f_n * x.C_v) * Direction(x.v, v_epsilon_);
    t.f_w = (mu_ * x.f_n * x.C_w) * Direction(x.w, v_epsilon_);
    return t;
  }

 private:
  double mu_, v_epsilon_;
};

/** Coefficients of friction mu_s and mu_c, by default each other and the materials' pair value. */
struct TwoCoefficients {
  /** Reads mu_s and mu_c. */
  explicit TwoCoefficients(Parameters& p);
  double of_sticking = 0.0, of_sliding = 0.0;
};

/** Drake's Stribeck friction: with s = |v_t|/v_s, v_s the slip tolerance, μ rises from 0 to μ_S by
 step5 on [0, 1), falls to μ_C by step5 on [1, 3) and stays; step5(x) = 10x³ − 15x⁴ + 6x⁵. Under a
 load below μ_S f_n it creeps, slower than v_s. */
class StribeckFriction : public FrictionLaw {
 public:
  /** TwoCoefficients; slip_tolerance v_s [m/s]. */
  explicit StribeckFriction(Parameters& p);
  double VelocityScale() const override { return v_s_; }
  /** Where the falling branch is: 1 up to v_s, 0 from 3 v_s on. */
  double Weight(double v_avg_squared) const override {
    const double s = std::sqrt(v_avg_squared) / v_s_;
    return 1.0 - Step5(std::clamp(0.5 * (s - 1.0), 0.0, 1.0));
  }
  Traction Evaluate(const Slip& x) const override {
    // C_v dir(v) = v/v_avg where spinning shares friction; without, v_avg is the sliding itself.
    const Dual v = Norm(x.v), w = Norm(x.w);
    const bool shared = x.C_v.v < 1.0 || x.C_w.v < 1.0;
    Traction t;
    t.f = (x.f_n * Over(shared ? Hypot(v, w) : v, x.s)) * x.v;
    t.f_w = (x.f_n * Over(shared ? Hypot(v, w) : w, x.s)) * x.w;
    return t;
  }

 private:
  static double Step5(double x) { return x * x * x * (10.0 + x * (-15.0 + 6.0 * x)); }
  /** μ over the speed [s/m], without a singularity at rest. */
  Dual Over(const Dual& speed, double weight) const {
    const double mu = mu_c_ + (mu_s_ - mu_c_) * weight;
    if (speed.v >= v_s_) return Dual(mu) / speed;
    const Dual s = (1.0 / v_s_) * speed;
    return (mu / v_s_) * (s * s * (Dual(10.0) + s * (Dual(-15.0) + 6.0 * s)));
  }

  double mu_s_, mu_c_, v_s_;
};

}  // namespace intervox::host
