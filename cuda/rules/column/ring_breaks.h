/** @file Where panels of columns end in a section through two tori: one is a circle, the other a
 quartic that only columns know. */
#pragma once

#include "cuda/numerics/circle.h"
#include "cuda/rules/column/breaks.h"

namespace intervox::cuda::internal::column {

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
  double slope = 0;     ///< of f along the axis
  double along = 0;     ///< n·U
  double sine = 0;      ///< of the angle between the axis and the columns
};

/** (K7): the folds of a torus' section. With T the tangent of the tube's axis, the normal that is
 across it and across the columns is n = ±V × T/|V × T|; where that leads from the axis by the
 tube's radius into the section's plane, the section's curve runs along the columns. The height f of
 that point has f' = (T·W) (R ∓ a z·V/|V × T|³) along the axis, so that all its extrema are known.
 */
class RingFolds {
 public:
  INTERVOX_HD RingFolds(const PlaneSection& section, const geometry::Surface& torus)
      : R_(torus.e.x), a_(torus.e.y) {
    const Vec3 W = Cross(section.U, section.V), from = torus.o - section.P;
    const auto in_section = [&](const Vec3& x) {
      return Vec3{Dot(x, section.U), Dot(x, section.V), Dot(x, W)};
    };
    o_ = in_section(from);
    x_ = in_section(torus.R.Col(0));
    y_ = in_section(torus.R.Col(1));
    const double rise = std::sqrt(x_.z * x_.z + y_.z * y_.z);
    if (rise > 0) {
      // x rises over the plane, and y lies level in it: so does T at u = 0.
      const double c = x_.z / rise, s = y_.z / rise;
      const Vec3 up = c * x_ + s * y_;
      y_ = c * y_ - s * x_;
      x_ = {up.x, up.y, rise};
      y_.z = 0;
    }
    knot_[count_++] = -1;
    knot_[count_++] = 0;
    knot_[count_++] = 1;
    // The sine of the angle between T and V at the other extrema, and the least one, which T has
    // at (y·V, −x·V).
    const double least = std::fabs(y_.x * rise), sine = CubeRoot(a_ * least / R_);
    if (!(sine > least && sine < 1)) return;
    const double square = x_.y * x_.y + y_.y * y_.y;
    const double c = std::sqrt((1 - sine) * (1 + sine)) / square;
    const double s = std::sqrt((sine - least) * (sine + least)) / square;
    for (const double turn : {-s, s}) {
      const double at_x = y_.y * c + x_.y * turn, at_y = y_.y * turn - x_.y * c;
      const double u = at_x > 0 ? at_y / (1 + at_x) : at_y / (at_x - 1);
      int k = count_++;
      for (; k > 0 && knot_[k - 1] > u; --k) knot_[k] = knot_[k - 1];
      knot_[k] = u;
    }
  }

  /** Finds all places at which f is zero: found(fold); and where it comes nearest to zero without:
   almost(fold). */
  template <class Found, class Almost>
  INTERVOX_HD void Find(const Found& found, const Almost& almost) const {
    for (int turn = 0; turn < 4; ++turn) {
      const double half = turn < 2 ? 1 : -1, side = turn % 2 == 0 ? 1 : -1;
      double before = 0;
      RingFold last = At(knot_[0], half, side);
      for (int k = 1; k < count_; ++k) {
        const RingFold now = At(knot_[k], half, side);
        const double f = std::fabs(last.f);
        if ((now.f > 0) != (last.f > 0)) {
          found(RootBetween(knot_[k - 1], knot_[k], last.f, half, side));
        } else if (k > 1 && (before > 0) == (last.f > 0) && f <= std::fabs(before) &&
                   f <= std::fabs(now.f)) {
          almost(last);
        }
        before = last.f;
        last = now;
      }
    }
  }

 private:
  /** Where T may run along V itself n turns at once, between places at which their angle has at
   least this sine. */
  static constexpr double kTurns = 1e-7;

  /** The point at the half-angle tangent u from ±x, on one side of the tube's axis. */
  INTERVOX_HD RingFold At(double u, double half, double side) const {
    const double per = 1 / (1 + u * u), c = half * (1 - u * u) * per, s = half * 2 * u * per;
    const double tu = c * y_.x - s * x_.x, tw = c * y_.z - s * x_.z;
    RingFold fold;
    fold.sine = std::sqrt(tu * tu + tw * tw);
    fold.along = fold.sine > 0 ? side * tw / fold.sine : 0;
    fold.u = o_.x + R_ * (c * x_.x + s * y_.x);
    fold.v = o_.y + R_ * (c * x_.y + s * y_.y);
    fold.w = o_.z + R_ * (c * x_.z + s * y_.z);
    fold.f = fold.w - a_ * side * (fold.sine > 0 ? tu / fold.sine : 1);
    const double cube = fold.sine * fold.sine * fold.sine;
    fold.slope = 2 * per * tw * (R_ - side * a_ * y_.x * x_.z / cube);
    return fold;
  }

  /** The cube root of x ≤ 1, or kTurns if that is more. */
  INTERVOX_HD static double CubeRoot(double x) {
    constexpr int kMost = 60;
    constexpr double kAccuracy = 1e-9;
    double root = 1, step = 1;
    for (int i = 0; i < kMost && root > kTurns && step > kAccuracy * root; ++i) {
      step = (root - x / (root * root)) / 3;
      root -= step;
    }
    return root > kTurns ? root : kTurns;
  }

  /** Where f is zero between two neighbouring knots, by Newton's steps and halving. */
  INTERVOX_HD RingFold RootBetween(double from, double to, double f_from, double half,
                                   double side) const {
    constexpr int kMost = 100;
    constexpr double kAccuracy = 1e-15, kAtOnce = 1e-4;
    RingFold fold;
    double u = 0.5 * (from + to), way = 1;
    for (int i = 0; i < kMost && way > kAccuracy; ++i) {
      fold = At(u, half, side);
      ((fold.f > 0) == (f_from > 0) ? from : to) = u;
      const double newton = u - fold.f / fold.slope;
      const bool steps = i % 3 != 2 && newton > from && newton < to;
      const double next = steps ? newton : 0.5 * (from + to);
      way = std::fabs(next - u);
      u = next;
    }
    if (fold.sine < kAtOnce) {
      // The axis runs along the columns, and n turns at once: the plane says where to.
      const double rise = fold.w / a_, square = 1 - rise * rise;
      const double along = square > 0 ? std::sqrt(square) : 0;
      // In a section across the torus' axis n stays level but there, and each side has one end.
      const bool falls = side * fold.along < 0;
      fold.along = falls != (side < 0) ? -along : along;
    }
    return fold;
  }

  double R_, a_;
  Vec3 o_, x_, y_;  ///< the torus' centre from the section's origin and its axes, along U, V and W
  double knot_[5];  ///< the extrema of f from ±x, ascending, between −1 and 1
  int count_ = 0;
};

/** (K7): where another torus' section has folds. */
INTERVOX_HD inline void AddRingFolds(const PlaneSection& section, int curve, const LocalPair& pair,
                                     SectionBreaks* breaks) {
  const int id = section.curve[curve].id;
  const geometry::Surface& torus = pair.surface[id].surface;
  const auto add = [&](const RingFold& fold, short cause) {
    const double u = fold.u + torus.e.y * fold.along;
    if (u <= section.u_lo || u >= section.u_hi) return;
    if (InPolygon(section, u, fold.v) && AdmitsAll(section, u, fold.v, curve, curve)) {
      breaks->Add(u, cause);
    }
  };
  // Where two folds are about to begin the curve is steep.
  const auto almost = [&](const RingFold& least) {
    breaks->AddNearFold(least.u + torus.e.y * least.along, 0, id);
    add(least, 0);
  };
  RingFolds(section, torus)
      .Find([&](const RingFold& fold) { add(fold, MeetingOf(id, id)); }, almost);
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
