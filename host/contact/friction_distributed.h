/** @file Coulomb's friction summed over the patch: sliding and spinning share one limit. */
#pragma once

#include "host/contact/laws.h"

namespace intervox::host {

/** Distributed friction: −μ p dir(v_t(x)) over the patch, with the Winkler pressure p ∝ depth and
 v_t(x) = v_ct + ω_n n × (x − p_c) (Coulomb–Contensou).

 With the points x_k, shares w_k and reaches ρ_k of the patch, force and moment are the gradient of
 μ f_n Ψ(v, ω), Ψ = Σ w_k s_k H(|v_t(x_k)|/s_k), s_k² = (2 v_ε/3)² + ω² ρ_k². H(q) is the mean
 distance of a point at q from those of the unit disc: so w_k s_k H is what the piece around x_k
 dissipates over μ f_n where the motion turns it, and v_ε lets it creep at rest. Ψ is convex and
 least at rest, so the two dissipate together in any state. */
class DistributedFriction : public FrictionLaw {
 public:
  /** mu, by default the materials' pair value; v_epsilon [m/s]. */
  explicit DistributedFriction(Parameters& p);
  double VelocityScale() const override { return v_epsilon_; }
  double Weight(double /*v_avg_squared*/) const override { return 0.0; }
  bool IsDistributed() const override { return true; }
  Traction Evaluate(const Slip& x) const override;

 private:
  double mu_, v_epsilon_;
};

}  // namespace intervox::host
