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

/** An edge of an ellipsoid's face, of whose size a nested rule has its own share. */
struct PatchEdge {
  PatchSums sums;
  PoleDistance near_pole;
  double lean = 0.0;  ///< the size by the nested rule

  /** Adds a node at p, dp the derivative along the piece, by its weights. */
  INTERVOX_HD void Add(const PatchPole& pole, const Vec3& p, const Vec3& dp, double fine_weight,
                       double lean_weight) {
    near_pole.Note(pole, p, dp);
    const double before = sums.Size(pole);
    sums.Add(pole, p, fine_weight * dp);
    lean += (sums.Size(pole) - before) * (lean_weight / fine_weight);
  }
};

/** Adds the cone over the patch, and its area vector, by its edge. @returns the error of V */
INTERVOX_HD inline double AddPatch(const FluxCurve& s, const PatchPole& pole, const PatchEdge& edge,
                                   bool fine, FluxSums* sums) {
  AddPatch(s, pole, edge.sums, sums);
  const double det = s.radii.x * s.radii.y * s.radii.z / 3.0, size = edge.sums.Size(pole);
  return EstimateOf(kBlind * det * std::fabs(size - edge.lean), det * std::fabs(size)) +
         det * edge.near_pole.ErrorOfSize(pole, fine);
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
  using S = Wide<kNodesAtOnce>;
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
  FourSums<kArcKinds> total;
  PatchEdge edge;
  for (int first = 0; first < N; first += kNodesAtOnce) {
    const S sigma = from + LoadWide<kNodesAtOnce>(rule.x + first) * width;
    const S u = p.u0 + sigma * (p.u1 - p.u0), ig = 1.0 / (1.0 + u * u);
    const S cosine = (1.0 - u * u) * ig, sine = 2.0 * u * ig, turn = 2.0 * du * ig;
    const S phi = sigma * (1.0 - u * p.u0) * share * ig;
    const S slope = g0 * (1.0 - u * u) * share * ig * ig;
    const S w = p.t0 + rise * phi, dw = rise * slope * width;
    S t = w, dt = dw, r = S{} + 1.0;
    if (s.cone) {
      t = 1.0 / w;
      dt = -t * t * dw;
    }
    if (!round) r = s.radius + s.k * t;
    const S a = r * cosine, da = s.k * dt * cosine - r * turn * sine;
    const S b = r * sine, db = s.k * dt * sine + r * turn * cosine;
    const S x = x0.x + a * xc.x + b * xs.x + t * e.x, dx = da * xc.x + db * xs.x + dt * e.x;
    const S y = x0.y + a * xc.y + b * xs.y + t * e.y, dy = da * xc.y + db * xs.y + dt * e.y;
    const S z = x0.z + a * xc.z + b * xs.z + t * e.z, dz = da * xc.z + db * xs.z + dt * e.z;
    const S area = n.x * (y * dz - z * dy) + n.y * (z * dx - x * dz) + n.z * (x * dy - y * dx);
    const S fine = LoadWide<kNodesAtOnce>(rule.fine + first) * area;
    const S wx = fine * x, wy = fine * y, wz = fine * z;
    const auto add = [&](ArcKind kind, const S& sum) { total.Add(first, kind, sum); };
    add(kArea, fine);
    add(kAreaLean, LoadWide<kNodesAtOnce>(rule.lean + first) * area);
    add(kWx, wx);
    add(kWy, wy);
    add(kWz, wz);
    add(kWxx, wx * x);
    add(kWyy, wy * y);
    add(kWzz, wz * z);
    add(kWxy, wx * y);
    add(kWxz, wx * z);
    add(kWyz, wy * z);
    for (int k = 0; round && k < kNodesAtOnce && first + k < N - 1; ++k) {
      edge.Add(pole, p.centre + Lane(a, k) * p.c + Lane(b, k) * p.s,
               Lane(da, k) * p.c + Lane(db, k) * p.s, -rule.fine[first + k], -rule.lean[first + k]);
    }
  }
  const VolumeMoments fan{
      total[kArea],
      {total[kWx], total[kWy], total[kWz]},
      {{total[kWxx], total[kWyy], total[kWzz]}, {total[kWxy], total[kWxz], total[kWyz]}}};
  PanelSums out;
  out.work = N - 1;
  AddFan(plane, fan, &out.sums);
  const double miss = std::fabs(fan.v - total[kAreaLean]);
  const double round_error = round ? AddPatch(s, pole, edge, N > 8, &out.sums) : 0.0;
  out.volume_error =
      EstimateOf(std::fabs(plane.h) * miss / 3.0, std::fabs(plane.h * fan.v) / 3.0) + round_error;
  out.area_error = EstimateOf(miss, std::fabs(fan.v));
  return out;
}

}  // namespace intervox::cuda::internal::flux
