/** @file Friction laws without states. */
#pragma once

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
                      1e3, "Give a friction coefficient.")),
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

}  // namespace intervox::host
