#include "host/contact/friction_laws.h"

namespace intervox::host {

StribeckFriction::StribeckFriction(Parameters& p) {
  const double pair = PairFriction(p.material_i().friction, p.material_j().friction);
  const std::string remedy = "Give a friction coefficient.";
  mu_s_ = p.InRange("mu_s", p.Has("mu_c") ? p.Get("mu_c", pair) : pair, 0.0, 1e3, remedy);
  mu_c_ = p.InRange("mu_c", mu_s_, 0.0, 1e3, remedy);
  v_s_ = p.InRange("slip_tolerance", 1e-3, 1e-12, 1e3, "Give a small speed in m/s.");
  if (mu_c_ > mu_s_) {
    p.Warn("mu_c", NumberText(mu_c_) + " is above mu_s, " + NumberText(mu_s_) + ".");
  }
}

}  // namespace intervox::host
