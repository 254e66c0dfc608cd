/** @file Quadrature along one conic arc: an edge of a planar face. */
#pragma once

#include "cuda/numerics/quadrature.h"
#include "cuda/rules/flux/edges.h"
#include "cuda/rules/flux/patch.h"

namespace intervox::cuda::internal::flux {

/** What pieces add, and how far that may be off. */
struct PanelSums {
  FluxSums sums;
  double volume_error = 0.0;  ///< [m³]
  double area_error = 0.0;    ///< of the area vector [m²]
  int work = 0;               ///< nodes

  /** Adds other. */
  INTERVOX_HD PanelSums& operator+=(const PanelSums& other) {
    sums += other.sums;
    volume_error += other.volume_error;
    area_error += other.area_error;
    work += other.work;
    return *this;
  }
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

/** What is summed over the nodes of an arc. */
enum ArcKind : int {
  kArea,
  kAreaLean,
  kWx,
  kWy,
  kWz,
  kWxx,
  kWyy,
  kWzz,
  kWxy,
  kWxz,
  kWyz,
  kArcKinds
};

/** (F1): sums over the edge of a planar face, and of the ellipsoid's face where it bounds that too.
 */
template <int N>
INTERVOX_HD inline PanelSums IntegrateArc(const FluxModel& model, const FluxPanel& p,
                                          const PatchPole& pole, const NestedRule<N>& rule,
                                          double from, double to) {
  constexpr int M = kNodesAtOnce;
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
  const Vec3 n = (0.5 * p.sign) * plane.n;
  NodeSums<N, kArcKinds, M> total;
  double a[N], b[N], da[N], db[N];
  for (int step = 0; step < N; step += M) {
    const int first = total.NodeAt(step);
    double t[M], dt[M];
    for (int i = 0; i < M; ++i) {
      const int k = first + i;
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
      t[i] = tk;
      dt[i] = dtk;
      a[k] = r * cosine;
      b[k] = r * sine;
      da[k] = s.k * dtk * cosine - r * turn * sine;
      db[k] = s.k * dtk * sine + r * turn * cosine;
    }
    double x[M], y[M], z[M], area[M], wx[M], wy[M], wz[M], fine[M], lean[M];
    for (int i = 0; i < M; ++i) {
      const int k = first + i;
      x[i] = x0.x + a[k] * xc.x + b[k] * xs.x + t[i] * e.x;
      y[i] = x0.y + a[k] * xc.y + b[k] * xs.y + t[i] * e.y;
      z[i] = x0.z + a[k] * xc.z + b[k] * xs.z + t[i] * e.z;
      const double dx = da[k] * xc.x + db[k] * xs.x + dt[i] * e.x;
      const double dy = da[k] * xc.y + db[k] * xs.y + dt[i] * e.y;
      const double dz = da[k] * xc.z + db[k] * xs.z + dt[i] * e.z;
      area[i] = n.x * (y[i] * dz - z[i] * dy) + n.y * (z[i] * dx - x[i] * dz) +
                n.z * (x[i] * dy - y[i] * dx);
      fine[i] = rule.fine[k] * area[i];
      lean[i] = rule.lean[k] * area[i];
      wx[i] = fine[i] * x[i];
      wy[i] = fine[i] * y[i];
      wz[i] = fine[i] * z[i];
    }
    total.Add(step, kArea, fine);
    total.Add(step, kAreaLean, lean);
    total.Add(step, kWx, wx);
    total.Add(step, kWy, wy);
    total.Add(step, kWz, wz);
    total.Add(step, kWxx, wx, x);
    total.Add(step, kWyy, wy, y);
    total.Add(step, kWzz, wz, z);
    total.Add(step, kWxy, wx, y);
    total.Add(step, kWxz, wx, z);
    total.Add(step, kWyz, wy, z);
    total.Close(step);
  }
  const VolumeMoments fan{
      total[kArea],
      {total[kWx], total[kWy], total[kWz]},
      {{total[kWxx], total[kWyy], total[kWzz]}, {total[kWxy], total[kWxz], total[kWyz]}}};
  PanelSums out;
  out.work = N - 1;
  AddFan(plane, fan, &out.sums);
  const double miss = std::fabs(fan.v - total[kAreaLean]);
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
