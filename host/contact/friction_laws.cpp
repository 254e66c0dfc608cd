#include "host/contact/friction_laws.h"

namespace intervox::host {

TwoCoefficients::TwoCoefficients(Parameters& p) {
  constexpr double kMost = 1e3;
  const std::string remedy = "Give a friction coefficient from 0 to 1000.";
  const double pair = PairFriction(p.material_i().friction, p.material_j().friction);
  of_sticking = p.InRange("mu_s", p.Get("mu_c", pair), 0.0, kMost, remedy);
  of_sliding = p.InRange("mu_c", of_sticking, 0.0, kMost, remedy);
}

StribeckFriction::StribeckFriction(Parameters& p) {
  const TwoCoefficients mu(p);
  mu_s_ = mu.of_sticking;
  mu_c_ = mu.of_sliding;
  v_s_ = p.InRange("slip_tolerance", 1e-3, 1e-12, 1e3, "Give a small speed in m/s.");
  if (mu_c_ > mu_s_) {
    p.Warn("mu_c", NumberText(mu_c_) + " is above mu_s, " + NumberText(mu_s_) + ".");
  }
}

}  // namespace intervox::host
