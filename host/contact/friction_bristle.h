/** @file The seven-parameter bristle model with dwell, Gonthier (3.28)–(3.42), (4.227)–(4.243). */
#pragma once

#include <cmath>

#include "host/contact/laws.h"

namespace intervox::host {

/** How far bristles give way before they slip where sigma_0 is not given, δ_z of (3.46) [m]. */
inline constexpr double kDefaultDeflection = 1e-4;

/** Bristle friction. With `kPerLoad` the stiffness and damping σ are per unit normal load [1/m,
 s/m, s/m]; without it they are absolute [N/m, N·s/m, N·s/m] and only the bounds follow the load. */
template <bool kPerLoad>
class BristleFriction : public FrictionLaw {
 public:
  /** mu_s, mu_c, sigma_0, sigma_1, sigma_2, v_stribeck, dwell_time; v_epsilon = v_stribeck/100.
   What is not given of σ₀ and σ₁ is Gonthier's (3.46) and (3.51); absolute ones need `load` [N]. */
  explicit BristleFriction(Parameters& p);
  double VelocityScale() const override { return v_epsilon_; }
  double Stored(double f_n, double square) const override {
    return 0.5 * sigma_0_ * (kPerLoad ? f_n : 1.0) * square;
  }
  // s = exp(−v_avg²/v_S²)
  double Weight(double v_avg_squared) const override {
    return std::exp(-v_avg_squared / (v_S_ * v_S_));
  }
  Traction Evaluate(const Slip& x) const override {
    Traction t;
    const Shares shares = SharesOf(x.H, x.s, x.s_dw);
    t.s_dw_rate = shares.s_dw_rate;
    const double mu_max = shares.mu_max;
    const Dual load = kPerLoad ? Dual(1.0) : x.f_n;  // what the bounds are multiplied by
    const Dual C_vs = Dual(x.s) + (1.0 - x.s) * x.C_v;
    // With z = z* + H ż the equations ż = (u − σ₀ z)/σ₁, u = sat(σ₀ z + σ₁ ż_free, μ_max C_vs),
    // ż_free = s v + (1 − s)(μ_C C_vs dir_ε(v)/σ₁ − (σ₀/σ₁) z), have the closed solution below.
    const double m = shares.m, spring = shares.spring, damper = shares.damper;
    const Dual2 z{x.z[0], x.z[1]};
    const double sliding = m * (1.0 - x.s);
    const Dual2 u =
        Saturate(spring * z + damper * x.v + sliding * SlidingLoad(x, x.v, mu_c_ * load * C_vs),
                 mu_max * load * C_vs);
    const Dual scale = kPerLoad ? x.f_n : Dual(1.0);
    t.f = scale * (u + sigma_2_ * x.v);
    const double inverse = 1.0 / (sigma_1_ + x.H * sigma_0_);  // ż = (u − σ₀ z*)/(σ₁ + H σ₀)
    t.z_rate[0] = (u.x.v - sigma_0_ * x.z[0]) * inverse;
    t.z_rate[1] = (u.y.v - sigma_0_ * x.z[1]) * inverse;
    const double k = scale.v * sigma_0_;
    t.stored = k * ((x.z[0] + x.H * t.z_rate[0]) * t.z_rate[0] +
                    (x.z[1] + x.H * t.z_rate[1]) * t.z_rate[1]);
    if (x.w.v == 0.0 && x.w.d[2] == 0.0 && x.z_w == 0.0) return t;  // a point does not spin
    const Dual C_ws = Dual(x.s) + (1.0 - x.s) * x.C_w;
    const Dual u_w = Saturate(
        Dual(spring * x.z_w) + damper * x.w + sliding * SlidingLoad(x, x.w, mu_c_ * load * C_ws),
        mu_max * load * C_ws);
    t.f_w = scale * (u_w + sigma_2_ * x.w);
    t.z_w_rate = (u_w.v - sigma_0_ * x.z_w) * inverse;
    t.stored_w = k * (x.z_w + x.H * t.z_w_rate) * t.z_w_rate;
    return t;
  }
  // The same closed solution with w = 0 and C_vs = 1, and its slopes written out.
  PointTraction EvaluatePoint(const PointSlip& x) const override {
    PointTraction t;
    const Shares shares = SharesOf(x.H, x.s, x.s_dw);
    t.s_dw_rate = shares.s_dw_rate;
    const double load = kPerLoad ? 1.0 : x.f_n, scale = kPerLoad ? x.f_n : 1.0;
    const double spring = shares.spring;
    const double sliding = shares.m * (1.0 - x.s) * mu_c_;  // per load and dir_ε
    // dir_ε(v) = c v with the slope c I − d v vᵀ.
    const double v1 = x.v[0], v2 = x.v[1], square = v1 * v1 + v2 * v2;
    double c, d;
    if (square >= v_epsilon_ * v_epsilon_) {
      c = 1.0 / std::sqrt(square);
      d = c * c * c;
    } else {
      const double inverse = 1.0 / v_epsilon_;
      c = inverse * (1.5 - 0.5 * inverse * inverse * square);
      d = inverse * inverse * inverse;
    }
    // u before it is limited, its slopes D with v and g with f_n.
    const double along = shares.damper + sliding * load * c, across = sliding * load * d;
    double u[2] = {spring * x.z[0] + along * v1, spring * x.z[1] + along * v2};
    double D[2][2] = {{along - across * v1 * v1, -across * v1 * v2},
                      {-across * v1 * v2, along - across * v2 * v2}};
    double g[2] = {kPerLoad ? 0.0 : sliding * c * v1, kPerLoad ? 0.0 : sliding * c * v2};
    const double limit = shares.mu_max * load, size = std::sqrt(u[0] * u[0] + u[1] * u[1]);
    if (size > limit) {
      // Along u only the limit counts, across it what turns u: (I − e eᵀ) = q qᵀ.
      const double e1 = u[0] / size, e2 = u[1] / size, share = limit / size;
      const double qD1 = share * (e1 * D[1][0] - e2 * D[0][0]);
      const double qD2 = share * (e1 * D[1][1] - e2 * D[0][1]);
      const double qg = share * (e1 * g[1] - e2 * g[0]), by_load = kPerLoad ? 0.0 : shares.mu_max;
      D[0][0] = -e2 * qD1;
      D[0][1] = -e2 * qD2;
      D[1][0] = e1 * qD1;
      D[1][1] = e1 * qD2;
      g[0] = by_load * e1 - qg * e2;
      g[1] = by_load * e2 + qg * e1;
      u[0] = limit * e1;
      u[1] = limit * e2;
    }
    const double inverse = 1.0 / (sigma_1_ + x.H * sigma_0_);  // ż = (u − σ₀ z*)/(σ₁ + H σ₀)
    double stored = 0.0;
    for (int k = 0; k < 2; ++k) {
      const double of_load = u[k] + sigma_2_ * x.v[k];
      t.f[k] = scale * of_load;
      t.slope[k][0] = scale * (D[k][0] + (k == 0 ? sigma_2_ : 0.0));
      t.slope[k][1] = scale * (D[k][1] + (k == 1 ? sigma_2_ : 0.0));
      t.slope[k][2] = kPerLoad ? of_load : g[k];
      t.z_rate[k] = (u[k] - sigma_0_ * x.z[k]) * inverse;
      stored += (x.z[k] + x.H * t.z_rate[k]) * t.z_rate[k];
    }
    t.stored = scale * sigma_0_ * stored;
    return t;
  }

 private:
  /** What the stage's length and the weights make of the constants. */
  struct Shares {
    double s_dw_rate, mu_max, m, spring, damper;
  };
  Shares SharesOf(double H, double s, double s_dw_star) const {
    Shares out;
    // ṡ_dw = (s − s_dw)/τ, τ = τ_dw where s ≥ s_dw, else τ_br = σ₁/σ₀; implicit. τ = 0: s_dw = s.
    // What a stage starts from is an extrapolation, beyond 1 where s_dw follows s at once.
    const double from = std::fmin(std::fmax(s_dw_star, 0.0), 1.0);
    const double tau = s >= from ? tau_dw_ : sigma_1_ / sigma_0_;
    const double s_dw = tau > 0.0 ? (tau * from + H * s) / (tau + H) : s;
    out.s_dw_rate = tau > 0.0 && (from == s_dw_star || H == 0.0) ? (s - s_dw) / tau
                    : H > 0.0                                    ? (s_dw - s_dw_star) / H
                                                                 : 0.0;
    out.mu_max = mu_c_ + (mu_s_ - mu_c_) * s_dw;
    const double kappa = H * sigma_0_ / sigma_1_;
    out.m = (1.0 + kappa) / (1.0 + kappa * (1.0 - s));
    out.spring = out.m * s * sigma_0_ / (1.0 + kappa);
    out.damper = out.m * s * sigma_1_;
    return out;
  }

  static double Size(const Dual& v) { return std::fabs(v.v); }
  static double Size(const Dual2& v) { return std::sqrt(v.x.v * v.x.v + v.y.v * v.y.v); }

  /** What loads the bristle of a slip while it slides: `bound` dir_ε(slip), as far as it
   dissipates. With a = σ₀ z and b = σ₁ slip the loss is s b² + (1−s)(a² − U a + U b), over σ₁:
   nowhere negative while U ≤ 2 b (1 + 1/√(1−s)). Where 2 σ₁ v_S ≥ μ_C that holds for a slip as fast
   as v_avg, which s follows; of two, the slower one would load its bristle with more than its own
   power. A slip alone is loaded in full. */
  template <class V>
  V SlidingLoad(const Slip& x, const V& slip, const Dual& bound) const {
    const V load = bound * Direction(slip, v_epsilon_);
    const double most = 2.0 * sigma_1_ * (1.0 + 1.0 / std::sqrt(std::fmax(1.0 - x.s, 1e-300)));
    const double speed = Size(slip), size = Size(load);
    if (!(size > most * speed)) return load;
    const Dual share = Norm(slip) * (Dual(1.0) / Hypot(Norm(x.v), Norm(x.w)));
    return most * speed > share.v * size ? most * slip : share * load;
  }

  double mu_s_, mu_c_, sigma_0_, sigma_1_, sigma_2_, v_S_, tau_dw_, v_epsilon_;
};

}  // namespace intervox::host
