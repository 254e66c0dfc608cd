/** @file Quadrature over the generators of a cylinder's or cone's face. */
#pragma once

#include "cuda/rules/flux/arc_sums.h"
#include "cuda/rules/flux/sheets.h"

namespace intervox::cuda::internal::flux {

/** The generators of a sheet at N nodes. */
template <int N>
struct SheetNodes {
  double c[N], s[N];    ///< ρ along the panel's c and s
  double turn[N];       ///< dθ
  double lo[N], hi[N];  ///< bounds of t
};

/** The bounds of t by a plane. */
template <int N>
INTERVOX_HD inline void BoundByPlane(const FluxPlane& plane, const FluxCurve& s, const FluxPanel& p,
                                     const SheetNodes<N>& g, double (&t)[N]) {
  const double nc = Dot(plane.n, p.c), ns = Dot(plane.n, p.s), ne = Dot(plane.n, s.frame.Col(2));
  const double gap = plane.h - Dot(plane.n, s.o);
  for (int k = 0; k < N; ++k) {
    const double across = nc * g.c[k] + ns * g.s[k];
    t[k] = (gap - s.radius * across) / (ne + s.k * across);
  }
}

/** The bounds of t by the other surface, as ClipToSolid has them. */
template <int N>
INTERVOX_HD inline void BoundBySolid(const FluxCurve& other, const FluxCurve& s, const FluxPanel& p,
                                     const SheetNodes<N>& g, double (&in)[N], double (&out)[N]) {
  const Mat3& R = other.frame;
  Vec3 y0 = TransposeTimes(R, s.o - other.o), v0 = TransposeTimes(R, s.frame.Col(2));
  Vec3 yc = TransposeTimes(R, p.c), ys = TransposeTimes(R, p.s);
  double kk = -other.k * other.k, rr = other.radius * other.radius;
  if (!other.ruled) {
    const Vec3 inverse{1.0 / other.radii.x, 1.0 / other.radii.y, 1.0 / other.radii.z};
    y0 = Scaled(y0, inverse);
    v0 = Scaled(v0, inverse);
    yc = Scaled(yc, inverse);
    ys = Scaled(ys, inverse);
    kk = rr = 1.0;
  }
  // Loops without early branches: compilers turn the first into vector instructions.
  double a[N], b[N], c[N], disc[N], vz[N];
  for (int k = 0; k < N; ++k) {
    const double rx = yc.x * g.c[k] + ys.x * g.s[k];
    const double ry = yc.y * g.c[k] + ys.y * g.s[k];
    const double rz = yc.z * g.c[k] + ys.z * g.s[k];
    const double yx = y0.x + s.radius * rx, yy = y0.y + s.radius * ry, yz = y0.z + s.radius * rz;
    const double vx = v0.x + s.k * rx, vy = v0.y + s.k * ry;
    vz[k] = v0.z + s.k * rz;
    a[k] = vx * vx + vy * vy + kk * vz[k] * vz[k];
    b[k] = vx * yx + vy * yy + kk * vz[k] * yz;
    c[k] = yx * yx + yy * yy + kk * yz * yz - rr;
    const double square = b[k] * b[k] - a[k] * c[k] - p.residual;
    disc[k] = square > 0 ? square : 0.0;
  }
  for (int k = 0; k < N; ++k) disc[k] = std::sqrt(disc[k]);
  for (int k = 0; k < N; ++k) {
    const RootPair r = QuadraticRoots(a[k], b[k], c[k], disc[k]);
    in[k] = r.first;
    out[k] = r.second;
  }
  if (!other.cone) return;
  for (int k = 0; k < N; ++k) {
    // A generator inside a cone's own directions crosses the nappe once.
    if (a[k] > 0) continue;
    const double once = a[k] == 0   ? (in[k] == kFar || in[k] == -kFar ? out[k] : in[k])
                        : vz[k] > 0 ? out[k]
                                    : in[k];
    in[k] = out[k] = once;
  }
}

/** Adds the edges of the ellipsoid's face that run along a sheet's ends; returns the nested rule's
 share of the patch's size. */
template <int N>
INTERVOX_HD inline double AddPatchEdges(const FluxCurve& ball, const FluxCurve& s,
                                        const FluxPanel& p, const PatchPole& pole,
                                        const NestedRule<N>& rule, const SheetNodes<N>& g,
                                        PatchSums* patch, PoleDistance* near_pole) {
  double lean = 0.0;
  const Vec3 y0 = ToSphere(ball, s.o - ball.o), ye = ToSphere(ball, s.frame.Col(2));
  const Vec3 yc = ToSphere(ball, p.c), ys = ToSphere(ball, p.s);
  for (int end = 0; end < 2; ++end) {
    if ((end == 0 ? p.lo_by : p.hi_by) > kByEntry) continue;
    const double way = (end == 0 ? -1.0 : 1.0) * s.side * ball.side;
    for (int k = 0; k < N - 1; ++k) {
      const double t = end == 0 ? g.lo[k] : g.hi[k], r = s.radius + s.k * t;
      const Vec3 rho = g.c[k] * yc + g.s[k] * ys;
      const Vec3 at = y0 + r * rho + t * ye, along = ye + s.k * rho;
      const Vec3 around = r * (g.c[k] * ys - g.s[k] * yc);
      const double slope = Dot(at, along);
      if (slope == 0) continue;
      const Vec3 step = g.turn[k] * (around - (Dot(at, around) / slope) * along);
      near_pole->Note(pole, at, step);
      const double before = patch->Size(pole);
      patch->Add(pole, at, (rule.fine[k] * way) * step);
      lean += (patch->Size(pole) - before) * (rule.lean[k] / rule.fine[k]);
    }
  }
  return lean;
}

/** (F2): flux through a cylinder's or cone's face, and through the edge of an ellipsoid's face on
 * it. */
template <int N>
INTERVOX_HD inline PanelSums IntegrateSheet(const FluxModel& model, const FluxPanel& p,
                                            const PatchPole& pole, const NestedRule<N>& rule,
                                            double from, double to) {
  const FluxCurve& s = model.curve[p.curve];
  const int q = OtherCurve(model, p.curve);
  const bool rooted = p.lo_by <= kByEntry || p.hi_by <= kByEntry;
  const Vec3 e = s.frame.Col(2);
  const double span = (p.u1 - p.u0) * (to - from);
  SheetNodes<N> g;
  for (int k = 0; k < N; ++k) {
    const double sigma = p.u0 + (from + rule.x[k] * (to - from)) * (p.u1 - p.u0);
    const double u = p.map == 0 ? sigma : p.fold + p.map * sigma * sigma;
    const double du = p.map == 0 ? span : 2.0 * p.map * sigma * span;
    const double ig = 1.0 / (1.0 + u * u);
    g.c[k] = (1.0 - u * u) * ig;
    g.s[k] = 2.0 * u * ig;
    g.turn[k] = 2.0 * du * ig;
  }
  double in[N], out[N];
  if (rooted) BoundBySolid(model.curve[q], s, p, g, in, out);
  for (int end = 0; end < 2; ++end) {
    const int by = end == 0 ? p.lo_by : p.hi_by;
    double(&t)[N] = end == 0 ? g.lo : g.hi;
    if (by >= 0) {
      BoundByPlane(model.plane[by], s, p, g, t);
    } else {
      for (int k = 0; k < N; ++k) t[k] = by == kByEntry ? in[k] : by == kByExit ? out[k] : 0.0;
    }
  }
  // Coordinates along c, s and the axis. Two points on each generator integrate its cubic exactly;
  // w N is the area at a point, h the height of a over its tangent plane.
  const double oc = Dot(s.o, p.c), os = Dot(s.o, p.s), oe = Dot(s.o, e);
  double h[N], w0[N], w1[N], x0[N], x1[N], y0[N], y1[N], z0[N], z1[N];
  for (int k = 0; k < N; ++k) {
    h[k] = s.side * (oc * g.c[k] + os * g.s[k] - s.k * oe + s.radius);
    const double half = 0.5 * (g.hi[k] - g.lo[k]), middle = 0.5 * (g.lo[k] + g.hi[k]);
    const double step = half * kGaussTwo, turn = g.turn[k] * half;
    const double t0 = middle - step, t1 = middle + step;
    const double r0 = s.radius + s.k * t0, r1 = s.radius + s.k * t1;
    w0[k] = turn * r0;
    w1[k] = turn * r1;
    x0[k] = oc + r0 * g.c[k];
    x1[k] = oc + r1 * g.c[k];
    y0[k] = os + r0 * g.s[k];
    y1[k] = os + r1 * g.s[k];
    z0[k] = oe + t0;
    z1[k] = oe + t1;
  }
  double plain[N], lean[N], high[N], high_lean[N];
  for (int k = 0; k < N; ++k) {
    const double w = w0[k] + w1[k];
    plain[k] = rule.fine[k] * w;
    lean[k] = rule.lean[k] * w;
    high[k] = plain[k] * h[k];
    high_lean[k] = lean[k] * h[k];
    w0[k] *= rule.fine[k];
    w1[k] *= rule.fine[k];
  }
  double px[N], py[N], pz[N], xx[N], yy[N], zz[N], xy[N], xz[N], yz[N];
  for (int k = 0; k < N; ++k) {
    const double a0 = w0[k] * x0[k], a1 = w1[k] * x1[k];
    const double b0 = w0[k] * y0[k], b1 = w1[k] * y1[k];
    px[k] = a0 + a1;
    py[k] = b0 + b1;
    pz[k] = w0[k] * z0[k] + w1[k] * z1[k];
    xx[k] = a0 * x0[k] + a1 * x1[k];
    xy[k] = a0 * y0[k] + a1 * y1[k];
    xz[k] = a0 * z0[k] + a1 * z1[k];
    yy[k] = b0 * y0[k] + b1 * y1[k];
    yz[k] = b0 * z0[k] + b1 * z1[k];
    zz[k] = w0[k] * z0[k] * z0[k] + w1[k] * z1[k] * z1[k];
  }
  const double v = Total(high);
  const Vec3 area_local{Total(plain, g.c), Total(plain, g.s), -s.k * Total(plain)};
  // To world axes: R takes (c, s, axis) there, and N = ρ − k e.
  const Mat3 R = Mat3::FromColumns(p.c, p.s, e);
  const Mat3 Rt{p.c, p.s, e};
  PanelSums result;
  Moments& sum = result.sums.x;
  sum.v = v / 3.0;
  sum.m = 0.25 * (R * Vec3{Total(px, h), Total(py, h), Total(pz, h)});
  sum.second = 0.2 * Congruent(R, {{Total(xx, h), Total(yy, h), Total(zz, h)},
                                   {Total(xy, h), Total(xz, h), Total(yz, h)}});
  const Vec3 area = s.side * (R * area_local);
  const Mat3 r_n{{Total(px, g.c), Total(px, g.s), -s.k * Total(px)},
                 {Total(py, g.c), Total(py, g.s), -s.k * Total(py)},
                 {Total(pz, g.c), Total(pz, g.s), -s.k * Total(pz)}};
  AddArea(s.weight, area, s.side * (R * r_n * Rt), &result.sums);
  double round_error = 0.0;
  if (rooted && !model.curve[q].ruled) {
    const FluxCurve& ball = model.curve[q];
    PatchSums patch;
    PoleDistance near_pole;
    const double patch_lean = AddPatchEdges(ball, s, p, pole, rule, g, &patch, &near_pole);
    AddPatch(ball, pole, patch, &result.sums);
    round_error = PatchError(ball, pole, patch.Size(pole), patch_lean, near_pole, N > 8);
  }
  result.volume_error =
      EstimateOf(std::fabs(v - Total(high_lean)) / 3.0, std::fabs(v) / 3.0) + round_error;
  result.area_error = EstimateOf(
      std::fabs(area_local.x - Total(lean, g.c)) + std::fabs(area_local.y - Total(lean, g.s)),
      Norm(area));
  return result;
}

}  // namespace intervox::cuda::internal::flux
