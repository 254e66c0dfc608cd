/** @file Goyal's penalty friction: springs and dampers on both bodies within Coulomb's cone. */
#pragma once

#include "host/contact/laws.h"

namespace intervox::host {

/** Goyal's 3-D penalty model (Ullrich 5.7) beside any normal law. On each body a spring k and a
 damper c lead from its material point to the contact point, whose offset is z on body i and z_j on
 body j. Over a backward Euler step H, with B = H k + c of each and A = 1/B_i + 1/B_j, the force
 that keeps the contact points together is

   f₀ = (v + k_i z/B_i + k_j z_j/B_j)/A.

 It sticks where |f₀| ≤ μ f_n, and slides with f = μ f_n f₀/|f₀|, which is the positive root λ =
 |f₀| A/(μ f_n) − A of the isotropic cone. Then ż = (f − k z)/B on each body. Spinning has the same
 at the radius of gyration, with deflections in m for θ and θ_j; both share the limit: |(f, f_w)| ≤
 μ f_n. Each of the four dampers and the two slips dissipate for themselves, in any state and at any
 step. */
class GoyalFriction : public FrictionLaw {
 public:
  /** mu, by default the materials' pair value; stiffness [N/m] and damping [N·s/m] of the springs
   on body i; stiffness_j and damping_j of those on body j, by default the same. */
  explicit GoyalFriction(Parameters& p);
  double VelocityScale() const override { return 1e-4; }
  Traction Evaluate(const Slip& x) const override;
  bool HasSpringsOnBoth() const override { return true; }

 private:
  /** A spring k [N/m] with a damper c [N·s/m] beside it. */
  struct Spring {
    double k = 0.0, c = 0.0;
  };
  double mu_;
  Spring i_, j_;
};

}  // namespace intervox::host
