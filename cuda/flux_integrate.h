/** @file Quadrature over one piece, with an estimate of its error. */
#pragma once

#include "cuda/flux_patch.h"
#include "cuda/flux_quadrature.h"
#include "cuda/flux_sheets.h"

namespace intervox::cuda::internal {

/** A boundary point of the ellipsoid's face at σ ∈ [0, 1] of a piece, in the frame of the unit
 sphere; the face's `end` 0 or 1 of a sheet. False when the piece does not bound that face. */
INTERVOX_HD inline bool PatchPoint(const FluxModel& model, int round, const FluxPanel& p,
                                   double sigma, int end, Vec3* y) {
  const FluxCurve& ball = model.curve[round];
  if (p.kind == PanelKind::kRoundArc) {
    *y = ToSphere(ball, PointOf(model, p, sigma).x - ball.o);
    return end == 0;
  }
  if (p.kind != PanelKind::kSheet) return false;
  const int by = end == 0 ? p.lo_by : p.hi_by;
  if (by > kByEntry) return false;
  const double at = p.u0 + sigma * (p.u1 - p.u0);
  const Generator g =
      GeneratorOf(model.curve[p.curve], p.c, p.s, p.map == 0 ? at : p.fold + p.map * at * at);
  double in = 0.0, out = 0.0;
  ClipToSolid(ball, g.b, g.d, &in, &out, p.residual, true);
  *y = ToSphere(ball, g.b + (by == kByEntry ? in : out) * g.d - ball.o);
  return true;
}

/** Whether the face of the ellipsoid is small enough for sectors, seen from the boundary's mean. */
INTERVOX_HD inline bool FindSmallPole(const FluxModel& model, int round, const FluxPanels& panels,
                                      Vec3* pole) {
  constexpr double kSmall = 0.5;  // |y − e|²: 41° around the pole
  Vec3 mean, y;
  for (int i = 0; i < 6 * panels.count; ++i) {
    if (PatchPoint(model, round, panels.panel[i / 6], 0.5 * (i % 3), i / 3 % 2, &y)) mean += y;
  }
  const double length = Norm(mean);
  if (!(length > 0)) return false;
  *pole = mean / length;
  for (int i = 0; i < 6 * panels.count; ++i) {
    if (PatchPoint(model, round, panels.panel[i / 6], 0.5 * (i % 3), i / 3 % 2, &y) &&
        !(SquaredNorm(y - *pole) < kSmall)) {
      return false;
    }
  }
  const FluxCurve& s = model.curve[round];
  return Margin(model, s.o - s.frame * Scaled(s.radii, *pole), -1, round) > 0;
}

/** What one piece adds, and how far that may be off. */
struct PanelSums {
  FluxSums sums;
  double volume_error = 0.0;  ///< [m³]
  double area_error = 0.0;    ///< of its area vector [m²]
};

/** The integrand's weights in a rule and in the rule nested in it. */
struct FluxNode {
  double sigma, fine, lean;
};

/** Sums over a sheet's generators: flux through the face. */
struct SheetSums {
  double v = 0.0;
  Vec3 m, q, d, s;
  Mat3 r_n = Mat3::Zero();

  /** Adds the vector area w N at r, whose cone from a has three times the volume w h. */
  INTERVOX_HD void Add(double w, double h, const Vec3& normal, const Vec3& r) {
    const double wh = w * h;
    const Vec3 rw = wh * r;
    const Vec3 area = w * normal;
    v += wh;
    m += rw;
    q += Scaled(rw, r);
    d += Vec3{rw.x * r.y, rw.x * r.z, rw.y * r.z};
    s += area;
    r_n = r_n + Outer(r, area);
  }
};

/** An estimate of a rule's error from its difference to the rule nested in it, which has half as
 many digits when the integrand is analytic. */
INTERVOX_HD inline double EstimateOf(double difference, double scale) {
  const double digits = scale > 0 ? 4.0 * difference / scale : 1.0;
  return digits < 1 ? difference * digits : difference;
}

template <class Rule>
INTERVOX_HD PanelSums IntegrateArc(const FluxModel& model, const FluxPanel& p,
                                   const PatchPole& pole, int nodes, Rule rule, double from,
                                   double to) {
  const FluxPlane& plane = model.plane[p.plane];
  const FluxCurve& s = model.curve[p.curve];
  const bool round = p.kind == PanelKind::kRoundArc;
  FanSums fan;
  PatchSums patch;
  double lean_a = 0.0, lean_patch = 0.0;
  Vec3 lean_w;
  for (int k = 0; k < nodes; ++k) {
    const NestedNode node = rule(k);
    const ArcPoint at = PointOf(model, p, from + node.x * (to - from));
    const double da = 0.5 * p.sign * Dot(plane.n, Cross(at.x, at.dx)) * (to - from);
    fan.Add(node.fine * da, at.x);
    lean_a += node.lean * da;
    lean_w += (node.lean * da) * at.x;
    if (round) {
      const Vec3 y = ToSphere(s, at.x - s.o);
      const Vec3 dy = (-(to - from)) * ToSphere(s, at.dx);
      const double before = pole.small ? patch.xa : patch.a;
      patch.Add(pole, y, node.fine * dy);
      lean_patch += node.lean > 0
                        ? ((pole.small ? patch.xa : patch.a) - before) * (node.lean / node.fine)
                        : 0.0;
    }
  }
  PanelSums out;
  AddFan(plane, fan, &out.sums);
  if (round) AddPatch(s, pole, patch, &out.sums);
  const double da = std::fabs(fan.a - lean_a);
  const double off = std::fabs(plane.h) * (da + MaxNorm(fan.w - lean_w) / model.size) / 3.0;
  double scale_v = std::fabs(plane.h * fan.a) / 3.0, off_patch = 0.0;
  if (round) {
    const double det = s.radii.x * s.radii.y * s.radii.z / 3.0;
    off_patch = det * std::fabs((pole.small ? patch.xa : patch.a) - lean_patch);
    scale_v += det * std::fabs(pole.small ? patch.xa : patch.a);
  }
  out.volume_error = EstimateOf(off + off_patch, scale_v);
  out.area_error = EstimateOf(da, std::fabs(fan.a));
  return out;
}

template <class Rule>
INTERVOX_HD PanelSums IntegrateSheet(const FluxModel& model, const FluxPanel& p,
                                     const PatchPole& pole, int nodes, Rule rule, double from,
                                     double to) {
  const FluxCurve& s = model.curve[p.curve];
  const int q = OtherCurve(model, p.curve);
  const bool rooted = p.lo_by <= kByEntry || p.hi_by <= kByEntry;
  const bool round = rooted && !model.curve[q].ruled;
  const Vec3 e = s.frame.Col(2);
  const double reach = Dot(s.o, e);
  SheetSums sheet, lean;
  PatchSums patch;
  double lean_patch = 0.0;
  const double span = (p.u1 - p.u0) * (to - from);
  for (int k = 0; k < nodes; ++k) {
    const NestedNode node = rule(k);
    const double sigma = p.u0 + (from + node.x * (to - from)) * (p.u1 - p.u0);
    const double u = p.map == 0 ? sigma : p.fold + p.map * sigma * sigma;
    const double du = p.map == 0 ? span : 2.0 * p.map * sigma * span;
    const double turn = 2.0 * du / (1.0 + u * u);
    const Generator g = GeneratorOf(s, p.c, p.s, u);
    double in = 0.0, out = 0.0;
    if (rooted) ClipToSolid(model.curve[q], g.b, g.d, &in, &out, p.residual, true);
    const double lo = EndOf(model, p.lo_by, g, in, out), hi = EndOf(model, p.hi_by, g, in, out);
    const Vec3 normal = s.side * (g.rho - s.k * e);
    const double h = s.side * (Dot(s.o, g.rho) - s.k * reach + s.radius);
    const double half = 0.5 * (hi - lo), middle = 0.5 * (lo + hi);
    const double step = half * 0.57735026918962576451;
    const double t0 = middle - step, t1 = middle + step;
    const double w0 = turn * half * (s.radius + s.k * t0), w1 = turn * half * (s.radius + s.k * t1);
    const Vec3 r0 = g.b + t0 * g.d, r1 = g.b + t1 * g.d;
    sheet.Add(node.fine * w0, h, normal, r0);
    sheet.Add(node.fine * w1, h, normal, r1);
    if (node.lean > 0) {
      lean.v += node.lean * (w0 + w1) * h;
      lean.m += (node.lean * h) * (w0 * r0 + w1 * r1);
      lean.s += (node.lean * (w0 + w1)) * normal;
    }
    for (int end = 0; end < 2 && round; ++end) {
      if ((end == 0 ? p.lo_by : p.hi_by) > kByEntry) continue;
      const FluxCurve& ball = model.curve[q];
      const double t = end == 0 ? lo : hi;
      const Vec3 y = ToSphere(ball, g.b + t * g.d - ball.o);
      const Vec3 v = ToSphere(ball, g.d);
      const Vec3 w = ToSphere(ball, (s.radius + s.k * t) * g.tau);
      const double slope = Dot(y, v);
      if (slope == 0) continue;
      const double way = (end == 0 ? -1.0 : 1.0) * s.side * ball.side * turn;
      const double before = pole.small ? patch.xa : patch.a;
      patch.Add(pole, y, (node.fine * way) * (w - (Dot(y, w) / slope) * v));
      lean_patch += node.lean > 0
                        ? ((pole.small ? patch.xa : patch.a) - before) * (node.lean / node.fine)
                        : 0.0;
    }
  }
  PanelSums out;
  Moments& x = out.sums.x;
  x.v = sheet.v / 3.0;
  x.m = 0.25 * sheet.m;
  x.q = 0.2 * sheet.q;
  x.d = 0.2 * sheet.d;
  AddArea(s.weight, sheet.s, sheet.r_n, &out.sums);
  double off = (std::fabs(sheet.v - lean.v) + MaxNorm(sheet.m - lean.m) / model.size) / 3.0;
  double scale = std::fabs(sheet.v) / 3.0;
  if (round) {
    const FluxCurve& ball = model.curve[q];
    AddPatch(ball, pole, patch, &out.sums);
    const double det = ball.radii.x * ball.radii.y * ball.radii.z / 3.0;
    off += det * std::fabs((pole.small ? patch.xa : patch.a) - lean_patch);
    scale += det * std::fabs(pole.small ? patch.xa : patch.a);
  }
  out.volume_error = EstimateOf(off, scale);
  out.area_error = EstimateOf(MaxNorm(sheet.s - lean.s), MaxNorm(sheet.s));
  return out;
}

/** One panel's share [from, to] ⊂ [0, 1] with 7 or 15 nodes. */
INTERVOX_HD inline PanelSums IntegratePanel(const FluxModel& model, const FluxPanel& p,
                                            const PatchPole& pole, bool fine, double from,
                                            double to) {
  if (p.kind == PanelKind::kSheet) {
    return fine ? IntegrateSheet(model, p, pole, 15, Patterson15, from, to)
                : IntegrateSheet(model, p, pole, 7, Patterson7, from, to);
  }
  return fine ? IntegrateArc(model, p, pole, 15, Patterson15, from, to)
              : IntegrateArc(model, p, pole, 7, Patterson7, from, to);
}

/** One panel by bisection until each part's error is below its share. */
INTERVOX_HD inline PanelSums RefinePanel(const FluxModel& model, const FluxPanel& p,
                                         const PatchPole& pole, double volume_goal,
                                         double area_goal, int* work) {
  PanelSums out;
  constexpr int kEvaluations =
      48;  // enough for any analytic piece; more would not help a rough one
  int evaluations = 0;
  // Depth first over a binary tree: the place in it is one number.
  double from = 0.0, width = 1.0;
  while (from < 1.0) {
    const PanelSums part = IntegratePanel(model, p, pole, true, from, from + width);
    *work += 15;
    ++evaluations;
    const bool rough = part.volume_error > volume_goal || part.area_error > area_goal;
    if (rough && width > 1e-4 && evaluations < kEvaluations) {
      width *= 0.5;
      continue;
    }
    out.sums += part.sums;
    out.volume_error += part.volume_error;
    out.area_error += part.area_error;
    from += width;
    // Widen as far as the place allows: the next aligned interval of the tree.
    while (width < 1.0 && from < 1.0) {
      const double steps = from / (2.0 * width);
      if (steps != static_cast<double>(static_cast<long long>(steps))) break;
      width *= 2.0;
    }
  }
  return out;
}

}  // namespace intervox::cuda::internal
