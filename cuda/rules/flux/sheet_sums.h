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
    const RootPair<double> r = QuadraticRoots(a[k], b[k], c[k], disc[k]);
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
                                        const NestedRule<N>& rule, const SheetNodes<16>& g,
                                        PatchSums* patch, PoleDistance* near_pole) {
  double lean = 0.0;
  const Vec3 y0 = InAxes(ball, s.o - ball.o), ye = InAxes(ball, s.frame.Col(2));
  const Vec3 yc = InAxes(ball, p.c), ys = InAxes(ball, p.s);
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

/** What is summed over the nodes of a sheet, h the height of a over the tangent plane. */
enum SheetKind : int {
  kHigh,
  kHighLean,
  kPlain,
  kPlainC,
  kPlainS,
  kLeanC,
  kLeanS,
  kXh,
  kYh,
  kZh,
  kXxh,
  kYyh,
  kZzh,
  kXyh,
  kXzh,
  kYzh,
  kX,
  kXc,
  kXs,
  kY,
  kYc,
  kYs,
  kPz,
  kZc,
  kZs,
  kSheetKinds
};

/** (F2): flux through a cylinder's or cone's face, and through the edge of an ellipsoid's face on
 * it.
 @param nodes  room for the generators that such an edge runs along */
template <int N>
INTERVOX_HD inline PanelSums IntegrateSheet(const FluxModel& model, const FluxPanel& p,
                                            const PatchPole& pole, const NestedRule<N>& rule,
                                            double from, double to, SheetNodes<16>* nodes) {
  constexpr int M = kAllNodesAtOnce<N>;
  const FluxCurve& s = model.curve[p.curve];
  const int q = OtherCurve(model, p.curve);
  const bool rooted = p.lo_by <= kByEntry || p.hi_by <= kByEntry;
  const bool round = rooted && !model.curve[q].ruled;
  const Vec3 e = s.frame.Col(2);
  const double span = (p.u1 - p.u0) * (to - from);
  // Coordinates along c, s and the axis.
  const double oc = Dot(s.o, p.c), os = Dot(s.o, p.s), oe = Dot(s.o, e);
  NodeSums<N, kSheetKinds, M> total;
  for (int step = 0; step < N; step += M) {
    const int first = total.NodeAt(step);
    SheetNodes<M> g;
    for (int k = 0; k < M; ++k) {
      const double sigma = p.u0 + (from + rule.x[first + k] * (to - from)) * (p.u1 - p.u0);
      const double u = p.map == 0 ? sigma : p.fold + p.map * sigma * sigma;
      const double du = p.map == 0 ? span : 2.0 * p.map * sigma * span;
      const double ig = 1.0 / (1.0 + u * u);
      g.c[k] = (1.0 - u * u) * ig;
      g.s[k] = 2.0 * u * ig;
      g.turn[k] = 2.0 * du * ig;
    }
    double in[M], out[M];
    if (rooted) BoundBySolid(model.curve[q], s, p, g, in, out);
    for (int end = 0; end < 2; ++end) {
      const int by = end == 0 ? p.lo_by : p.hi_by;
      double(&t)[M] = end == 0 ? g.lo : g.hi;
      if (by >= 0) {
        BoundByPlane(model.plane[by], s, p, g, t);
      } else {
        for (int k = 0; k < M; ++k) t[k] = by == kByEntry ? in[k] : by == kByExit ? out[k] : 0.0;
      }
    }
    // Two points on each generator integrate its cubic exactly; w N is the area at a point, h the
    // height of a over its tangent plane.
    double h[M], w0[M], w1[M], x0[M], x1[M], y0[M], y1[M], z0[M], z1[M];
    for (int k = 0; k < M; ++k) {
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
    double plain[M], lean[M], high[M], high_lean[M];
    for (int k = 0; k < M; ++k) {
      const double w = w0[k] + w1[k];
      plain[k] = rule.fine[first + k] * w;
      lean[k] = rule.lean[first + k] * w;
      high[k] = plain[k] * h[k];
      high_lean[k] = lean[k] * h[k];
      w0[k] *= rule.fine[first + k];
      w1[k] *= rule.fine[first + k];
    }
    double px[M], py[M], pz[M], xx[M], yy[M], zz[M], xy[M], xz[M], yz[M];
    for (int k = 0; k < M; ++k) {
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
    total.Add(step, kHigh, high);
    total.Add(step, kHighLean, high_lean);
    total.Add(step, kPlain, plain);
    total.Add(step, kPlainC, plain, g.c);
    total.Add(step, kPlainS, plain, g.s);
    total.Add(step, kLeanC, lean, g.c);
    total.Add(step, kLeanS, lean, g.s);
    total.Add(step, kXh, px, h);
    total.Add(step, kYh, py, h);
    total.Add(step, kZh, pz, h);
    total.Add(step, kXxh, xx, h);
    total.Add(step, kYyh, yy, h);
    total.Add(step, kZzh, zz, h);
    total.Add(step, kXyh, xy, h);
    total.Add(step, kXzh, xz, h);
    total.Add(step, kYzh, yz, h);
    total.Add(step, kX, px);
    total.Add(step, kXc, px, g.c);
    total.Add(step, kXs, px, g.s);
    total.Add(step, kY, py);
    total.Add(step, kYc, py, g.c);
    total.Add(step, kYs, py, g.s);
    total.Add(step, kPz, pz);
    total.Add(step, kZc, pz, g.c);
    total.Add(step, kZs, pz, g.s);
    total.Close(step);
    if (!round) continue;
    for (int k = 0; k < M; ++k) {
      nodes->c[first + k] = g.c[k];
      nodes->s[first + k] = g.s[k];
      nodes->turn[first + k] = g.turn[k];
      nodes->lo[first + k] = g.lo[k];
      nodes->hi[first + k] = g.hi[k];
    }
  }
  const double v = total[kHigh];
  const Vec3 area_local{total[kPlainC], total[kPlainS], -s.k * total[kPlain]};
  // To world axes: R takes (c, s, axis) there, and N = ρ − k e.
  const Mat3 R = Mat3::FromColumns(p.c, p.s, e);
  const Mat3 Rt{p.c, p.s, e};
  PanelSums result;
  result.work = N - 1;
  Moments& sum = result.sums.x;
  sum.v = v / 3.0;
  sum.m = 0.25 * (R * Vec3{total[kXh], total[kYh], total[kZh]});
  sum.second = 0.2 * Congruent(R, {{total[kXxh], total[kYyh], total[kZzh]},
                                   {total[kXyh], total[kXzh], total[kYzh]}});
  const Vec3 area = s.side * (R * area_local);
  const Mat3 r_n{{total[kXc], total[kXs], -s.k * total[kX]},
                 {total[kYc], total[kYs], -s.k * total[kY]},
                 {total[kZc], total[kZs], -s.k * total[kPz]}};
  AddArea(s.weight, area, s.side * (R * r_n * Rt), &result.sums);
  double round_error = 0.0;
  if (round) {
    const FluxCurve& ball = model.curve[q];
    PatchSums patch;
    PoleDistance near_pole;
    const double patch_lean = AddPatchEdges(ball, s, p, pole, rule, *nodes, &patch, &near_pole);
    AddPatch(ball, pole, patch, &result.sums);
    round_error = PatchError(ball, pole, patch.Size(pole), patch_lean, near_pole, N > 8);
  }
  result.volume_error =
      EstimateOf(std::fabs(v - total[kHighLean]) / 3.0, std::fabs(v) / 3.0) + round_error;
  result.area_error =
      EstimateOf(std::fabs(area_local.x - total[kLeanC]) + std::fabs(area_local.y - total[kLeanS]),
                 Norm(area));
  return result;
}

}  // namespace intervox::cuda::internal::flux
