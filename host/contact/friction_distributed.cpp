#include "host/contact/friction_distributed.h"

#include <immintrin.h>

#include "cuda/patch/patch_quadrature.h"

namespace intervox::host {
namespace {

using Lanes = Slopes;  // four points at once
static_assert(sizeof(Lanes) / sizeof(double) == PatchQuadrature::kLanes);

// H(q) = 2/3 + q²/2 + A q⁴ + B q⁶ up to 1 and q + 1/(8q) + C/q³ beyond: value, slope and curvature
// agree at 1, and the ends are exact, 2/3 and 1 at 0, 1/8 far off. The mean distance itself is an
// elliptic integral, from which H is nowhere farther than 0.0034.
constexpr double kA = -1.0 / 56, kB = -1.0 / 72, kC = kA + kB + 1.0 / 24;

/** √ of each lane, which a loop over std::sqrt takes one by one. */
Lanes Root(const Lanes& a) { return _mm256_sqrt_pd(a); }

double Sum(const Lanes& a) { return (a[0] + a[2]) + (a[1] + a[3]); }

Lanes Load(const std::vector<double>& values, std::size_t k) {
  return Lanes{values[k], values[k + 1], values[k + 2], values[k + 3]};
}

/** ∂Ψ and ∂²Ψ with respect to (v_t1, v_t2, ω). */
struct Gradient {
  double f1 = 0, f2 = 0, m = 0;
  double f11 = 0, f12 = 0, f22 = 0, f1m = 0, f2m = 0, mm = 0;
};

/** Sums the pieces of a patch whose pressure leans. `e` regularises at rest [m/s], > 0. */
Gradient SumOver(const PatchQuadrature& patch, const double lean[2], double v1, double v2, double w,
                 double e) {
  Lanes f1{}, f2{}, m{}, f11{}, f12{}, f22{}, f1m{}, f2m{}, mm{};
  const double ee = e * e, ww = w * w;
  for (std::size_t k = 0; k < patch.size(); k += PatchQuadrature::kLanes) {
    const Lanes reach = Load(patch.reach_squared, k);
    const Lanes j1 = -Load(patch.y, k), j2 = Load(patch.x, k);  // ∂u/∂ω
    const Lanes pressure = 1.0 + lean[0] * j2 - lean[1] * j1;
    const Lanes share = Load(patch.share, k) * (pressure > 0.0 ? pressure : Lanes{});
    const Lanes u1 = v1 + w * j1, u2 = v2 + w * j2;
    const Lanes s = Root(ee + ww * reach), per_s = 1.0 / s;
    const Lanes r = Root(u1 * u1 + u2 * u2), q = r * per_s;
    const Lanes unit = 1.0 / (r > 0.0 ? r : Lanes{} + 1.0), c1 = u1 * unit, c2 = u2 * unit;
    // Inside, q ≤ 1, in powers of q; outside in powers of p = 1/q.
    const Lanes p = q > 1.0 ? s * unit : Lanes{} + 1.0, pp = p * p;
    const Lanes inside_q = q > 1.0 ? Lanes{} + 1.0 : q, qq = inside_q * inside_q;
    // H'/q, H'' and T = H − q H' = ∂(s H)/∂s.
    const Lanes chord =
        q > 1.0 ? p * (1.0 - pp * (0.125 + 3.0 * kC * pp)) : 1.0 + qq * (4.0 * kA + 6.0 * kB * qq);
    const Lanes curve =
        q > 1.0 ? p * pp * (0.25 + 12.0 * kC * pp) : 1.0 + qq * (12.0 * kA + 30.0 * kB * qq);
    const Lanes T = q > 1.0 ? p * (0.25 + 4.0 * kC * pp)
                            : 2.0 / 3.0 - qq * (0.5 + qq * (3.0 * kA + 5.0 * kB * qq));
    const Lanes a = share * chord * per_s;                    // across u: (H'/r)
    const Lanes b = share * (curve - chord) * per_s;          // along u, beyond that
    const Lanes s_w = w * reach * per_s;                      // ∂s/∂ω
    const Lanes s_ww = reach * ee * (per_s * per_s * per_s);  // ∂²s/∂ω²
    const Lanes g1 = a * u1, g2 = a * u2;
    const Lanes mixed = -share * q * curve * per_s;  // ∂²(s H)/∂r∂s
    const Lanes along = c1 * j1 + c2 * j2;
    const Lanes h11 = a + b * c1 * c1, h12 = b * c1 * c2, h22 = a + b * c2 * c2;
    const Lanes h1m = h11 * j1 + h12 * j2 + mixed * s_w * c1;
    const Lanes h2m = h12 * j1 + h22 * j2 + mixed * s_w * c2;
    f1 += g1;
    f2 += g2;
    m += g1 * j1 + g2 * j2 + share * T * s_w;
    f11 += h11;
    f12 += h12;
    f22 += h22;
    f1m += h1m;
    f2m += h2m;
    mm += h1m * j1 + h2m * j2 + mixed * s_w * along + share * (q * q * curve * per_s * s_w * s_w) +
          share * T * s_ww;
  }
  return {Sum(f1), Sum(f2), Sum(m), Sum(f11), Sum(f12), Sum(f22), Sum(f1m), Sum(f2m), Sum(mm)};
}

}  // namespace

DistributedFriction::DistributedFriction(Parameters& p)
    : mu_(p.InRange("mu", PairFriction(p.material_i().friction, p.material_j().friction), 0.0, 1e3,
                    "Give a friction coefficient from 0 to 1000.")),
      v_epsilon_(p.InRange("v_epsilon", 1e-4, 1e-12, 1e3, "Give a small speed in m/s.")) {
  if (p.AtPoints()) {
    p.Fail("model",
           "\"distributed\" sums over the area of a contact, which points do not have. Use "
           "geometry: volumes, or another friction model.");
  }
}

Traction DistributedFriction::Evaluate(const Slip& x) const {
  Traction t;
  if (x.patch == nullptr) {
    t.f = (mu_ * x.f_n) * Direction(x.v, v_epsilon_);
    return t;
  }
  const double per_r = x.r_gyr > 0.0 ? 1.0 / x.r_gyr : 0.0;
  const Gradient g =
      SumOver(*x.patch, x.lean, x.v.x.v, x.v.y.v, x.w.v * per_r, (2.0 / 3.0) * v_epsilon_);
  const Dual load = mu_ * x.f_n;
  const auto dual = [](double value, double d1, double d2, double dw) {
    Dual r(value);
    r.d = Slopes{d1, d2, dw, 0.0};
    return r;
  };
  t.f.x = load * dual(g.f1, g.f11, g.f12, g.f1m * per_r);
  t.f.y = load * dual(g.f2, g.f12, g.f22, g.f2m * per_r);
  t.f_w = load * dual(g.m * per_r, g.f1m * per_r, g.f2m * per_r, g.mm * per_r * per_r);
  return t;
}

}  // namespace intervox::host
