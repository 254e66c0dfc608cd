/** @file Where around a ring's axis something happens to its part on one side of a quadric. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/ring_turns.h"
#include "cuda/rules/slice/track.h"

namespace intervox::cuda::internal::slice {

/** A plane's line in a half plane: n·x + level ≤ 0, |n| ≤ 1. */
struct RingLine {
  Plane2 n;
  double level = 0.0;
};

INTERVOX_HD inline RingLine LineAt(const RingCut& cut, const Heading& heading) {
  const double p = Apart(heading, cut.deepest);
  return {{-cut.sine * (1 - p), cut.cosine}, cut.level + cut.rise * p};
}

/** Whether a point of a half plane is below all planes but two, or nearly. */
INTERVOX_HD inline bool IsBelow(const Ring& ring, const Heading& heading, const Plane2& at, int i,
                                int j) {
  constexpr double kClose = 1e-6;
  for (int k = 0; k < ring.cuts; ++k) {
    if (k == i || k == j) continue;
    const RingLine line = LineAt(ring.cut[k], heading);
    if (Dot(line.n, at) + line.level > kClose * ring.minor) return false;
  }
  return true;
}

/** (R12): finds the azimuths at which the circle of the tube begins or ends to cross the quadric,
 and those at which corners enter or leave the tube. */
class RingLooks {
 public:
  INTERVOX_HD RingLooks(const Ring& ring, RingTurns* turns) : ring_(ring), turns_(turns) {}

  /** The lowest level of the quadric on the tube at any look [m]. */
  INTERVOX_HD double lowest() const { return lowest_; }

  /** Follows all levels between two places of a half turn that mapped ones are analytic about: the
   parameter s goes from 0 to 1. */
  INTERVOX_HD void Find(const HalfTurn& turn, double from, double to) {
    turn_ = &turn;
    from_ = from;
    width_ = to - from;
    if (!Concerns()) return;
    const int steps = kLeast + static_cast<int>(kPerUnit * width_);
    LookAlong(
        0.0, 1.0, 1.0 / steps, &before_, &now_, [this](double s, Looked* out) { Look(s, out); },
        [this](const Looked& before, const Looked& now) {
          return Changes(before.extrema, now.extrema, ring_.minor);
        },
        [this](const Looked& before, double s, const Looked& now, double next) {
          FollowAll(before, s, now, next);
        });
  }

 private:
  static constexpr int kLeast = 6, kPerUnit = 10, kMostSteps = 40;
  static constexpr int kExtremum = -1;
  static constexpr double kFarOut = 100;  ///< levels of lines end there, in radii of the tube

  struct Looked {
    Extrema extrema;
    Track crossing[2 * kMostBeside];
  };

  /** The place in the half turn. */
  INTERVOX_HD double At(double s) const {
    const double rest = 1 - s;
    return s < 0.5 ? from_ + width_ * (s * s * (3 - 2 * s))
                   : from_ + width_ - width_ * (rest * rest * (3 - 2 * rest));
  }

  /** Whether something may happen there: not where a plane leaves nothing of the disc or there is
   no conic. Which planes cut it, whose lines are followed. */
  INTERVOX_HD bool Concerns() {
    const Heading heading = turn_->At(At(0.5));
    const double r = ring_.minor;
    cutting_ = 0;
    for (int i = 0; i < ring_.cuts; ++i) {
      const RingLine line = LineAt(ring_.cut[i], heading);
      const double reach = r * std::sqrt(Dot(line.n, line.n));
      if (line.level >= reach) return false;
      if (line.level > -reach) cutting_ |= 1 << i;
    }
    const Conic conic = ring_.quadric.At(heading, ring_.major);
    const double determinant = conic.Determinant();
    constexpr double kRound = 1e-6;
    const double trace = conic.xx + conic.zz;
    if (!(determinant > kRound * trace * trace)) return true;
    return conic.Value(conic.Centre(determinant)) * conic.xx <= 0;
  }

  INTERVOX_HD void FollowAll(const Looked& before, double from, const Looked& now, double to) {
    for (int i = 0; i < now.extrema.count; ++i) {
      const Track& x = now.extrema.track[i];
      if (const Track* was = before.extrema.NearestOf(x)) Follow(*was, from, x, to, kExtremum);
    }
    for (int i = 0; i < 2 * ring_.cuts; ++i) {
      if ((cutting_ >> i / 2 & 1) == 0) continue;
      Follow(before.crossing[i], from, now.crossing[i], to, i);
    }
  }

  INTERVOX_HD Conic ConicAt(double s) const {
    return ring_.quadric.At(turn_->At(At(s)), ring_.major);
  }

  /** The angle that s passes by at a place, per s. */
  INTERVOX_HD double Speed(double s) const {
    const double u = At(s);
    return 12 * s * (1 - s) * width_ / (1 + u * u);
  }

  /** A point of the half plane, about the ring's centre. */
  INTERVOX_HD Vec3 PointOf(const Heading& heading, const Plane2& at) const {
    const double rho = ring_.major + at.x;
    return {rho * heading.c, rho * heading.s, at.z};
  }

  /** Half the derivative of the level around the tube, over the radius. */
  INTERVOX_HD static double Around(const Conic& conic, double r, const Plane2& d) {
    return Dot(conic.Slope(r * d), {-d.z, d.x});
  }

  /** Where a plane's line meets the quadric, first or second; its level is |x|² − r² in units of
   the radius, and that of the middle where there is no such point. */
  INTERVOX_HD Track CrossingAt(const Conic& conic, double s, int which) const {
    const RingCut& cut = ring_.cut[which / 2];
    const Heading heading = turn_->At(At(s));
    const RingLine line = LineAt(cut, heading);
    const double square = Dot(line.n, line.n), r = ring_.minor;
    Track out;
    out.level = kFarOut * r;
    if (!(square > 0)) return out;
    const Plane2 foot = -line.level / square * line.n, along{-line.n.z, line.n.x};
    const double a = Dot(along, conic.Bend(along)), b = Dot(along, conic.Slope(foot));
    const double disc = b * b - a * conic.Value(foot);
    const RootPair<double> roots =
        QuadraticRoots(a, b, conic.Value(foot), std::sqrt(std::fmax(disc, 0.0)));
    out.at = foot + (which % 2 == 0 ? roots.first : roots.second) * along;
    const double level = (Dot(out.at, out.at) - r * r) / r;
    if (!(level < out.level)) return out;
    out.level = level;
    // It moves along the curve in which the plane cuts the quadric.
    const Vec3 X = PointOf(heading, out.at);
    const Vec3 way = Cross(cut.n, ring_.quadric.E * X + ring_.quadric.b);
    const double turns = heading.c * way.y - heading.s * way.x;
    const double goes = out.at.x * (heading.c * way.x + heading.s * way.y) + out.at.z * way.z;
    const double slope = 2 * goes * (ring_.major + out.at.x) / (turns * r) * Speed(s);
    if (std::isfinite(slope)) out.slope = slope;
    return out;
  }

  /** By how much an extremum of the level rises with s. */
  INTERVOX_HD double SlopeOf(const Heading& heading, const Plane2& at, double s) const {
    const Vec3 X = PointOf(heading, at), n = ring_.quadric.E * X + ring_.quadric.b;
    return 2 * (heading.c * n.y - heading.s * n.x) * (ring_.major + at.x) * Speed(s);
  }

  /** The extremum next to a point of the tube, by Newton's method. */
  INTERVOX_HD Track ExtremumAt(const Conic& conic, double s, const Track& near) const {
    const double r = ring_.minor;
    constexpr int kSteps = 5;
    Heading at{near.at.x / r, near.at.z / r};
    for (int k = 0; k < kSteps; ++k) {
      const Plane2 d{at.c, at.s}, across{-d.z, d.x};
      const double slope = Around(conic, r, d);
      const double bend = r * Dot(across, conic.Bend(across)) - Dot(conic.Slope(r * d), d);
      const bool there = (bend < 0) == near.highest && bend != 0;
      double half = there ? -0.5 * slope / bend : (slope > 0) == near.highest ? 0.1 : -0.1;
      half = std::fmax(-0.2, std::fmin(0.2, half));
      const double g = 1 / (1 + half * half);
      at = at.Turned({(1 - half * half) * g, 2 * half * g});
    }
    Track out = near;
    out.at = {r * at.c, r * at.s};
    out.level = conic.Value(out.at);
    out.slope = SlopeOf(turn_->At(At(s)), out.at, s);
    return out;
  }

  INTERVOX_HD void Look(double s, Looked* out) {
    const Heading heading = turn_->At(At(s));
    const Conic conic = ring_.quadric.At(heading, ring_.major);
    const double r = ring_.minor;
    out->extrema.count = 0;
    ForRootsAround(SlopeAround(conic, r), [&](double, double cosine, double sine) {
      const Plane2 d{cosine, sine};
      Track* const x = out->extrema.Add();
      if (x == nullptr) return;
      x->at = r * d;
      x->level = conic.Value(x->at);
      x->slope = SlopeOf(heading, x->at, s);
      const Plane2 across{-d.z, d.x};
      x->highest = r * Dot(across, conic.Bend(across)) < Dot(conic.Slope(x->at), d);
      lowest_ = std::fmin(lowest_, x->level);
    });
    for (int i = 0; i < 2 * ring_.cuts; ++i) {
      if ((cutting_ >> i / 2 & 1) == 0) continue;
      Track& x = out->crossing[i];
      x = CrossingAt(conic, s, i);
      // Where both points of a line merge they move with s.
      constexpr double kBeside = 1e-4;
      if (s == 0) x.slope = (CrossingAt(ConicAt(kBeside), kBeside, i).level - x.level) / kBeside;
      if (s == 1) {
        x.slope = (x.level - CrossingAt(ConicAt(1 - kBeside), 1 - kBeside, i).level) / kBeside;
      }
    }
  }

  INTERVOX_HD Track TrackAt(double s, const Track& near, int which) const {
    const Conic conic = ConicAt(s);
    return which == kExtremum ? ExtremumAt(conic, s, near) : CrossingAt(conic, s, which);
  }

  INTERVOX_HD void Follow(const Track& was, double from, const Track& now, double to, int which) {
    FollowLevel(
        was, from, now, to,
        [this, which](double s, const Track& near) { return TrackAt(s, near, which); },
        [this, which](double lo, double hi, const Track& at_lo, const Track& at_hi) {
          AddChange(lo, hi, at_lo, at_hi, which);
        });
  }

  /** Adds the change of sign between two azimuths. */
  INTERVOX_HD void AddChange(double lo, double hi, const Track& at_lo, const Track& at_hi,
                             int which) {
    if ((at_lo.level > 0) == (at_hi.level > 0)) return;
    // An extremum that was taken for another one is followed from the other end.
    if (!AddRoot(lo, hi, at_lo, at_hi, at_lo, which)) AddRoot(lo, hi, at_lo, at_hi, at_hi, which);
  }

  /** The root of a level that is followed from a sample, by false position, halved where that is
   slow. False where there is none. */
  INTERVOX_HD bool AddRoot(double lo, double hi, const Track& at_lo, const Track& at_hi,
                           const Track& near, int which) {
    double low = at_lo.level, high = at_hi.level;
    constexpr double kEnough = 1e-12;
    double u = hi;
    Track now = at_hi, last = near;
    int side = 0;
    for (int k = 0; k < kMostSteps && hi - lo > kEnough; ++k) {
      const double share = low / (low - high);
      const bool slow = k % 4 == 3 || !(share > 0 && share < 1);
      u = slow ? 0.5 * (lo + hi) : lo + share * (hi - lo);
      now = last = TrackAt(u, last, which);
      if (now.level == 0) break;
      const bool left = (now.level > 0) == (low > 0);
      if (!slow && (left ? u - lo : hi - u) < kEnough) break;
      (left ? lo : hi) = u;
      (left ? low : high) = now.level;
      // The end that stays counts half.
      if (left ? side == 1 : side == -1) (left ? high : low) *= 0.5;
      side = left ? 1 : -1;
    }
    const Heading heading = turn_->At(At(u));
    // Where a line does not meet the quadric its middle does not lie on it, and what is found
    // between two extrema is a jump.
    constexpr double kOn = 1e-6;
    const Conic conic = ring_.quadric.At(heading, ring_.major);
    if (std::fabs(conic.Value(now.at)) > kOn * ring_.minor) return false;
    if (which == kExtremum) {
      if (IsBelow(ring_, heading, now.at, -1, -1)) turns_->AddSingular(heading);
    } else if (IsBelow(ring_, heading, now.at, which / 2, -1)) {
      turns_->AddSingular(heading);
    }
    return true;
  }

  const Ring& ring_;
  RingTurns* turns_;
  const HalfTurn* turn_ = nullptr;
  double from_ = 0.0, width_ = 1.0;
  int cutting_ = 0;  ///< bits: cuts that cut the tube's disc
  double lowest_ = INFINITY;
  Looked before_, now_;  ///< two neighbouring looks
};

/** Adds the azimuths of two points of the quadric, those on the line m·x = k, n·x = l, where they
 lie within the tube and below all planes but two. */
INTERVOX_HD inline void AddPointsOnLine(const Ring& ring, int skip, int other, const Vec3& m,
                                        double k, const Vec3& n, double l, bool event, bool knot,
                                        RingTurns* turns) {
  const Vec3 d = Cross(m, n);
  const double dd = SquaredNorm(d);
  if (!(dd > 1e-24 * SquaredNorm(m) * SquaredNorm(n))) return;
  const Vec3 p = 1 / dd * (k * Cross(n, d) + l * Cross(d, m));
  const RingQuadric& q = ring.quadric;
  double root[2];
  const int roots =
      RealRoots(Dot(d, q.E * d), Dot(d, q.E * p + q.b), Dot(p, q.E * p + 2.0 * q.b) + q.c, root);
  for (int i = 0; i < roots; ++i) {
    const Vec3 x = p + root[i] * d;
    const double rho = std::sqrt(x.x * x.x + x.y * x.y);
    if (!(rho > 0)) continue;
    const Plane2 at{rho - ring.major, x.z};
    const Heading heading{x.x / rho, x.y / rho};
    if (knot) turns->AddKnot(heading);
    if (!event || Dot(at, at) > 1.0001 * ring.minor * ring.minor) continue;
    if (IsBelow(ring, heading, at, skip, other)) turns->AddSingular(heading);
  }
}

/** (R12): all places at which something happens beside a quadric. Where a half plane touches it or
 the curve in which a plane cuts it, its normal has no part along the axis; a line in which two
 planes meet crosses it in two points. Returns the lowest level of the quadric on the tube. */
INTERVOX_HD inline double FindQuadricTurns(const Ring& ring, Place<RingLooks>* room,
                                           RingTurns* turns) {
  RingLooks& looks = room->Make(ring, turns);
  const RingQuadric& q = ring.quadric;
  const Vec3 up{q.E(2, 0), q.E(2, 1), q.E(2, 2)};
  AddPointsOnLine(ring, -1, -1, q.b, -q.c, up, -q.b.z, true, true, turns);
  // What is parallel to the axis is touched along all of it, and what is nearly so soon.
  const Vec3 axis{0.0, 0.0, 1.0};
  constexpr double kParallel = 1e-9;
  const double bend = Norm(q.E.row0) + Norm(q.E.row1) + Norm(q.E.row2);
  AddPointsOnLine(ring, -1, -1, q.b, -q.c, axis, 0.0, Norm(up) < kParallel * bend, true, turns);
  if (q.tip) {
    const double rho = std::sqrt(q.apex.x * q.apex.x + q.apex.y * q.apex.y);
    if (rho > 0) {
      const Heading heading{q.apex.x / rho, q.apex.y / rho};
      const Plane2 at{rho - ring.major, q.apex.z};
      turns->AddKnot(heading);
      if (Dot(at, at) < 1.0001 * ring.minor * ring.minor) turns->AddSingular(heading);
    }
  }
  for (int i = 0; i < ring.cuts; ++i) {
    const RingCut& cut = ring.cut[i];
    // About the ring's centre n·x ≤ offset.
    const double offset = cut.offset - Dot(cut.n, ring.centre);
    AddPointsOnLine(ring, i, -1, cut.n, offset, cut.n.z * q.b + offset * up,
                    -offset * q.b.z - cut.n.z * q.c, true, true, turns);
    AddPointsOnLine(ring, i, -1, cut.n, offset, axis, 0.0, std::fabs(cut.n.z) < kParallel, true,
                    turns);
    for (int j = i + 1; j < ring.cuts; ++j) {
      const double other = ring.cut[j].offset - Dot(ring.cut[j].n, ring.centre);
      AddPointsOnLine(ring, i, j, cut.n, offset, ring.cut[j].n, other, true, false, turns);
    }
    for (int k = 0; k < 2 && cut.real; ++k) {
      const double p = cut.root[k];
      if (!(p >= 0 && p <= 2)) continue;
      const double c = 1 - p, s = std::sqrt(p * (2 - p));
      for (const double side : {-s, s}) {
        const Heading heading = cut.deepest.Turned({c, side});
        turns->AddKnot(heading);
        const RingLine line = LineAt(cut, heading);
        const double length = std::sqrt(Dot(line.n, line.n));
        if (!(length > 0)) continue;
        const Plane2 at = (line.level > 0 ? -ring.minor : ring.minor) / length * line.n;
        const bool in = q.At(heading, ring.major).Value(at) <= 1e-6 * ring.minor;
        if (in && IsBelow(ring, heading, at, i, i)) turns->AddSingular(heading);
      }
    }
    for (int j = i + 1; j < ring.cuts; ++j) AddCorners(ring, i, j, turns);
  }
  for (int h = 0; h < 2; ++h) {
    const HalfTurn& turn = turns->turn[h];
    const bool parts = h == 0 && ring.parts.span.torus != nullptr;
    for (int i = 0; i < (parts ? ring.parts.count : 1); ++i) {
      double from = parts ? ring.parts.lower[i] : turn.lower;
      const double last = parts ? ring.parts.upper[i] : turn.upper;
      for (int k = 0; k <= turn.knots.count; ++k) {
        const double to = k < turn.knots.count ? std::fmin(turn.knots.at[k], last) : last;
        if (!(to > from)) continue;
        looks.Find(turn, from, to);
        from = to;
      }
    }
  }
  return looks.lowest();
}

}  // namespace intervox::cuda::internal::slice
