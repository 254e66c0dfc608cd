/** @file Straight edges of planar faces and conic arcs on them. */
#pragma once

#include "cuda/numerics/place.h"
#include "cuda/numerics/quadrature.h"
#include "cuda/numerics/roots.h"
#include "cuda/rules/flux/panel.h"

namespace intervox::cuda::internal::flux {

inline constexpr int kFluxHits = 96;
inline constexpr int kFluxKnots = 64;

/** A point where two planes meet a curved surface. */
struct FluxHit {
  Vec3 x;
  int plane0 = 0, plane1 = 0;
  int curve = 0;
};

/** The points where straight edges of Ω end on curved surfaces. */
struct FluxHits {
  union {
    FluxHit hit[kFluxHits];  ///< the first `count`; the rest is never written, nor zeroed
  };
  int count = 0;
  bool full = false;

  INTERVOX_HD FluxHits() {}

  /** Forgets them. */
  INTERVOX_HD void Clear() {
    count = 0;
    full = false;
  }
};

/** (F1): adds the cone from a over an edge's fan, and the fan's area vector and its moment. The fan
 f holds ∫dA, ∫w dA and ∫wwᵀ dA of the triangles between the foot of a's perpendicular and the edge;
 w is the edge's point. */
INTERVOX_HD inline void AddFan(const FluxPlane& plane, const VolumeMoments& f, FluxSums* sums) {
  const Vec3 u = plane.h * plane.n;
  const double h3 = plane.h / 3.0;
  sums->x.v += h3 * f.v;
  sums->x.m += (0.25 * h3) * (f.v * u + 2.0 * f.m);
  sums->x.second += (0.1 * h3) * (f.v * Square(u) + 3.0 * f.second + Mixed(u, f.m));
  AddArea(plane.weight, f.v * plane.n, Outer((f.v * u + 2.0 * f.m) / 3.0, plane.n), sums);
}

/** Adds the fans of the straight edge p + t d, t ∈ [lo, hi], of two planes; d along n0 × n1. */
INTERVOX_HD inline void AddEdge(const FluxModel& model, int i, int j, const Vec3& p, const Vec3& d,
                                double lo, double hi, FluxSums* sums) {
  const double half = 0.5 * (hi - lo);
  const Vec3 middle = p + (0.5 * (lo + hi)) * d;
  const double r = half * kGaussTwo;
  const Vec3 x0 = middle - r * d, x1 = middle + r * d;
  for (int side = 0; side < 2; ++side) {
    const FluxPlane& plane = model.plane[side == 0 ? i : j];
    const double reach = Dot(Cross(p, d), plane.n);
    const double da = (side == 0 ? 0.5 : -0.5) * reach * half;
    VolumeMoments fan;
    fan.AddPoint(da, x0);
    fan.AddPoint(da, x1);
    AddFan(plane, fan, sums);
  }
}

/** All straight edges, and where they end on curved surfaces. False when one is infinite. */
INTERVOX_HD inline bool AddStraightEdges(const FluxModel& model, FluxHits* hits, FluxSums* sums) {
  for (int i = 0; i < model.planes; ++i) {
    for (int j = i + 1; j < model.planes; ++j) {
      // An edge of one plane far off still ends the other's arcs, which would run on.
      if (!model.IsNear(i) && !model.IsNear(j)) continue;
      const FluxPlane &a = model.plane[i], &b = model.plane[j];
      const Vec3 cross = Cross(a.n, b.n);
      const double sine = Norm(cross);
      if (sine < 1e-13) continue;
      // Exactly in plane a, so that nearly parallel planes blur only the place along it.
      const Vec3 d = Normalized(cross - Dot(cross, a.n) * a.n);
      const Vec3 across = Cross(d, a.n);
      const Vec3 p = a.h * a.n + ((b.h - a.h * Dot(a.n, b.n)) / Dot(b.n, across)) * across;
      double lo = -kFar, hi = kFar;
      bool empty = false;
      for (int k = 0; k < model.planes && !empty; ++k) {
        if (k == i || k == j) continue;
        const double slope = Dot(model.plane[k].n, d);
        const double gap = model.plane[k].h - Dot(model.plane[k].n, p);
        if (std::fabs(slope) < 1e-15) {
          empty = gap < 0;
        } else if (slope > 0) {
          hi = gap / slope < hi ? gap / slope : hi;
        } else {
          lo = gap / slope > lo ? gap / slope : lo;
        }
        empty = empty || lo > hi + 2 * model.slack;
      }
      if (empty) continue;
      Span part[kMostSpans];
      int parts = 1;
      part[0].lo = lo;
      part[0].hi = hi;
      for (int q = 0; q < model.curves; ++q) {
        double in, out;
        const bool meets = ClipToSolid(model.curve[q], p, d, &in, &out);
        if (meets) {
          for (int e = 0; e < 2; ++e) {
            const double t = e == 0 ? in : out;
            if (!(t >= lo - model.slack && t <= hi + model.slack) || std::fabs(t) >= kFar) continue;
            if (hits->count == kFluxHits) {
              hits->full = true;
              continue;
            }
            hits->hit[hits->count++] = {p + t * d, i, j, q};
          }
        }
        parts = CutSpans(model.curve[q].side > 0, meets, in, out, parts, part);
      }
      for (int s = 0; s < parts; ++s) {
        if (!(part[s].hi > part[s].lo)) continue;
        if (part[s].lo <= -kFar || part[s].hi >= kFar) return false;
        const Vec3 middle = p + (0.5 * (part[s].lo + part[s].hi)) * d;
        if (!IsInBox(model, middle)) continue;
        AddEdge(model, i, j, p, d, part[s].lo, part[s].hi, sums);
      }
    }
  }
  return true;
}

/** A place along a branch of a conic. */
struct ConicKnot {
  double u = 0.0, t = 0.0;
  double key = 0.0;
  bool vertex = false;
};

/** The places along one branch, between its tips. */
struct ConicKnots {
  ConicKnot knot[kFluxKnots];
};

/** The directions across a ruled surface's axis at which its face changes its bounds. */
struct SheetBreaks {
  double v[kFluxKnots];  ///< see PlaceOf
  int count = 0;
  bool full = false;

  /** Adds the direction with the cosine x and the sine y (not normalised) in the axis frame. */
  INTERVOX_HD void Push(double x, double y) { Push(PlaceOf(x, y)); }

  /** Adds a place on the circle, in order, unless it is there. */
  INTERVOX_HD void Push(double place) {
    for (int k = 0; k < count; ++k) {
      if (std::fabs(v[k] - place) < 1e-14) return;
    }
    full = full || count == kFluxKnots;
    if (full) return;
    int at = count++;
    for (; at > 0 && v[at - 1] > place; --at) v[at] = v[at - 1];
    v[at] = place;
  }
};

/** How far the part [from, to] of an arc is outside of the other surfaces [m]: at its middle or,
 where that touches one of them, at the place nearby that says most. */
INTERVOX_HD inline double PieceMargin(const FluxModel& model, const FluxPanel& arc, double from,
                                      double to, bool curved) {
  double best = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double share = k == 0 ? 0.5 : k == 1 ? 0.31 : 0.77;
    const Vec3 x = PointOf(model, arc, from + share * (to - from)).x;
    const double f = Margin(model, x, arc.plane, curved ? arc.curve : -1);
    if (k == 0 || std::fabs(f) > std::fabs(best)) best = f;
    if (std::fabs(best) > model.slack) break;
  }
  return best;
}

/** Splits an arc at the other curved surface, keeps what bounds Ω, and pushes it as panels. */
INTERVOX_HD inline void KeepArc(const FluxModel& model, const FluxPanel& whole, bool vertex0,
                                bool vertex1, FluxPanels* panels, SheetBreaks* breaks) {
  if (PieceMargin(model, whole, 0.0, 1.0, false) > 0) return;
  double cut[10];
  int cuts = 0;
  cut[cuts++] = 0.0;
  for (int q = 0; q < model.curves; ++q) {
    if (q == whole.curve) continue;
    double sample[5], root[8];
    for (int k = 0; k < 5; ++k) {
      const ArcPoint p = PointOf(model, whole, 0.25 * k);
      sample[k] = FluxForm(model.curve[q], p.x) * p.form;
    }
    const int n = QuarticRoots(sample, 1e-9, root);
    for (int k = 0; k < n; ++k) cut[cuts++] = root[k];
  }
  cut[cuts++] = 1.0;
  const FluxCurve& s = model.curve[whole.curve];
  for (int k = 0; k + 1 < cuts; ++k) {
    if (!(cut[k + 1] > cut[k])) continue;
    const double margin = PieceMargin(model, whole, cut[k], cut[k + 1], true);
    // Far above rounding and far below what a nudge parts.
    panels->shared = panels->shared || (!s.ruled && std::fabs(margin) < 1e-3 * model.slack);
    if (margin > 0) continue;
    const ArcPoint middle = PointOf(model, whole, 0.5 * (cut[k] + cut[k + 1]));
    if (!IsInBox(model, middle.x)) continue;
    if (s.ruled) {
      for (int e = 0; e < 2; ++e) {
        const int at = k + e;
        const bool end = at == 0 || at == cuts - 1;
        if (end && !(at == 0 ? vertex0 : vertex1)) continue;
        const double u = whole.u0 + cut[at] * (whole.u1 - whole.u0);
        const Vec3 rho = (1.0 - u * u) * whole.c + (2.0 * u) * whole.s;
        breaks->Push(Dot(rho, s.frame.Col(0)), Dot(rho, s.frame.Col(1)));
      }
    }
    const double length = (cut[k + 1] - cut[k]) * std::fabs(whole.u1 - whole.u0);
    const int pieces = length > 1.0 ? 2 : 1;  // 90° where the conic is symmetric
    double sign = whole.sign;
    if (s.ruled) {
      const Vec3 n = model.plane[whole.plane].n;
      const double u = middle.u, ig = 1.0 / (1.0 + u * u);
      const Vec3 rho = ((1.0 - u * u) * ig) * whole.c + (2.0 * u * ig) * whole.s;
      const Vec3 normal = rho - s.k * s.frame.Col(2);
      sign = s.side * Dot(middle.dx, Cross(n, normal)) > 0 ? 1.0 : -1.0;
    }
    for (int m = 0; m < pieces; ++m) {
      const double from = cut[k] + (cut[k + 1] - cut[k]) * m / pieces;
      const double to =
          m + 1 == pieces ? cut[k + 1] : cut[k] + (cut[k + 1] - cut[k]) * (m + 1) / pieces;
      FluxPanel piece = whole;
      piece.sign = sign;
      if (s.ruled) {
        const ArcPoint p0 = PointOf(model, whole, from), p1 = PointOf(model, whole, to);
        piece.u0 = p0.u;
        piece.u1 = p1.u;
        piece.t0 = s.cone ? 1.0 / p0.t : p0.t;
        piece.t1 = s.cone ? 1.0 / p1.t : p1.t;
      } else {
        piece.u0 = whole.u0 + from * (whole.u1 - whole.u0);
        piece.u1 = whole.u0 + to * (whole.u1 - whole.u0);
      }
      panels->Push(piece);
    }
  }
}

/** Sets the ends of a branch of a ruled surface's section: its tips, or where it passes out of
 reach. `along` is n·ρ at the first tip. */
INTERVOX_HD inline void EndBranch(const FluxCurve& s, double base, double along, double h,
                                  double far, double size, int end, ConicKnot* knot, int count) {
  ConicKnot& tip = knot[end == 0 ? 0 : count - 1];
  const double sine = end == 0 ? -1.0 : 1.0;
  const double across = -sine * along;
  const double lowest = s.cone ? 1.0 / far : -far, highest = s.cone ? 1e12 / size : far;
  const double t = s.cone ? (base + s.k * across) / (h == 0 ? 1e-300 : h)
                          : (h - s.radius * across) / (base == 0 ? 1e-300 : base);
  tip.t = t > highest ? highest : t > lowest ? t : lowest;
  if (tip.t == t || along == 0) return;
  const double bound = s.cone ? (tip.t * h - base) / s.k : (h - tip.t * base) / s.radius;
  const double reached = -bound / along;
  if (!(reached > -1.0 && reached < 1.0)) return;
  tip.u = reached / (1.0 + std::sqrt((1.0 - reached) * (1.0 + reached)));
}

/** The arcs of plane i's section of curve q. */
INTERVOX_HD inline void AddConic(const FluxModel& model, int i, int q, const FluxHits& hits,
                                 Place<ConicKnots>* room, FluxPanels* panels, SheetBreaks* breaks) {
  const FluxPlane& plane = model.plane[i];
  const FluxCurve& s = model.curve[q];
  FluxPanel arc;
  arc.curve = static_cast<std::int8_t>(q);
  arc.plane = static_cast<std::int8_t>(i);
  Vec3 first, second;  // tip direction and the one a quarter turn on
  double base = 0.0, tilt = 0.0, h = 0.0;
  const double far = 1e4 * model.size + (s.cone ? Norm(s.o) : 0.0);
  if (s.ruled) {
    arc.kind = PanelKind::kRuledArc;
    const Vec3 e = s.frame.Col(2);
    base = Dot(plane.n, e);
    Vec3 across = plane.n - base * e;
    tilt = Norm(across);
    // A small remainder is not quite across the axis: its direction takes a second projection.
    if (tilt > 1e-15) {
      across = across / tilt;
      first = Normalized(across - Dot(across, e) * e);
      tilt = Dot(plane.n, first);
    } else {
      first = s.frame.Col(0);
    }
    second = Cross(e, first);
    h = plane.h - Dot(plane.n, s.o);
  } else {
    arc.kind = PanelKind::kRoundArc;
    Vec3 m = Scaled(s.radii, TransposeTimes(s.frame, plane.n));
    const double length = Norm(m);
    m = m / length;
    const double depth = (plane.h - Dot(plane.n, s.o)) / length;
    const double square = (1.0 - depth) * (1.0 + depth);
    if (!(square > 0)) return;
    const double r = std::sqrt(square);
    arc.centre = depth * m;
    first = AnyOrthogonal(m);
    second = r * Cross(m, first);
    first = r * first;
    arc.sign = s.side;
  }
  const double scale = 1.0 / model.size;
  for (int branch = 0; branch < 2; ++branch) {
    const double turn = branch == 0 ? 1.0 : -1.0;
    arc.c = turn * second;  // u = 0 at a quarter turn from the tips
    arc.s = -turn * first;
    ConicKnot* const knot = room->value.knot;
    int count = 0;
    double trend = 0.0;
    knot[count++] = {-1.0, 0.0, -kFar, false};
    if (s.ruled) {
      // n·ρ = −turn tilt sin δ; cylinder t = (h − R n·ρ)/n·e, cone 1/t = (n·e + k n·ρ)/h.
      const double slope = -turn * tilt;
      trend = s.cone ? (slope * h > 0 ? -1.0 : 1.0) : (slope * base > 0 ? -1.0 : 1.0);
    }
    for (int k = 0; k < hits.count; ++k) {
      const FluxHit& hit = hits.hit[k];
      if (hit.curve != q || (hit.plane0 != i && hit.plane1 != i)) continue;
      double c, sn, t = 0.0;
      if (s.ruled) {
        const Vec3 r = hit.x - s.o;
        t = Dot(r, s.frame.Col(2));
        c = Dot(r, arc.c);
        sn = Dot(r, arc.s);
      } else {
        const Vec3 y = InAxes(s, hit.x - s.o) - arc.centre;
        c = Dot(y, arc.c);
        sn = Dot(y, arc.s);
      }
      if (c < 0 || (c == 0 && branch == 1) || count + 1 >= kFluxKnots) continue;
      const double u = sn / (c + std::sqrt(c * c + sn * sn));
      const ConicKnot found{u, s.cone ? 1.0 / t : t, u + trend * t * scale, true};
      int at = count++;
      for (; at > 1 && knot[at - 1].key > found.key; --at) knot[at] = knot[at - 1];
      knot[at] = found;
    }
    knot[count++] = {1.0, 0.0, kFar, false};
    if (s.ruled) {
      for (int e = 0; e < 2; ++e)
        EndBranch(s, base, turn * tilt, h, far, model.size, e, knot, count);
    }
    for (int k = 0; k + 1 < count; ++k) {
      arc.u0 = knot[k].u;
      arc.u1 = knot[k + 1].u;
      arc.t0 = knot[k].t;
      arc.t1 = knot[k + 1].t;
      KeepArc(model, arc, knot[k].vertex, knot[k + 1].vertex, panels, breaks);
    }
  }
}

}  // namespace intervox::cuda::internal::flux
