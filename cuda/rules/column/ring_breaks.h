/** @file Where panels of columns end in a section through two tori: one is a circle, the other a
 quartic that only columns know. */
#pragma once

#include "cuda/numerics/circle.h"
#include "cuda/rules/column/breaks.h"

namespace intervox::cuda::internal::column {

/** Seeks where a level around a circle changes its sign.
 @param level  level(h, quadrant): the sample at the half-angle tangent h about a quadrant's middle,
               with its level f
 @param found  found(lo, last): the sample on one side of a change, and the last one taken
 @param almost almost(least): where the level comes nearest to a change without one */
template <class Level, class Found, class Almost>
INTERVOX_HD inline void SeekAround(double accuracy, const Level& level, const Found& found,
                                   const Almost& almost) {
  constexpr int kLooks = 32, kMost = 40, kSeeks = 18;
  constexpr double kGolden = 0.38196601125010515;
  struct Look : decltype(level(0.0, 0)) {
    double h = 0;
  };
  const double step = 8 * kT / kLooks;
  const auto at = [&](double h, int quadrant) { return Look{level(h, quadrant), h}; };
  // To a share of how far the change is from `other`, beyond which there may be a second one, and
  // of the level between both.
  const auto cross = [&](int quadrant, Look lo, Look hi, double other) {
    const auto least = [&] {
      return std::fabs(lo.f) < std::fabs(hi.f) ? std::fabs(lo.f) : std::fabs(hi.f);
    };
    Look last = at(0.5 * (lo.h + hi.h), quadrant);
    const double most = least();
    for (int i = 0; i < kMost; ++i) {
      const double middle = 0.5 * (lo.h + hi.h);
      if (!(hi.h - lo.h > accuracy * std::fabs(middle - other))) break;
      const double h = lo.h - lo.f * (hi.h - lo.h) / (hi.f - lo.f);
      last = at(i % 3 == 2 || !(h > lo.h && h < hi.h) ? middle : h, quadrant);
      ((last.f > 0) == (lo.f > 0) ? lo : hi) = last;
      if (least() < accuracy * most) break;
    }
    found(lo, last);
  };
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    Look look[3] = {};
    for (int k = -1; k <= kLooks / 4 + 1; ++k) {
      look[0] = look[1];
      look[1] = look[2];
      look[2] = at(-kT + k * step, quadrant);
      Look a = look[0], m = look[1], b = look[2];
      const bool above = m.f > 0;
      // [a, m] lies in the quadrant from its second look on.
      if (k >= 1 && k <= kLooks / 4 && above != (b.f > 0)) cross(quadrant, m, b, m.h - step);
      if (k < 1) continue;
      const bool dips = std::fabs(m.f) <= std::fabs(a.f) && std::fabs(m.f) <= std::fabs(b.f);
      if (!dips || (a.f > 0) != above || (b.f > 0) != above) continue;
      // The extremum of the parabola through the three, and by the golden section where it is no
      // parabola, as beside a slender tube.
      for (int i = 0; i < kSeeks && (m.f > 0) == above; ++i) {
        const double p = (m.h - a.h) * (m.f - b.f), q = (m.h - b.h) * (m.f - a.f);
        double t = m.h - 0.5 * ((m.h - a.h) * p - (m.h - b.h) * q) / (p - q);
        if (i % 3 == 2 || !(t > a.h && t < b.h) || std::fabs(t - m.h) < 1e-3 * (b.h - a.h)) {
          t = b.h - m.h > m.h - a.h ? m.h + kGolden * (b.h - m.h) : m.h - kGolden * (m.h - a.h);
        }
        const Look next = at(t, quadrant);
        if (std::fabs(next.f) < std::fabs(m.f) || (next.f > 0) != above) {
          (t > m.h ? a : b) = m;
          m = next;
        } else {
          (t > m.h ? b : a) = next;
        }
      }
      if ((m.f > 0) == above) {
        almost(m);
        continue;
      }
      cross(quadrant, a, m, m.h);
      cross(quadrant, m, b, m.h);
    }
  }
}

/** (K7): where another torus crosses the circle of the section's own, of radius r. */
INTERVOX_HD inline void AddRingMeetings(const PlaneSection& section, const geometry::Surface& ring,
                                        double r, SectionBreaks* breaks) {
  const CircleLevel level = TorusAround(section.P - ring.o, r * section.U, r * section.V,
                                        ring.R.Col(2), ring.e.x, ring.e.y, 1.0);
  ForRootsAround(level, [&](double, double c, double) {
    if (r * c > section.u_lo && r * c < section.u_hi) breaks->Add(r * c, MeetingOf(-2, -2));
  });
}

/** A point of a torus at which its normal n lies across the columns. */
struct RingFold {
  double u = 0, v = 0;  ///< of the tube's axis there
  double w = 0, f = 0;  ///< heights of both over the section's plane
  double along = 0;     ///< n·U
  double sine = 0;      ///< of the angle between the axis and the columns
};

/** (K7): the folds of another torus' section. With T the tangent of the tube's axis, the normal
 that is across it and across the columns is n = ±V × T/|V × T|; where that leads from the axis by
 the tube's radius into the section's plane, the section's curve runs along the columns. */
INTERVOX_HD inline void AddRingFolds(const PlaneSection& section, int curve, const LocalPair& pair,
                                     double accuracy, SectionBreaks* breaks) {
  const SectionCurve& s = section.curve[curve];
  const geometry::Surface& torus = pair.surface[s.id].surface;
  const Vec3 W = Cross(section.U, section.V), from = torus.o - section.P;
  const Vec3 x = torus.R.Col(0), y = torus.R.Col(1);
  const double R = torus.e.x, a = torus.e.y;
  const double xu = Dot(x, section.U), xv = Dot(x, section.V), xw = Dot(x, W);
  const double yu = Dot(y, section.U), yv = Dot(y, section.V), yw = Dot(y, W);
  const double ou = Dot(from, section.U), ov = Dot(from, section.V), ow = Dot(from, W);
  for (int side = -1; side <= 1; side += 2) {
    const auto level = [&](double h, int quadrant) {
      const double per = 1 / (1 + h * h);
      double c = (1 - h * h) * per, t = 2 * h * per;
      TurnByQuadrant(quadrant, &c, &t);
      RingFold fold;
      // V × T = (T·W) U − (T·U) W, up to its sign.
      const double tu = c * yu - t * xu, tw = c * yw - t * xw;
      fold.sine = std::sqrt(tu * tu + tw * tw);
      const double scale = fold.sine > 0 ? side / fold.sine : 0.0;
      fold.along = scale * tw;
      fold.u = ou + R * (c * xu + t * yu);
      fold.v = ov + R * (c * xv + t * yv);
      fold.w = ow + R * (c * xw + t * yw);
      fold.f = fold.w - a * scale * tu;
      return fold;
    };
    SeekAround(
        accuracy, level,
        [&](const RingFold& lo, const RingFold& last) {
          double along = last.along;
          if (last.sine < 1e-4) {
            // The axis runs along the columns, and n turns at once: the plane says where to.
            const double rise = last.w / a, square = 1 - rise * rise;
            along = square > 0 ? std::sqrt(square) : 0.0;
            if (lo.along < 0) along = -along;
          }
          Consider(section, last.u + a * along, last.v, curve, curve, MeetingOf(s.id, s.id),
                   breaks);
        },
        [&](const RingFold& least) { breaks->AddNearFold(least.u + a * least.along, 0, s.id); });
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
    const auto x = TorusCrossings(P + u * U + v * V, line.u * V - line.v * U, torus.e.x, torus.e.y);
    for (int i = 0; i < x.count; ++i) {
      Consider(section, u - x.t[i] * line.v, v + x.t[i] * line.u, curve, curve,
               MeetingOf(s.id, line.id), breaks);
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
                                      double goal, Place<SectionBreaks>* room,
                                      SectionBreaks* breaks) {
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
  const SectionBreaks& known = room->Make(*breaks);
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
