#include "host/contact/friction_bristle.h"

#include <string>

#include "host/contact/friction_laws.h"

namespace intervox::host {
namespace {

constexpr double kDefaultDeflection = 1e-4;  // δ_z of Gonthier (3.46) [m]
constexpr double kStandardGravity = 9.81;    // in σ₁ = 2√(σ₀/g), Gonthier (3.51) [m/s²]

}  // namespace

template <bool kPerLoad>
BristleFriction<kPerLoad>::BristleFriction(Parameters& p) {
  const TwoCoefficients mu(p);
  mu_s_ = mu.of_sticking;
  mu_c_ = mu.of_sliding;
  if (kPerLoad) {
    const double stiffness = mu_s_ > 0.0 ? mu_s_ / kDefaultDeflection : 1.0 / kDefaultDeflection;
    sigma_0_ = p.InRange("sigma_0", stiffness, 1e-12, 1e18, "Bristles need a stiffness.");
    sigma_1_ = p.InRange("sigma_1", 2.0 * std::sqrt(sigma_0_ / kStandardGravity), 1e-12, 1e18,
                         "Bristles need damping.");
  } else {
    p.Require("sigma_0");
    p.Require("sigma_1");
    sigma_0_ = p.InRange("sigma_0", 0.0, 1e-12, 1e18, "Bristles need a stiffness.");
    sigma_1_ = p.InRange("sigma_1", 0.0, 1e-12, 1e18, "Bristles need damping.");
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
