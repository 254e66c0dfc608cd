/** @file Where along half planes about a torus' axis something happens on the torus: the azimuths
 at which its circle begins or ends to cross another surface. */
#pragma once

#include "cuda/rules/column/events.h"

namespace intervox::cuda::internal::column {

/** The level of a curved surface on the chart's torus, at the azimuth τ and the angle σ around the
 tube, and its extrema over σ followed from one azimuth to the next. Where one of them changes its
 sign the circle begins or ends to cross the surface; where it dips through zero and back it does
 both.
 */
class RingEvents {
 public:
  INTERVOX_HD RingEvents(const ColumnChart& chart, int surface, ColumnEvents* events)
      : chart_(chart), surface_(surface), events_(events) {}

  /** Adds the events between two azimuths. It looks a step beyond both, since a dip is seen only
   between three looks; so there may be some that lie without. */
  INTERVOX_HD void Find(double t0, double t1) {
    constexpr int kPerQuadrant = 12, kLeast = 8;
    const int steps = kLeast + static_cast<int>(kPerQuadrant * (t1 - t0));
    const double step = (t1 - t0) / steps;
    Extrema before, now;
    double from = t0 - step;
    Look(from, &now);
    for (int k = 0; k <= steps + 1; ++k) {
      const double to = t0 + (t1 - t0) * k / steps;
      before = now;
      Look(to, &now);
      for (int i = 0; i < now.count; ++i) Follow(before, from, to, step, &now.at[i]);
      from = to;
    }
  }

 private:
  static constexpr int kLooks = 16, kMost = 8, kHalvings = 36, kSeeks = 24;
  static constexpr double kStep = 4.0 / kLooks;

  /** An extremum over σ, and the level that it had at the azimuth before. */
  struct Extremum {
    static constexpr bool real = true;  ///< a circle always has extrema
    double sigma = 0, level = 0, last = 0;
    bool highest = false, followed = false;
  };
  struct Extrema {
    Extremum at[kMost];
    int count = 0;
  };

  INTERVOX_HD double Level(double tau, double sigma) const {
    double c = 0, s = 0, a = 0, b = 0;
    DirectionAt(tau, &c, &s);
    DirectionAt(sigma, &a, &b);
    const double minor = chart_.curved[chart_.ring - chart_.planes].e.y;
    const double rho = chart_.major + minor * a;
    return Evaluate(chart_.curved[surface_ - chart_.planes], {rho * c, rho * s, minor * b}).value;
  }

  /** Moves to the extremum next to where one was, by parabolas. */
  INTERVOX_HD Extremum Refined(double tau, Extremum x) const {
    double d = 0.5 * kStep;
    for (int k = 0; k < 5; ++k) {
      const double low = Level(tau, x.sigma - d), at = Level(tau, x.sigma);
      const double high = Level(tau, x.sigma + d), bend = low - 2 * at + high;
      double shift = bend != 0 ? 0.5 * d * (low - high) / bend : 0.0;
      if ((bend < 0) != x.highest || std::fabs(shift) > d) {
        shift = (low > high) == x.highest ? -d : d;
      }
      x.sigma += shift;
      d *= std::fabs(shift) < 0.5 * d ? 0.2 : 1.0;
    }
    if (x.sigma > 4) x.sigma -= 4;
    if (x.sigma < 0) x.sigma += 4;
    x.level = Level(tau, x.sigma);
    return x;
  }

  INTERVOX_HD void Look(double tau, Extrema* out) const {
    out->count = 0;
    double level[kLooks];
    for (int k = 0; k < kLooks; ++k) level[k] = Level(tau, k * kStep);
    for (int k = 0; k < kLooks && out->count < kMost; ++k) {
      const double low = level[(k + kLooks - 1) % kLooks], high = level[(k + 1) % kLooks];
      const bool highest = level[k] >= low && level[k] > high;
      if (!highest && !(level[k] <= low && level[k] < high)) continue;
      Extremum x;
      x.sigma = k * kStep;
      x.highest = highest;
      out->at[out->count++] = Refined(tau, x);
    }
  }

  /** Finds the extremum among those of the azimuth before, and what happened between them. */
  INTERVOX_HD void Follow(const Extrema& before, double from, double to, double step,
                          Extremum* now) const {
    const Extremum* was = nullptr;
    double nearest = 0.75;
    for (int i = 0; i < before.count; ++i) {
      double off = std::fabs(before.at[i].sigma - now->sigma);
      off = off > 2 ? 4 - off : off;
      if (before.at[i].highest == now->highest && off < nearest) {
        nearest = off;
        was = &before.at[i];
      }
    }
    if (was == nullptr) return;
    now->last = was->level;
    now->followed = true;
    const bool positive = was->level > 0;
    const auto at = [&](double tau, const Extremum& near) { return Refined(tau, near); };
    const auto add = [&](double lo, double hi, const Extremum& at_lo) {
      HalveAroundChange(lo, hi, kHalvings, at_lo, at,
                        [&](double tau, const Extremum&) { events_->Add(tau); });
    };
    if ((now->level > 0) != positive) {
      add(from, to, *was);
      return;
    }
    if (!was->followed || (was->last > 0) != positive) return;
    const double m0 = std::fabs(was->last), m1 = std::fabs(was->level), m2 = std::fabs(now->level);
    if (m1 > m0 || m1 > m2) return;
    const double bend = m0 - 2 * m1 + m2;
    const double least = bend > 0 ? m1 - 0.125 * (m0 - m2) * (m0 - m2) / bend : m1;
    if (least < 0.3 * bend) SeekDip(from - step, to, kSeeks, *was, at, add);
  }

  const ColumnChart& chart_;
  int surface_;
  ColumnEvents* events_;
};

/** Adds the azimuth of a point, at or after t0. */
INTERVOX_HD inline void AddAzimuth(const ColumnChart& chart, const Vec3& y, double t0,
                                   ColumnEvents* events) {
  double t = ParameterAt(chart, y);
  while (t < t0) t += 4;
  events->Add(t);
}

/** Adds the azimuth of a point on the kept side of the chart's torus. */
INTERVOX_HD inline void AddIfInside(const ColumnChart& chart, const Vec3& y, double t0,
                                    ColumnEvents* events) {
  const MappedSurface& ring = chart.curved[chart.ring - chart.planes];
  const double off = std::sqrt(y.x * y.x + y.y * y.y) - chart.major;
  if ((off * off + y.z * y.z < ring.e.y * ring.e.y) == (ring.sign > 0)) {
    AddAzimuth(chart, y, t0, events);
  }
}

/** Where half planes' circles begin or end to cross a plane, in closed form. With c the cosine of
 the azimuth from the normal's, the level at the tube's axis is d + R s c and ranges over ±a N about
 it, N² = n_z² + s² c²: a quadratic in c whose discriminant is a sum of squares. A plane that
 contains the axis crosses all of a circle at once: both roots are 0. */
INTERVOX_HD inline void AddPlaneEvents(const ColumnChart& chart, int plane, double t0,
                                       ColumnEvents* events) {
  const double a = chart.curved[chart.ring - chart.planes].e.y, R = chart.major;
  const Vec3 n = 2 * chart.half_normal[plane];
  const double d = chart.offset[plane], s = std::sqrt(n.x * n.x + n.y * n.y);
  const double square = (R - a) * (R + a);
  const double root = a * std::sqrt(d * d + square * n.z * n.z);
  for (const double side : {-root, root}) {
    const double c = (side - d * R) / (square * s);
    if (!(std::fabs(c) <= 1)) continue;
    const double across = std::sqrt((1 - c) * (1 + c));
    for (const double turn : {-across, across}) {
      AddAzimuth(chart, {c * n.x - turn * n.y, c * n.y + turn * n.x, 0.0}, t0, events);
    }
  }
}

/** Where Ω's edges between two planes meet the torus and end in corners. */
INTERVOX_HD inline void AddStraightEvents(const ColumnChart& chart, double t0,
                                          ColumnEvents* events) {
  const MappedSurface& ring = chart.curved[chart.ring - chart.planes];
  for (int i = 0; i < chart.planes; ++i) {
    for (int j = i + 1; j < chart.planes; ++j) {
      const Vec3 &a = chart.half_normal[i], &b = chart.half_normal[j], d = Cross(a, b);
      const double dd = SquaredNorm(d);
      if (!(dd > 1e-20 * SquaredNorm(a) * SquaredNorm(b))) continue;
      const Vec3 p = -0.5 * (chart.offset[i] * Cross(b, d) + chart.offset[j] * Cross(d, a)) / dd;
      const double nearest = -Dot(p, d) / dd, reach = chart.major + ring.e.y;
      const double room = reach * reach - SquaredNorm(p + nearest * d);
      if (!(room > 0)) continue;
      double lo = nearest - std::sqrt(room / dd), hi = nearest + std::sqrt(room / dd);
      bool corner[2] = {false, false};
      for (int k = 0; k < chart.planes && lo < hi; ++k) {
        if (k == i || k == j) continue;
        const double slope = 2 * Dot(chart.half_normal[k], d);
        const double level = chart.offset[k] + 2 * Dot(chart.half_normal[k], p);
        if (slope == 0) {
          if (level > 0) hi = lo;
          continue;
        }
        const double t = -level / slope;
        if (slope > 0 ? t >= hi : t <= lo) continue;
        (slope > 0 ? hi : lo) = t;
        corner[slope > 0 ? 1 : 0] = true;
      }
      if (!(lo < hi)) continue;
      if (corner[0]) AddIfInside(chart, p + lo * d, t0, events);
      if (corner[1]) AddIfInside(chart, p + hi * d, t0, events);
      const auto x = TorusCrossings(p, d, chart.major, ring.e.y);
      for (int k = 0; k < x.count; ++k) {
        if (x.t[k] > lo && x.t[k] < hi) AddAzimuth(chart, p + x.t[k] * d, t0, events);
      }
    }
  }
}

/** Adds the azimuths of two points of a quadric, those on the line m·y = k, n·y = l, where they lie
 within the torus and, closely, on the kept side of all surfaces but the quadric and plane `skip`.
 */
INTERVOX_HD inline void AddPointsOnLine(const ColumnChart& chart, int quadric, int skip,
                                        const Vec3& m, double k, const Vec3& n, double l, double t0,
                                        ColumnEvents* events) {
  constexpr double kClose = 1e-6;
  const MappedSurface& s = chart.curved[quadric - chart.planes];
  const Vec3 d = Cross(m, n);
  const double dd = SquaredNorm(d);
  if (!(dd > 1e-20 * SquaredNorm(m) * SquaredNorm(n))) return;
  const Vec3 p = (k * Cross(n, d) + l * Cross(d, m)) / dd;
  const auto x = geometry::internal::QuadraticCrossings(Dot(d, s.E * d), Dot(d, s.E * p + s.b),
                                                        s.c + Dot(p, s.E * p + 2.0 * s.b));
  const double reach = chart.major + chart.curved[chart.ring - chart.planes].e.y;
  for (int j = 0; j < x.count; ++j) {
    const Vec3 y = p + x.t[j] * d;
    bool kept = NappeTurn(s, s.origin.z + Dot(s.M.row2, y)) == 0;
    for (int i = 0; i < chart.planes && kept; ++i) {
      const Vec3& b = chart.half_normal[i];
      kept = i == skip || chart.offset[i] + 2 * Dot(b, y) < kClose * Norm(b) * reach;
    }
    for (int i = chart.planes; i < chart.count && kept; ++i) {
      if (i == quadric || i == chart.ring) continue;
      const LevelAndSlope at = Evaluate(chart.curved[i - chart.planes], y);
      kept = at.value < kClose * Norm(at.gradient) * reach;
    }
    if (kept) AddIfInside(chart, y, t0, events);
  }
}

/** Where half planes touch a quadric, or the curve in which a plane cuts it, within the chart's
 torus: a part of the overlap that does not reach the torus begins or ends there. With g half the
 gradient, y·g = −(b·y + c) on the quadric. A half plane contains y and the axis, so that its normal
 n has n·y = 0 and n_z = 0. Where it touches the quadric, n is along g: b·y + c = 0 and g_z = 0.
 Where it touches the curve in the plane 2 h·y = −d, n is a sum of both normals:
 h_z (b·y + c) = ½ d g_z. */
INTERVOX_HD inline void AddQuadricEvents(const ColumnChart& chart, int quadric, double t0,
                                         ColumnEvents* events) {
  const MappedSurface& s = chart.curved[quadric - chart.planes];
  const Vec3 up{s.E(2, 0), s.E(2, 1), s.E(2, 2)};
  AddPointsOnLine(chart, quadric, -1, s.b, -s.c, up, -s.b.z, t0, events);
  for (int i = 0; i < chart.planes; ++i) {
    const Vec3& h = chart.half_normal[i];
    const double half = 0.5 * chart.offset[i];
    AddPointsOnLine(chart, quadric, i, h, -half, h.z * s.b - half * up, half * s.b.z - h.z * s.c,
                    t0, events);
  }
}

/** Where half planes touch another torus, within the chart's own: a part of the overlap that does
 not reach its own torus begins or ends there. With n the normal of the half plane, in which the
 chart's axis lies, the other circle is at n·o ± R |n × a| of it, farther than r from there on. */
INTERVOX_HD inline void AddTouchingEvents(const ColumnChart& chart, const MappedSurface& other,
                                          double t0, double t1, ColumnEvents* events) {
  constexpr int kPerQuadrant = 12, kLeast = 8, kMost = 40;
  // The other torus in the chart's coordinates.
  const Vec3 axis = other.M.row2, o = -TransposeTimes(other.M, other.origin);
  struct Sample {
    bool real = false;
    double level = 0;
    Vec3 y;
  };
  for (int side = -1; side <= 1; side += 2) {
    const auto at = [&](double tau, const Sample& /*near*/) {
      Sample out;
      double c = 0, s = 0;
      DirectionAt(tau, &c, &s);
      const Vec3 n{-side * s, side * c, 0};
      const Vec3 across = n - Dot(n, axis) * axis;
      const double reach = Norm(across);
      // The other torus' lowest point along n, and its height over the half plane.
      out.level = Dot(n, o) - other.e.x * reach - other.e.y;
      out.y = o - other.e.y * n - (reach > 0 ? other.e.x / reach : 0.0) * across;
      out.real = true;
      return out;
    };
    const int steps = kLeast + static_cast<int>(kPerQuadrant * (t1 - t0));
    Sample before = at(t0, {});
    double from = t0;
    for (int k = 1; k <= steps; ++k) {
      const double to = t0 + (t1 - t0) * k / steps;
      const Sample now = at(to, before);
      if ((now.level > 0) != (before.level > 0)) {
        HalveAroundChange(from, to, kMost, before, at, [&](double, const Sample& last) {
          AddIfInside(chart, last.y, t0, events);
        });
      }
      before = now;
      from = to;
    }
  }
}

/** What happens on the chart's torus in a run of azimuths. */
__attribute__((noinline)) INTERVOX_HD inline void ListRingEvents(const ColumnChart& chart,
                                                                 double t0, double t1,
                                                                 ColumnEvents* events) {
  events->same = 1e-9;
  for (int i = 0; i < chart.count; ++i) {
    if (i == chart.ring) continue;
    if (i < chart.planes) {
      AddPlaneEvents(chart, i, t0, events);
      continue;
    }
    RingEvents(chart, i, events).Find(t0, t1);
    const MappedSurface& other = chart.curved[i - chart.planes];
    if (other.kind == geometry::SurfaceKind::kTorus) {
      AddTouchingEvents(chart, other, t0, t1, events);
      continue;
    }
    AddQuadricEvents(chart, i, t0, events);
    if (other.kind == geometry::SurfaceKind::kCone) {
      AddIfInside(chart, Inverse(other.M) * (-other.origin), t0, events);
    }
  }
  AddStraightEvents(chart, t0, events);
}

}  // namespace intervox::cuda::internal::column
