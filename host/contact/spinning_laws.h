/** @file How sliding and spinning share friction. */
#pragma once

#include "host/contact/laws.h"

namespace intervox::host {

/** No spinning torque; sliding friction is not reduced by spin. */
class NoSpinning : public SpinningLaw {
 public:
  explicit NoSpinning(Parameters& /*p*/) {}
  void Factors(double /*v_epsilon*/, Slip* slip) const override { slip->C_v = slip->C_w = 1.0; }
  double TorqueFactor() const override { return 0.0; }
};

/** Contensou factors, Gonthier (4.205)–(4.211): C_v = |v_ct|/v_avg, C_ω = r_gyr|ω_n|/v_avg with
 v_avg² = |v_ct|² + r_gyr² ω_n², not below v_ε². */
class ContensouSpinning : public SpinningLaw {
 public:
  /** factor: multiplies the torque (0.65 matches a Coulomb–Contensou reference). */
  explicit ContensouSpinning(Parameters& p)
      : factor_(p.InRange("factor", 1.0, 0.0, 10.0, "Give 0 to 10; 1 is the model as it stands.")) {
  }
  void Factors(double v_epsilon, Slip* slip) const override {
    const Dual v = Norm(slip->v), w = Norm(slip->w);
    const Dual inverse = Dual(1.0) / Max(Hypot(v, w), v_epsilon);
    slip->C_v = v * inverse;
    slip->C_w = w * inverse;
  }
  double TorqueFactor() const override { return factor_; }

 private:
  double factor_;
};

}  // namespace intervox::host
