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

  INTERVOX_HD void AddBreak(const Heading& heading) {
    for (HalfTurn& half : turn) {
      const double u = half.Of(heading);
      if (u > half.lower && u < half.upper) half.breaks.Add(u);
    }
  }
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
  const auto either_side = [&](const Heading& middle, double p, bool singular) {
    const double c = 1 - p, s = std::sqrt(p * (2 - p));
    for (const double side : {-s, s}) {
      const Heading heading = middle.Turned({c, side});
      singular ? turns->AddSingular(heading) : turns->AddBreak(heading);
    }
  };
  for (int i = 0; i < 2; ++i) {
    if (root[i] >= 0 && root[i] <= 2) either_side(from, root[i], true);
    // Singular points are a pair about 0 or a half turn, on the axis of φ or off it; near each
    // other panels grow from there.
    for (const bool opposite : {false, true}) {
      constexpr double kNear = 0.08, kLeast = 1e-12, kGrowth = 64;
      const double p = opposite ? 2 - root[i] : root[i], near = std::fabs(p);
      if (near > kNear) continue;
      const Heading middle = opposite ? Heading{-from.c, -from.s} : from;
      for (double place = std::fmax(p < 0 ? near : kGrowth * near, kLeast); place < 1;
           place *= kGrowth) {
        either_side(middle, place, false);
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

}  // namespace intervox::cuda::internal::slice
