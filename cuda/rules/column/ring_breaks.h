/** @file Where panels of columns end in a section through two tori: one is a circle, the other a
 quartic that only columns know. */
#pragma once

#include "cuda/numerics/circle.h"
#include "cuda/rules/column/breaks.h"

namespace intervox::cuda::internal::column {

/** A value of a level and where it was taken. */
struct SectionPoint {
  double u, f;
};

/** (K7): where another torus crosses the circle of the section's own, of radius r. */
INTERVOX_HD inline void AddRingMeetings(const PlaneSection& section, const geometry::Surface& ring,
                                        double r, double accuracy, SectionBreaks* breaks) {
  constexpr int kLooks = 32, kMost = 40;
  const auto level = [&](double h, int eighth) {
    // Half-angle tangents about the middles of the quadrants, as in the chart.
    const double w = 1 / (1 + h * h);
    double u = r * (1 - h * h) * w, v = 2 * r * h * w;
    TurnByQuadrant(eighth, &u, &v);
    return SectionPoint{u, geometry::Value(ring, section.P + u * section.U + v * section.V)};
  };
  const double step = 8 * kT / kLooks;
  // To a share of how far the crossing is from `other`, beyond which there may be a second one, and
  // of the level between both.
  const auto cross = [&](int quadrant, double lo, double hi, double f_lo, double f_hi,
                         double other) {
    double u = level(0.5 * (lo + hi), quadrant).u;
    const double most = std::fabs(f_lo) < std::fabs(f_hi) ? std::fabs(f_lo) : std::fabs(f_hi);
    for (int i = 0; i < kMost && hi - lo > accuracy * std::fabs(0.5 * (lo + hi) - other); ++i) {
      double h = lo - f_lo * (hi - lo) / (f_hi - f_lo);
      if (i % 3 == 2 || !(h > lo && h < hi)) h = 0.5 * (lo + hi);
      const SectionPoint at = level(h, quadrant);
      u = at.u;
      if ((at.f > 0) == (f_lo > 0)) {
        lo = h;
        f_lo = at.f;
      } else {
        hi = h;
        f_hi = at.f;
      }
      const double least = std::fabs(f_lo) < std::fabs(f_hi) ? std::fabs(f_lo) : std::fabs(f_hi);
      if (least < accuracy * most) break;
    }
    if (u > section.u_lo && u < section.u_hi) breaks->Add(u, MeetingOf(-2, -2));
  };
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    double h[3] = {0, 0, 0}, f[3] = {0, 0, 0};
    for (int k = -1; k <= kLooks / 4 + 1; ++k) {
      h[0] = h[1];
      f[0] = f[1];
      h[1] = h[2];
      f[1] = f[2];
      h[2] = -kT + k * step;
      f[2] = level(h[2], quadrant).f;
      // [h0, h1] lies in the quadrant from its second look on.
      if (k >= 1 && k <= kLooks / 4 && (f[1] > 0) != (f[2] > 0)) {
        cross(quadrant, h[1], h[2], f[1], f[2], h[1] - step);
      }
      if (k < 1) continue;
      const bool dips = std::fabs(f[1]) <= std::fabs(f[0]) && std::fabs(f[1]) <= std::fabs(f[2]);
      if (!dips || (f[0] > 0) != (f[1] > 0) || (f[2] > 0) != (f[1] > 0)) continue;
      // The extremum of the parabola through the three, twice.
      double a = h[0], m = h[1], b = h[2], fa = f[0], fm = f[1], fb = f[2];
      for (int i = 0; i < 4 && (fm > 0) == (f[1] > 0); ++i) {
        const double p = (m - a) * (fm - fb), q = (m - b) * (fm - fa);
        double x = m - 0.5 * ((m - a) * p - (m - b) * q) / (p - q);
        if (!(x > a && x < b) || std::fabs(x - m) < 1e-3 * (b - a)) {
          x = b - m > m - a ? m + 1e-2 * (b - a) : m - 1e-2 * (b - a);
        }
        const double fx = level(x, quadrant).f;
        if (std::fabs(fx) < std::fabs(fm) || (fx > 0) != (f[1] > 0)) {
          (x > m ? a : b) = m;
          (x > m ? fa : fb) = fm;
          m = x;
          fm = fx;
        } else {
          (x > m ? b : a) = x;
          (x > m ? fb : fa) = fx;
        }
      }
      if ((fm > 0) == (f[1] > 0)) continue;
      cross(quadrant, a, m, fa, fm, m);
      cross(quadrant, m, b, fm, fb, m);
    }
  }
}

/** (K7): where another torus crosses the sides of the section's polygon. */
INTERVOX_HD inline void AddRingEdges(const PlaneSection& section, int curve, const LocalPair& pair,
                                     SectionBreaks* breaks) {
  const SectionCurve& s = section.curve[curve];
  const geometry::Surface& torus = pair.surface[s.id].surface;
  const Vec3 P = TransposeTimes(torus.R, section.P - torus.o);
  const Vec3 U = TransposeTimes(torus.R, section.U), V = TransposeTimes(torus.R, section.V);
  for (int k = 0; k < section.lines; ++k) {
    const SectionLine& line = section.line[k];
    const double u = line.d * line.u, v = line.d * line.v;
    const auto x =
        TorusCrossings(P + u * U + v * V, line.u * V - line.v * U, torus.e.x, torus.e.y);
    for (int i = 0; i < x.count; ++i) {
      const double at_u = u - x.t[i] * line.v, at_v = v + x.t[i] * line.u;
      if (at_u <= section.u_lo || at_u >= section.u_hi) continue;
      if (InPolygon(section, at_u, at_v) && AdmitsAll(section, at_u, at_v, curve, curve)) {
        breaks->Add(at_u, MeetingOf(s.id, line.id));
      }
    }
  }
}

/** Most critical points of a torus' level in a plane that are known. */
inline constexpr int kRingCritical = 4;

/** (K7): u of the points of a section's plane at which the distance from a torus' circle is
 critical: each part of the torus' section has one inside, and each neck one outside of it where two
 parts are about to meet. They are where the circle crosses the plane, and below the circle's
 highest and lowest points over it. Returns how many there are. */
INTERVOX_HD inline int CriticalOfRing(const PlaneSection& section, const geometry::Surface& ring,
                                      double u[kRingCritical]) {
  const Vec3 n = Cross(section.U, section.V), from = ring.o - section.P;
  const Vec3 x = ring.R.Col(0), y = ring.R.Col(1);
  const double away = Dot(n, from), nx = Dot(n, x), ny = Dot(n, y);
  const double rise = std::sqrt(nx * nx + ny * ny), major = ring.e.x;
  if (!(rise > 1e-9)) return 0;  // the plane lies across the axis
  const double middle = Dot(section.U, from);
  const double up = major / rise * Dot(section.U, nx * x + ny * y);
  u[0] = middle + up;
  u[1] = middle - up;
  // The circle's height over the plane is away + major · rise · cos φ.
  const double cosine = -away / (major * rise), square = 1 - cosine * cosine;
  if (!(square > 0)) return 2;
  const double aside = major / rise * std::sqrt(square) * Dot(section.U, nx * y - ny * x);
  u[2] = middle + cosine * up + aside;
  u[3] = middle + cosine * up - aside;
  return 4;
}

/** Between the breaks of conics, those of tori: where the shape of the columns changes. */
INTERVOX_HD inline void AddRingBreaks(const PlaneSection& section, const LocalPair& pair,
                                      double goal, SectionBreaks* breaks) {
  ColumnParts parts;
  const auto shape_at = [&](double u) {
    PartsAt(section, pair, u, &parts);
    breaks->full = breaks->full || parts.full;
    return ShapeOf(parts);
  };
  // Beside a break columns are looked at as near as the break is known.
  constexpr int kHalvings = 44, kMostChanges = 4;
  constexpr double kBeside = 1e-7;
  // Without the circle nothing else is known of where the torus is.
  const int looks = section.radius == 0 ? 24 : 6;
  const SectionBreaks known = *breaks;
  constexpr int kMostRings = 4;
  double critical[kRingCritical * kMostRings];
  int some = 0;
  for (int i = 0; i < section.curves; ++i) {
    if (!section.curve[i].ring || some + kRingCritical > kRingCritical * kMostRings) continue;
    some += CriticalOfRing(section, pair.surface[section.curve[i].id].surface, critical + some);
  }
  for (int i = 0; i + 1 < known.count; ++i) {
    const double begin = known.u[i], end = known.u[i + 1], width = end - begin;
    if (!(width > 1e-9 * (section.u_hi - section.u_lo))) continue;
    double from = begin + kBeside * width;
    unsigned shape = shape_at(from);
    for (int k = 1; k <= looks;) {
      double to = k == looks ? end - kBeside * width : begin + k * width / looks;
      const double regular = to;
      for (int j = 0; j < some; ++j) to = critical[j] > from && critical[j] < to ? critical[j] : to;
      if (to == regular) ++k;
      const unsigned next = shape_at(to);
      for (int changes = 0; shape != next && changes < kMostChanges; ++changes) {
        double lo = from, hi = to;
        unsigned after = next;
        for (int h = 0; h < kHalvings; ++h) {
          // What lies between the last halves errs by the power 3/2 of its share of what is beside.
          const double room = hi - begin < end - lo ? hi - begin : end - lo;
          const double share = (hi - lo) / room;
          if (share * share * share < goal * goal) break;
          const double middle = 0.5 * (lo + hi);
          const unsigned there = shape_at(middle);
          if (there == shape) {
            lo = middle;
          } else {
            hi = middle;
            after = there;
          }
        }
        breaks->Add(0.5 * (lo + hi), MeetingOf(-2, -2));
        from = hi;
        shape = after;
      }
      from = to;
      shape = next;
    }
  }
}

}  // namespace intervox::cuda::internal::column
