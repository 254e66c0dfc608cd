#include "host/contact/friction_bristle.h"

#include <string>

#include "host/contact/friction_laws.h"

namespace intervox::host {
namespace {

constexpr double kStandardGravity = 9.81;  // in σ₁ = 2√(σ₀/g), Gonthier (3.51) [m/s²]

}  // namespace

template <bool kPerLoad>
BristleFriction<kPerLoad>::BristleFriction(Parameters& p) {
  const TwoCoefficients mu(p);
  mu_s_ = mu.of_sticking;
  mu_c_ = mu.of_sliding;
  // Per load as the heuristics have them; absolute ones are these times the load to be held.
  double load = 1.0;
  if (!kPerLoad && !(p.Has("sigma_0") && p.Has("sigma_1"))) {
    load = p.InRange("load", 0.0, 1e-12, 1e18,
                     "Give the normal force that a contact holds at rest, above 0 N, or sigma_0 "
                     "[N/m] and sigma_1 [N·s/m].");
  }
  const double stiffness = mu_s_ > 0.0 ? mu_s_ / kDefaultDeflection : 1.0 / kDefaultDeflection;
  sigma_0_ = p.InRange("sigma_0", load * stiffness, 1e-12, 1e18, "Bristles need a stiffness.");
  const double damping = 2.0 * std::sqrt(load * sigma_0_ / kStandardGravity);
  sigma_1_ = p.InRange("sigma_1", damping, 1e-12, 1e18, "Bristles need damping.");
  if (!p.Has("sigma_0")) {
    p.Note("sigma_0", NumberText(sigma_0_, 6) + (kPerLoad ? " 1/m" : " N/m") +
                          ", of mu_s and a deflection of 0.1 mm");
  }
  if (!p.Has("sigma_1")) {
    p.Note("sigma_1", NumberText(sigma_1_, 6) + (kPerLoad ? " s/m" : " N·s/m") +
                          ", critical for a weight on sigma_0");
  }
  sigma_2_ = p.InRange("sigma_2", 0.0, 0.0, 1e18, "Viscous friction must not be negative.");
  v_S_ = p.InRange("v_stribeck", 0.1, 1e-12, 1e6, "Give a speed in m/s.");
  tau_dw_ = p.InRange("dwell_time", 0.0, 0.0, 1e9, "Give a time in s; 0 follows at once.");
  v_epsilon_ = p.InRange("v_epsilon", v_S_ / 100.0, 1e-15, 1e6, "Give a speed in m/s.");
  if (mu_s_ < mu_c_) {
    p.Warn("mu_s", NumberText(mu_s_) + " is below mu_c = " + NumberText(mu_c_) +
                       ": friction rises once it slides.");
  }
  if (v_epsilon_ > v_S_ / 10.0) {
    p.Warn("v_epsilon", NumberText(v_epsilon_) + " is above v_stribeck/10.");
  }
  if (mu_s_ != mu_c_ && tau_dw_ > 0.0 && tau_dw_ < 10.0 * sigma_1_ / sigma_0_) {
    p.Warn("dwell_time",
           NumberText(tau_dw_) +
               " is below 10 sigma_1/sigma_0 = " + NumberText(10.0 * sigma_1_ / sigma_0_, 4) +
               ": stiction may be granted before the bristles have settled; give a longer one.");
  }
  if (kPerLoad && 2.0 * sigma_1_ * v_S_ < mu_c_) {
    p.Warn("sigma_1", NumberText(sigma_1_) +
                          " is below mu_c/(2 v_stribeck): the bristle is not passive there.");
  }
}

template class BristleFriction<true>;
template class BristleFriction<false>;

}  // namespace intervox::host
