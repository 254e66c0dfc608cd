/** @file Quadrature over the generators of a cylinder's or cone's face. */
#pragma once

#include "cuda/rules/flux/arc_sums.h"
#include "cuda/rules/flux/sheets.h"

namespace intervox::cuda::internal::flux {

/** The generators of a sheet at nodes of a rule, of which an S holds one or several. */
template <class S>
struct SheetNodes {
  S c, s;    ///< ρ along the panel's c and s
  S turn;    ///< dθ
  S lo, hi;  ///< bounds of t
};

/** The bounds of t by a plane. */
template <class S>
INTERVOX_HD inline S BoundByPlane(const FluxPlane& plane, const FluxCurve& s, const FluxPanel& p,
                                  const SheetNodes<S>& g) {
  const double nc = Dot(plane.n, p.c), ns = Dot(plane.n, p.s), ne = Dot(plane.n, s.frame.Col(2));
  const S across = nc * g.c + ns * g.s;
  return (plane.h - Dot(plane.n, s.o) - s.radius * across) / (ne + s.k * across);
}

/** The bounds of t by the other surface, as ClipToSolid has them. */
template <class S>
INTERVOX_HD inline void BoundBySolid(const FluxCurve& other, const FluxCurve& s, const FluxPanel& p,
                                     const SheetNodes<S>& g, S* in, S* out) {
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
  const S rx = yc.x * g.c + ys.x * g.s, ry = yc.y * g.c + ys.y * g.s, rz = yc.z * g.c + ys.z * g.s;
  const S yx = y0.x + s.radius * rx, yy = y0.y + s.radius * ry, yz = y0.z + s.radius * rz;
  const S vx = v0.x + s.k * rx, vy = v0.y + s.k * ry, vz = v0.z + s.k * rz;
  const S a = vx * vx + vy * vy + kk * vz * vz;
  const S b = vx * yx + vy * yy + kk * vz * yz;
  const S c = yx * yx + yy * yy + kk * yz * yz - rr;
  const S square = b * b - a * c - p.residual, none = {};
  const RootPair<S> r = QuadraticRoots(a, b, c, Root(square > 0 ? square : none));
  *in = r.first;
  *out = r.second;
  if (!other.cone) return;
  // A generator inside a cone's own directions crosses the nappe once.
  const S along = Magnitude(r.first) == kFar ? r.second : r.first;
  const S inside = vz > 0 ? r.second : r.first, once = a == 0 ? along : inside;
  *in = a > 0 ? *in : once;
  *out = a > 0 ? *out : once;
}

/** Places generators at the shares sigma of a panel; each counts for `part` of it. */
template <class S>
INTERVOX_HD inline SheetNodes<S> PlaceSheetNodes(const FluxModel& model, const FluxPanel& p,
                                                 const S& sigma, double part) {
  const FluxCurve& s = model.curve[p.curve];
  const double range = p.u1 - p.u0, span = range * part;
  const S at = p.u0 + sigma * range, none = {};
  const S u = p.map == 0 ? at : p.fold + p.map * at * at;
  const S du = p.map == 0 ? none + span : 2.0 * p.map * at * span;
  const S ig = 1.0 / (1.0 + u * u);
  SheetNodes<S> g = {(1.0 - u * u) * ig, 2.0 * u * ig, 2.0 * du * ig, none, none};
  S in = none, out = none;
  if (p.lo_by <= kByEntry || p.hi_by <= kByEntry) {
    BoundBySolid(model.curve[OtherCurve(model, p.curve)], s, p, g, &in, &out);
  }
  for (int end = 0; end < 2; ++end) {
    const int by = end == 0 ? p.lo_by : p.hi_by;
    S& t = end == 0 ? g.lo : g.hi;
    if (by >= 0) {
      t = BoundByPlane(model.plane[by], s, p, g);
    } else {
      t = by == kByEntry ? in : by == kByExit ? out : none;
    }
  }
  return g;
}

/** Adds what nodes of a rule, from `first` on, have of an ellipsoid's face: its edges that run
 along the ends of a sheet's generators. */
template <class S, int N>
INTERVOX_HD inline void AddPatchEdges(const FluxCurve& ball, const FluxCurve& s, const FluxPanel& p,
                                      const PatchPole& pole, const NestedRule<N>& rule, int first,
                                      const SheetNodes<S>& g, PatchEdge* edge) {
  const Vec3 y0 = InAxes(ball, s.o - ball.o), ye = InAxes(ball, s.frame.Col(2));
  const Vec3 yc = InAxes(ball, p.c), ys = InAxes(ball, p.s);
  // Node by node, so that the sums have the same bits however many come at once.
  for (int k = 0; k < kNodesAtOnce && first + k < N - 1; ++k) {
    const double c = Lane(g.c, k), sine = Lane(g.s, k);
    const Vec3 rho = c * yc + sine * ys, along = ye + s.k * rho;
    for (int end = 0; end < 2; ++end) {
      if ((end == 0 ? p.lo_by : p.hi_by) > kByEntry) continue;
      const double way = (end == 0 ? -1.0 : 1.0) * s.side * ball.side;
      const double t = Lane(end == 0 ? g.lo : g.hi, k), r = s.radius + s.k * t;
      const Vec3 at = y0 + r * rho + t * ye, around = r * (c * ys - sine * yc);
      const double slope = Dot(at, along);
      if (slope == 0) continue;
      const Vec3 step = Lane(g.turn, k) * (around - (Dot(at, around) / slope) * along);
      edge->Add(pole, at, step, way * rule.fine[first + k], way * rule.lean[first + k]);
    }
  }
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
 * it. */
template <int N>
INTERVOX_HD inline PanelSums IntegrateSheet(const FluxModel& model, const FluxPanel& p,
                                            const PatchPole& pole, const NestedRule<N>& rule,
                                            double from, double to) {
  using S = Wide<kNodesAtOnce>;
  const FluxCurve& s = model.curve[p.curve];
  const int other = OtherCurve(model, p.curve);
  const bool round = (p.lo_by <= kByEntry || p.hi_by <= kByEntry) && !model.curve[other].ruled;
  const Vec3 e = s.frame.Col(2);
  // Coordinates along c, s and the axis.
  const double oc = Dot(s.o, p.c), os = Dot(s.o, p.s), oe = Dot(s.o, e);
  FourSums<kSheetKinds> total;
  PatchEdge edge;
  for (int first = 0; first < N; first += kNodesAtOnce) {
    const S sigma = from + LoadWide<kNodesAtOnce>(rule.x + first) * (to - from);
    const S fine = LoadWide<kNodesAtOnce>(rule.fine + first);
    const S coarse = LoadWide<kNodesAtOnce>(rule.lean + first);
    const SheetNodes<S> g = PlaceSheetNodes(model, p, sigma, to - from);
    // Two points on each generator integrate its cubic exactly; w N is the area at a point, h the
    // height of a over its tangent plane.
    const S h = s.side * (oc * g.c + os * g.s - s.k * oe + s.radius);
    const S half = 0.5 * (g.hi - g.lo), middle = 0.5 * (g.lo + g.hi);
    const S step = half * kGaussTwo, turn = g.turn * half;
    const S t0 = middle - step, r0 = s.radius + s.k * t0, a0 = turn * r0, w0 = fine * a0;
    const S t1 = middle + step, r1 = s.radius + s.k * t1, a1 = turn * r1, w1 = fine * a1;
    const S x0 = oc + r0 * g.c, y0 = os + r0 * g.s, z0 = oe + t0;
    const S x1 = oc + r1 * g.c, y1 = os + r1 * g.s, z1 = oe + t1;
    const S plain = fine * (a0 + a1), lean = coarse * (a0 + a1);
    const S wx0 = w0 * x0, wx1 = w1 * x1, wy0 = w0 * y0, wy1 = w1 * y1;
    const S x = wx0 + wx1, y = wy0 + wy1, z = w0 * z0 + w1 * z1;
    const auto add = [&](SheetKind kind, const S& a) { total.Add(first, kind, a); };
    add(kHigh, plain * h);
    add(kHighLean, lean * h);
    add(kPlain, plain);
    add(kPlainC, plain * g.c);
    add(kPlainS, plain * g.s);
    add(kLeanC, lean * g.c);
    add(kLeanS, lean * g.s);
    add(kXh, x * h);
    add(kYh, y * h);
    add(kZh, z * h);
    add(kXxh, (wx0 * x0 + wx1 * x1) * h);
    add(kYyh, (wy0 * y0 + wy1 * y1) * h);
    add(kZzh, (w0 * z0 * z0 + w1 * z1 * z1) * h);
    add(kXyh, (wx0 * y0 + wx1 * y1) * h);
    add(kXzh, (wx0 * z0 + wx1 * z1) * h);
    add(kYzh, (wy0 * z0 + wy1 * z1) * h);
    add(kX, x);
    add(kXc, x * g.c);
    add(kXs, x * g.s);
    add(kY, y);
    add(kYc, y * g.c);
    add(kYs, y * g.s);
    add(kPz, z);
    add(kZc, z * g.c);
    add(kZs, z * g.s);
    if (round) AddPatchEdges(model.curve[other], s, p, pole, rule, first, g, &edge);
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
  const double round_error =
      round ? AddPatch(model.curve[other], pole, edge, N > 8, &result.sums) : 0.0;
  result.volume_error =
      EstimateOf(std::fabs(v - total[kHighLean]) / 3.0, std::fabs(v) / 3.0) + round_error;
  result.area_error =
      EstimateOf(std::fabs(area_local.x - total[kLeanC]) + std::fabs(area_local.y - total[kLeanS]),
                 Norm(area));
  return result;
}

}  // namespace intervox::cuda::internal::flux
