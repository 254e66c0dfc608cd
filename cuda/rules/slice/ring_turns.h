/** @file Half turns about a ring's axis, and the azimuths at which planes and balls end panels. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/panel.h"
#include "cuda/rules/slice/ring.h"

namespace intervox::cuda::internal::slice {

/** How far a plane reaches into the tube in a half plane, and how far it is from the other side. */
struct TubeCut {
  double level = 0.0, slope = 1.0;  ///< E and N
  double cosine = 1.0;              ///< 1 − p
  double depth = 0.0, rest = 0.0;   ///< [m]
};

INTERVOX_HD inline TubeCut TubeAt(const RingCut& cut, double a, const Heading& heading) {
  const double p = Apart(heading, cut.deepest);
  TubeCut tube;
  tube.cosine = 1 - p;
  tube.level = cut.level + cut.rise * p;
  const double across = cut.sine * tube.cosine;
  tube.slope = std::sqrt(cut.cosine * cut.cosine + across * across);
  const double product = cut.real ? cut.c2 * (p - cut.root[0]) * (p - cut.root[1])
                                  : cut.c0 + p * (cut.c1 + p * cut.c2);
  const double distance = std::fabs(tube.level);
  const double thin = product / (tube.slope * (a * tube.slope + distance));
  const double thick = a + distance / tube.slope;
  tube.depth = tube.level > 0 ? thin : thick;
  tube.rest = tube.level > 0 ? thick : thin;
  return tube;
}

/** Half a turn about x or −x, in u = tan φ/2 from there: the part that the sector leaves, and where
 panels end. */
struct HalfTurn {
  double sense = 1.0;  ///< −1: about −x
  double lower = -1.0, upper = 1.0;
  SlicePlaces singular;  ///< where a plane touches the tube; those just outside, too
  SlicePlaces breaks;    ///< all places where something happens
  SlicePlaces knots;     ///< between which levels beside a quadric are followed

  /** The heading at u. */
  INTERVOX_HD Heading At(double u) const {
    const double per = sense / (1 + u * u);
    return {(1 - u) * (1 + u) * per, 2 * u * per};
  }
  /** The u of a heading; infinite opposite to the middle. */
  INTERVOX_HD double Of(const Heading& heading) const {
    const double c = sense * heading.c, s = sense * heading.s;
    return c > -0.9 ? s / (1 + c) : INFINITY;
  }
};

/** Makes an empty half turn that about ±x. */
INTERVOX_HD inline void TurnAbout(const Ring& ring, double sense, HalfTurn* turn) {
  turn->sense = sense;
  if (ring.whole) return;
  const bool first = sense * ring.first.c >= 0, last = sense * ring.last.c >= 0;
  if (first) turn->lower = turn->Of(ring.first);
  if (last) turn->upper = turn->Of(ring.last);
  if (!first && !last) turn->upper = turn->lower;
}

/** The two half turns of a ring. */
struct RingTurns {
  HalfTurn turn[2];

  INTERVOX_HD void Add(const Heading& heading, SlicePlaces HalfTurn::*places) {
    for (HalfTurn& half : turn) {
      const double u = half.Of(heading);
      if (u > half.lower && u < half.upper) (half.*places).Add(u);
    }
  }
  INTERVOX_HD void AddBreak(const Heading& heading) { Add(heading, &HalfTurn::breaks); }
  INTERVOX_HD void AddKnot(const Heading& heading) { Add(heading, &HalfTurn::knots); }
  INTERVOX_HD void AddSingular(const Heading& heading) {
    AddBreak(heading);
    for (HalfTurn& half : turn) half.singular.Add(half.Of(heading));
  }
};

/** Appends the headings at 1 − cos φ = p to either side of another. */
INTERVOX_HD inline void AddEitherSide(const Heading& middle, double p, RingTurns* turns) {
  if (!(p >= 0 && p <= 2)) return;
  const double c = 1 - p, s = std::sqrt(p * (2 - p));
  turns->AddSingular(middle.Turned({c, -s}));
  turns->AddSingular(middle.Turned({c, s}));
}

/** (R8): where a plane or a ball touches the tube, from either side: roots of F in p, which counts
 from a heading. */
INTERVOX_HD inline void AddTouches(const Heading& from, const double* root, RingTurns* turns) {
  for (int i = 0; i < 2; ++i) {
    AddEitherSide(from, root[i], turns);
    // Singular points are a pair about 0 or a half turn, on the axis of φ or off it; near each
    // other panels grow from there.
    for (const bool opposite : {false, true}) {
      constexpr double kNear = 0.08, kLeast = 1e-12, kGrowth = 64;
      const double p = opposite ? 2 - root[i] : root[i], near = std::fabs(p);
      if (near > kNear) continue;
      const Heading middle = opposite ? Heading{-from.c, -from.s} : from;
      for (double place = std::fmax(p < 0 ? near : kGrowth * near, kLeast); place < 1;
           place *= kGrowth) {
        const double s = std::sqrt(place * (2 - place));
        for (const double side : {-s, s}) turns->AddBreak(middle.Turned({1 - place, side}));
      }
    }
  }
}

/** Where the line in which two planes meet pierces the tube below all others, and where it meets a
 third in it. */
INTERVOX_HD inline void AddCorners(const Ring& ring, int i, int j, RingTurns* turns) {
  constexpr double kSlack = 1e-9;
  const RingCut &a = ring.cut[i], &b = ring.cut[j];
  const Vec3 across = Cross(a.n, b.n);
  const double sine = Norm(across);
  if (!(sine > 1e-12)) return;
  const Vec3 along = across / sine;
  const Vec3 foot = 1 / sine * (a.offset * Cross(b.n, along) + b.offset * Cross(along, a.n));
  const double middle = Dot(ring.centre - foot, along), most = ring.major + ring.minor;
  // The part of the line below the other planes, about the ring.
  double lower = middle - most, upper = middle + most;
  int first = -1, last = -1;  // the planes at which it ends
  const double slack = kSlack * ring.reach;
  for (int k = 0; k < ring.cuts; ++k) {
    if (k == i || k == j) continue;
    const RingCut& c = ring.cut[k];
    const double rise = Dot(c.n, along), room = c.offset - Dot(c.n, foot);
    if (std::fabs(rise) < 1e-12) {
      if (room < -slack) return;
      continue;
    }
    const double at = room / rise;
    if (rise > 0 && at < upper) {
      upper = at;
      last = k;
    }
    if (rise < 0 && at > lower) {
      lower = at;
      first = k;
    }
    if (lower > upper + slack / sine) return;
  }
  const auto add = [&](double t) {
    const Vec3 arm = foot + t * along - ring.centre;
    const double r = std::sqrt(arm.x * arm.x + arm.y * arm.y), out = r - ring.major;
    bool in = out * out + arm.z * arm.z < 1.0001 * ring.minor * ring.minor;
    const RingQuadric& q = ring.quadric;
    in = in && (!q.there || Dot(arm, q.E * arm + 2.0 * q.b) + q.c < 1e-6 * ring.minor);
    if (r > 0 && in) turns->AddBreak({arm.x / r, arm.y / r});
  };
  // Once for three planes.
  if (first > j) add(lower);
  if (last > j) add(upper);
  geometry::Surface torus;
  torus.e = {ring.major, ring.minor, 0.0};
  const auto crossings = geometry::internal::TorusCrossings(torus, foot - ring.centre, along);
  for (int k = 0; k < crossings.count; ++k) {
    const double t = crossings.t[k];
    if (t > lower - slack / sine && t < upper + slack / sine) add(t);
  }
}

/** (R8): the half turns with all their breaks. */
INTERVOX_HD inline void FindTurns(const Ring& ring, RingTurns* turns) {
  TurnAbout(ring, 1.0, &turns->turn[0]);
  TurnAbout(ring, -1.0, &turns->turn[1]);
  if (ring.quadric.there) {
    // FindQuadricTurns goes on.
    if (ring.parts.span.torus != nullptr) {
      HalfTurn& near = turns->turn[0];
      near.lower = std::fmax(near.lower, ring.parts.span.lower);
      near.upper = std::fmin(near.upper, ring.parts.span.upper);
      turns->turn[1].upper = turns->turn[1].lower;
    }
    return;
  }
  for (int i = 0; i < ring.cuts; ++i) {
    if (ring.cut[i].real) AddTouches(ring.cut[i].deepest, ring.cut[i].root, turns);
    for (int j = i + 1; j < ring.cuts; ++j) AddCorners(ring, i, j, turns);
  }
  const RingBall& ball = ring.ball;
  if (!ball.there) return;
  if (ball.real) AddTouches(ball.nearest, ball.root, turns);
  if (ball.rho > ball.radius) {
    // Where the ball's own disc begins.
    const double ratio = ball.radius / ball.rho, square = ratio * ratio;
    const double p = square / (1 + std::sqrt(1 - square));
    for (const double side : {-ratio, ratio}) {
      turns->AddSingular(ball.nearest.Turned({1 - p, side}));
    }
  }
}

/** The first two neighbours among a panel's nodes whose sections are bounded differently. */
class PanelChange {
 public:
  /** @param kind  of what bounds the section at u, as a number */
  INTERVOX_HD void Look(unsigned kind, double u) {
    if (found_) return;
    found_ = looked_ && kind != kind_;
    (found_ ? after_ : before_) = u;
    looked_ = true;
    kind_ = found_ ? kind_ : kind;
  }
  INTERVOX_HD bool found() const { return found_; }
  /** The place of the event between the two, by halving. @param kind_at  as above, of a place */
  template <class KindAt>
  INTERVOX_HD double Place(const KindAt& kind_at) const {
    constexpr int kHalvings = 48;
    double before = before_, after = after_;
    for (int k = 0; k < kHalvings; ++k) {
      const double u = 0.5 * (before + after);
      (kind_at(u) == kind_ ? before : after) = u;
    }
    return after;
  }

 private:
  bool found_ = false, looked_ = false;
  unsigned kind_ = 0;  ///< of the first
  double before_ = 0.0, after_ = 0.0;
};

/** Adds the panels of half a turn. One with an event in it that was not foreseen becomes two.
 @param sum      sum(lower, upper, &change, &part, &panel): sums a panel, and shows its nodes to
                 `change`; false where there is nothing in it
 @param kind_at  kind_at(u): what bounds the section there, as PanelChange takes it */
template <class Sums, class Sum, class KindAt>
INTERVOX_HD void SumPanels(const Sum& sum, const KindAt& kind_at, HalfTurn* turn, Sums* total,
                           RuleResult* result) {
  constexpr int kMostEvents = 16;
  double begin = turn->lower;
  int events = 0;
  for (int i = 0; i <= turn->breaks.count;) {
    const double end = i < turn->breaks.count ? turn->breaks.at[i] : turn->upper;
    RuleResult panel;
    PanelChange change;
    Sums part;
    if (end > begin && sum(begin, end, &change, &part, &panel)) {
      const double event = change.found() && events < kMostEvents ? change.Place(kind_at) : begin;
      if (event > begin && event < end) {
        turn->breaks.Add(event);
        turn->singular.Add(event);
        ++events;
        continue;
      }
      *total += part;
      result->error += panel.error;
      result->reach += panel.reach;
      ++result->work;
    }
    begin = std::fmax(begin, end);
    ++i;
  }
}

}  // namespace intervox::cuda::internal::slice
