/** @file Quadrature along one conic arc: an edge of a planar face. */
#pragma once

#include "cuda/numerics/quadrature.h"
#include "cuda/rules/flux/edges.h"
#include "cuda/rules/flux/patch.h"

namespace intervox::cuda::internal::flux {

/** What one piece adds, and how far that may be off. */
struct PanelSums {
  FluxSums sums;
  double volume_error = 0.0;  ///< [m³]
  double area_error = 0.0;    ///< of its area vector [m²]
};

/** An estimate of a rule's error from its difference to the rule nested in it, which has half as
 many digits when the integrand is analytic. */
INTERVOX_HD inline double EstimateOf(double difference, double scale) {
  const double digits = scale > 0 ? 4.0 * difference / scale : 1.0;
  return digits < 1 ? difference * digits : difference;
}

/** The size of an ellipsoid's face enters V alike in all directions, where ∮ r nᵀ dS = V I does not
 show its error: its estimate takes no chances. */
inline constexpr double kBlind = 12.0;

/** The error of V from the ellipsoid's face of a piece, whose size the nested rule has as `lean`.
 */
INTERVOX_HD inline double PatchError(const FluxCurve& s, const PatchPole& pole, double size,
                                     double lean, const PoleDistance& near_pole, bool fine) {
  const double det = s.radii.x * s.radii.y * s.radii.z / 3.0;
  return EstimateOf(kBlind * det * std::fabs(size - lean), det * std::fabs(size)) +
         det * near_pole.ErrorOfSize(pole, fine);
}

/** (F1): sums over the edge of a planar face, and of the ellipsoid's face where it bounds that too.
 */
template <int N>
INTERVOX_HD inline PanelSums IntegrateArc(const FluxModel& model, const FluxPanel& p,
                                          const PatchPole& pole, const NestedRule<N>& rule,
                                          double from, double to) {
  const FluxPlane& plane = model.plane[p.plane];
  const FluxCurve& s = model.curve[p.curve];
  const bool round = !s.ruled;
  const double width = to - from, du = (p.u1 - p.u0) * width;
  // x = x0 + a xc + b xs + t e along the arc, and its derivative.
  const Vec3 e = round ? Vec3{} : s.frame.Col(2);
  const Vec3 xc = round ? s.frame * Scaled(s.radii, p.c) : p.c;
  const Vec3 xs = round ? s.frame * Scaled(s.radii, p.s) : p.s;
  const Vec3 x0 = round ? s.o + s.frame * Scaled(s.radii, p.centre) : s.o;
  const double g0 = 1.0 + p.u0 * p.u0, g1 = 1.0 + p.u1 * p.u1;
  const double span = 1.0 - p.u0 * p.u1;
  const double share = span > 0 ? g1 / span : 0.0;
  const double rise = p.t1 - p.t0;
  double a[N], b[N], t[N], da[N], db[N], dt[N];
  for (int k = 0; k < N; ++k) {
    const double sigma = from + rule.x[k] * width;
    const double u = p.u0 + sigma * (p.u1 - p.u0);
    const double ig = 1.0 / (1.0 + u * u);
    const double cosine = (1.0 - u * u) * ig, sine = 2.0 * u * ig, turn = 2.0 * du * ig;
    const double phi = sigma * (1.0 - u * p.u0) * share * ig;
    const double slope = g0 * (1.0 - u * u) * share * ig * ig;
    const double w = p.t0 + rise * phi, dw = rise * slope * width;
    const double inverse = s.cone ? 1.0 / w : 1.0;
    const double tk = s.cone ? inverse : w, dtk = s.cone ? -inverse * inverse * dw : dw;
    const double r = round ? 1.0 : s.radius + s.k * tk;
    t[k] = tk;
    dt[k] = dtk;
    a[k] = r * cosine;
    b[k] = r * sine;
    da[k] = s.k * dtk * cosine - r * turn * sine;
    db[k] = s.k * dtk * sine + r * turn * cosine;
  }
  double x[N], y[N], z[N], area[N], wx[N], wy[N], wz[N];
  const Vec3 n = (0.5 * p.sign) * plane.n;
  for (int k = 0; k < N; ++k) {
    x[k] = x0.x + a[k] * xc.x + b[k] * xs.x + t[k] * e.x;
    y[k] = x0.y + a[k] * xc.y + b[k] * xs.y + t[k] * e.y;
    z[k] = x0.z + a[k] * xc.z + b[k] * xs.z + t[k] * e.z;
    const double dx = da[k] * xc.x + db[k] * xs.x + dt[k] * e.x;
    const double dy = da[k] * xc.y + db[k] * xs.y + dt[k] * e.y;
    const double dz = da[k] * xc.z + db[k] * xs.z + dt[k] * e.z;
    area[k] = n.x * (y[k] * dz - z[k] * dy) + n.y * (z[k] * dx - x[k] * dz) +
              n.z * (x[k] * dy - y[k] * dx);
    wx[k] = rule.fine[k] * area[k] * x[k];
    wy[k] = rule.fine[k] * area[k] * y[k];
    wz[k] = rule.fine[k] * area[k] * z[k];
  }
  const VolumeMoments fan{
      Total(rule.fine, area),
      {Total(wx), Total(wy), Total(wz)},
      {{Total(wx, x), Total(wy, y), Total(wz, z)}, {Total(wx, y), Total(wx, z), Total(wy, z)}}};
  PanelSums out;
  AddFan(plane, fan, &out.sums);
  const double miss = std::fabs(fan.v - Total(rule.lean, area));
  double round_error = 0.0;
  if (round) {
    PatchSums patch;
    PoleDistance near_pole;
    double lean = 0.0;
    for (int k = 0; k < N - 1; ++k) {
      const Vec3 at = p.centre + a[k] * p.c + b[k] * p.s;
      const Vec3 step = da[k] * p.c + db[k] * p.s;
      near_pole.Note(pole, at, step);
      const double before = patch.Size(pole);
      patch.Add(pole, at, -rule.fine[k] * step);
      lean += (patch.Size(pole) - before) * (rule.lean[k] / rule.fine[k]);
    }
    AddPatch(s, pole, patch, &out.sums);
    round_error = PatchError(s, pole, patch.Size(pole), lean, near_pole, N > 8);
  }
  out.volume_error =
      EstimateOf(std::fabs(plane.h) * miss / 3.0, std::fabs(plane.h * fan.v) / 3.0) + round_error;
  out.area_error = EstimateOf(miss, std::fabs(fan.v));
  return out;
}

}  // namespace intervox::cuda::internal::flux
