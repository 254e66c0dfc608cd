/** @file Where along parallel sections something happens: the values of t at which a face, an edge
 or a corner of Ω begins or ends. */
#pragma once

#include "cuda/numerics/sign_change.h"
#include "cuda/rules/column/chart.h"

namespace intervox::cuda::internal::column {

/** Most events of a pair; what is beyond is found by dividing panels. */
inline constexpr int kColumnEvents = 128;

/** Values of the sections' parameter, ascending. */
struct ColumnEvents {
  double t[kColumnEvents];
  int count = 0;
  double same = 0;  ///< values closer than this are one

  /** Inserts x in order. */
  INTERVOX_HD void Add(double x) {
    int k = count;
    while (k > 0 && t[k - 1] > x) --k;
    if ((k > 0 && x - t[k - 1] < same) || (k < count && t[k] - x < same)) return;
    if (count == kColumnEvents) return;
    for (int i = count++; i > k; --i) t[i] = t[i - 1];
    t[k] = x;
  }

  /** Whether a panel from `from`, in a run up to `end`, should end at event k: of a swarm of events
   closer than `least` only the first and the last count, and what is between is one panel. Next to
   much wider gaps even the events in a smaller part of it are a swarm of their own: what changes
   there is between the nodes of a panel that reaches farther. */
  INTERVOX_HD bool Divides(int k, double from, double end, double least) const {
    constexpr double kWider = 20;
    const double next = k + 1 < count && t[k + 1] < end ? t[k + 1] : end;
    const double before = t[k] - from, after = next - t[k];
    if (!(before > 0 && t[k] < end)) return false;
    return before > least || after > least || before > kWider * after || after > kWider * before;
  }
};

/** The parameter of a point y of the chart. */
INTERVOX_HD inline double ParameterAt(const ColumnChart& chart, const Vec3& y) {
  if (chart.ring < 0) return y[chart.t];
  return y.x == 0 && y.y == 0 ? 0.0 : ParameterOf(y.x, y.y);
}

/** (K3): on each plane Ω has a face; as a section of its own, with u up the sections, the ends of
 its panels are the face's corners and folds: all that happens on planes. */
INTERVOX_HD inline void AddFaceEvents(const ColumnChart& chart, SectionRoom* room,
                                      ColumnEvents* events) {
  const Vec3 centre = 0.5 * (chart.lower + chart.upper), half = 0.5 * (chart.upper - chart.lower);
  for (int i = 0; i < chart.planes; ++i) {
    const Vec3 b = chart.half_normal[i];
    const double bb = SquaredNorm(b), away = 0.5 * chart.offset[i] + Dot(b, centre);
    if (std::fabs(away) > Dot(Abs(b), half)) continue;
    const Vec3 y0 = centre - away / bb * b;
    Vec3 up;
    up[chart.t] = 1;
    const Vec3 U = up - b[chart.t] / bb * b;
    const double rise = U[chart.t];
    if (rise < 1e-12) {
      events->Add(y0[chart.t]);
      continue;
    }
    const Vec3 V = Cross(b, U) / std::sqrt(bb);
    PlaneSection& section = room->section.value;
    section.u_hi = Dot(Abs(U), half) / SquaredNorm(U);
    section.v_hi = Dot(Abs(V), half) / SquaredNorm(V);
    section.u_lo = -section.u_hi;
    section.v_lo = -section.v_hi;
    if (!FillSection(chart, y0, U, V, i, room) || !ListBreaks(false, room)) continue;
    const SectionBreaks& breaks = room->breaks.value;
    for (int k = 0; k < breaks.count; ++k) events->Add(y0[chart.t] + rise * breaks.u[k]);
  }
}

/** The quadrics a f + b g, and the two points of each at which t is extremal. */
struct QuadricPencil {
  const MappedSurface& f;
  const MappedSurface& g;
  int t, u, v;

  /** Writes the extremal points, the lower first; false when there are none. */
  INTERVOX_HD bool ExtremesOf(double a, double b, Vec3* y) const {
    const Sym3 E = a * f.E + b * g.E;
    const double uu = E(u, u), uv = E(u, v), vv = E(v, v), ut = E(u, t), vt = E(v, t), tt = E(t, t);
    const Vec3 h = a * f.b + b * g.b;
    // ∂u = ∂v = 0 on a line y = p + t d.
    const double det = uu * vv - uv * uv;
    if (!(std::fabs(det) > 1e-12 * (uu * uu + vv * vv + uv * uv))) return false;
    const double pu = (uv * h[v] - vv * h[u]) / det, pv = (uv * h[u] - uu * h[v]) / det;
    const double du = (uv * vt - vv * ut) / det, dv = (uv * ut - uu * vt) / det;
    const double square = tt + ut * du + vt * dv;
    const double linear = h[t] + h[u] * du + h[v] * dv;
    const double level = a * f.c + b * g.c + h[u] * pu + h[v] * pv;
    const auto x = geometry::internal::QuadraticCrossings(square, linear, level);
    if (x.count == 0) return false;
    for (int k = 0; k < 2; ++k) {
      const double at = x.t[x.count == 2 ? k : 0];
      y[k][t] = at;
      y[k][u] = pu + at * du;
      y[k][v] = pv + at * dv;
    }
    return true;
  }
};

/** Whether y lies in the chart's box and, closely, on the kept side of all but two surfaces. */
INTERVOX_HD inline bool MayBound(const ColumnChart& chart, const Vec3& y, int i, int j) {
  constexpr double kClose = 1e-6;
  const Vec3 extent = chart.upper - chart.lower;
  for (int k = 0; k < 3; ++k) {
    if (!(y[k] > chart.lower[k] - kClose * extent[k])) return false;
    if (!(y[k] < chart.upper[k] + kClose * extent[k])) return false;
  }
  for (int k = 0; k < chart.planes; ++k) {
    const Vec3& b = chart.half_normal[k];
    if (chart.offset[k] + 2 * Dot(b, y) > kClose * Dot(Abs(b), extent)) return false;
  }
  for (int k = chart.planes; k < chart.count; ++k) {
    if (k == i || k == j) continue;
    const LevelAndSlope at = Evaluate(chart.curved[k - chart.planes], y);
    if (at.value > kClose * Dot(Abs(at.gradient), extent)) return false;
  }
  return true;
}

/** (K3): where t is extremal on a quadric and, on the curve in which it meets another one: a member
 of their pencil has its extremal point there. Followed around the pencil, the level of one of the
 two at that point changes its sign, or dips through zero and back where the curve is small. */
class EdgeEvents {
 public:
  INTERVOX_HD EdgeEvents(const ColumnChart& chart, int i, int j, ColumnEvents* events)
      : chart_(chart),
        pencil_{chart.curved[i - chart.planes], chart.curved[j - chart.planes], chart.t, chart.u,
                chart.v},
        i_(i),
        j_(j),
        events_(events) {
    for (int k = 0; k < 2; ++k) {
      const MappedSurface& s = k == 0 ? pencil_.f : pencil_.g;
      const Vec3 d = Abs(s.E.diag), o = Abs(s.E.off);
      scale_[k] = 1 / (d.x + d.y + d.z + o.x + o.y + o.z);
    }
  }

  INTERVOX_HD void Find() {
    for (int half = 0; half < 2; ++half) {
      for (int branch = 0; branch < 2; ++branch) Walk({*this, half != 0, branch});
    }
  }

 private:
  static constexpr int kSteps = 16, kMost = 40;

  struct Sample {
    bool real = false;
    double level = 0;
    Vec3 y;
  };

  /** One turn around half the pencil, on one of the two extremal points. */
  struct Turn {
    const EdgeEvents& edge;
    bool half;
    int branch;

    INTERVOX_HD Sample operator()(double x, const Sample& /*near*/) const {
      Sample out;
      Vec3 y[2];
      const double* scale = edge.scale_;
      out.real = edge.pencil_.ExtremesOf((half ? -x : 1) * scale[0], (half ? 1 : x) * scale[1], y);
      if (!out.real) return out;
      out.y = y[branch];
      // Where the member is g itself both levels vanish; f is what is looked at.
      out.level = Evaluate(edge.pencil_.f, out.y).value;
      return out;
    }
  };

  INTERVOX_HD void Walk(const Turn& at) const {
    const auto add = [&](double lo, double hi, const Sample& at_lo) {
      HalveAroundChange(lo, hi, kMost, at_lo, at, [&](double, const Sample& last) {
        if (MayBound(chart_, last.y, i_, j_)) events_->Add(last.y[chart_.t]);
      });
    };
    Sample before, now;
    double x0 = 0, x1 = -1;
    now = at(x1, now);
    for (int k = 1; k <= kSteps; ++k) {
      const double x2 = -1 + 2.0 * k / kSteps;
      const Sample next = at(x2, now);
      if (now.real && next.real && (now.level > 0) != (next.level > 0)) add(x1, x2, now);
      const bool three = k > 1 && before.real && now.real && next.real;
      if (three && (before.level > 0) == (now.level > 0) && (next.level > 0) == (now.level > 0) &&
          std::fabs(now.level) <= std::fabs(before.level) &&
          std::fabs(now.level) <= std::fabs(next.level)) {
        SeekDip(x0, x2, kMost, now, at, add);
      }
      before = now;
      now = next;
      x0 = x1;
      x1 = x2;
    }
  }

  const ColumnChart& chart_;
  const QuadricPencil pencil_;
  int i_, j_;
  ColumnEvents* events_;
  double scale_[2];
};

/** Everything that happens on faces and edges along parallel sections; corners of three quadrics
 are left to the panels. */
__attribute__((noinline)) INTERVOX_HD inline void ListPlaneEvents(const ColumnChart& chart,
                                                                  SectionRoom* room,
                                                                  ColumnEvents* events) {
  events->same = 1e-9 * (chart.upper[chart.t] - chart.lower[chart.t]);
  AddFaceEvents(chart, room, events);
  for (int i = chart.planes; i < chart.count; ++i) {
    const MappedSurface& s = chart.curved[i - chart.planes];
    Vec3 y[2];
    if (QuadricPencil{s, s, chart.t, chart.u, chart.v}.ExtremesOf(1, 0, y)) {
      for (const Vec3& at : y) {
        if (MayBound(chart, at, i, i)) events->Add(at[chart.t]);
      }
    }
    if (s.kind == geometry::SurfaceKind::kCone) {
      const Vec3 apex = Inverse(s.M) * (-s.origin);
      if (MayBound(chart, apex, i, i)) events->Add(apex[chart.t]);
    }
    for (int j = i + 1; j < chart.count; ++j) EdgeEvents(chart, i, j, events).Find();
  }
}

}  // namespace intervox::cuda::internal::column
