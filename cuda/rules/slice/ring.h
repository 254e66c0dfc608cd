/** @file A torus or a sector of one, and how a floor cuts it in half planes about its axis. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/panel.h"

namespace intervox::cuda::internal::slice {

/** Most planes of one pair that contain the axis. */
inline constexpr int kMostSides = 4;

/** A torus between half planes about its axis, and the planes of which one may be the floor. */
struct Ring {
  Vec3 axis, centre;                 ///< in L
  double major = 0.0, minor = 0.0;   ///< radii of the axis of the tube and of the tube [m]
  double wall_weight = 0.0;          ///< of the torus in S and G
  bool whole = true;                 ///< no plane contains the axis
  Vec3 first, last;                  ///< directions in L: Ω lies counterclockwise between them
  FloorPlane first_side, last_side;  ///< the planes in which they lie
  FloorPlane floor[kMostFloors];
  int floors = 0;
  bool empty = false;  ///< a plane leaves nothing of the torus
  double reach = 0.0;  ///< largest coordinate that enters a difference [m]
};

/** Finds what planes that contain the axis leave, less than a half turn each; false where two of
 them are one plane from its two sides. */
INTERVOX_HD inline bool FindSector(const FloorPlane* side, int sides, Ring* ring) {
  ring->whole = sides == 0;
  if (ring->whole) return true;
  bool begins = false, ends = false;
  for (int i = 0; i < sides; ++i) {
    const Vec3 first = Cross(ring->axis, side[i].n);
    double most_first = 0.0, most_last = 0.0;
    for (int k = 0; k < sides; ++k) {
      if (k == i) continue;
      if (Dot(side[i].n, side[k].n) < -1 + 1e-12) return false;
      const double level = Dot(side[k].n, first);
      most_first = std::fmax(most_first, level);
      most_last = std::fmax(most_last, -level);
    }
    if (!begins && most_first <= kCoaxial) {
      begins = true;
      ring->first = first;
      ring->first_side = side[i];
    }
    if (!ends && most_last <= kCoaxial) {
      ends = true;
      ring->last = -first;
      ring->last_side = side[i];
    }
  }
  ring->empty = ring->empty || !begins || !ends;
  return true;
}

/** Reads a pair as a torus between planes that contain its axis, cut by a few more planes; false
 where it is anything else. */
INTERVOX_HD inline bool MakeRing(const LocalPair& pair, Ring* ring) {
  const LocalSurface& wall = pair.surface[pair.planes];
  const geometry::Surface& torus = wall.surface;
  if (torus.side < 0 || !(torus.e.x > torus.e.y)) return false;
  ring->axis = torus.R.Col(2);
  ring->centre = torus.o;
  ring->major = torus.e.x;
  ring->minor = torus.e.y;
  ring->wall_weight = wall.weight;
  ring->reach = Norm(torus.o) + torus.e.x;
  FloorPlane side[kMostSides];
  int sides = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const LocalSurface& local = pair.surface[i];
    const Vec3 n = local.surface.PlaneNormal();
    const FloorPlane plane{n, Dot(n, local.surface.o), local.weight};
    const double level = Dot(n, ring->centre) - plane.offset, along = Dot(n, ring->axis);
    const double reach = std::fmax(ring->reach, std::fabs(plane.offset));
    if (std::fabs(along) <= kCoaxial && std::fabs(level) <= kCoaxial * reach) {
      if (sides == kMostSides) return false;
      side[sides++] = plane;
      continue;
    }
    // Nothing of the torus lies beyond the plane, or everything.
    const double extent = ring->major * Norm(n - along * ring->axis) + ring->minor;
    if (level + extent <= 0) continue;
    ring->empty = ring->empty || level >= extent;
    if (ring->floors == kMostFloors) return false;
    ring->floor[ring->floors++] = plane;
    ring->reach = reach;
  }
  return FindSector(side, sides, ring);
}

/** (R7): the ring seen from the floor. Azimuths are counted from x, where the floor cuts deepest.
 */
struct RingFrame {
  Vec3 x, y, z;  ///< in L; z is the axis
  Vec3 centre;   ///< in these axes [m]
  double major = 0.0, minor = 0.0;
  bool has_floor = false;
  double sine = 0.0, cosine = 1.0;  ///< the floor's normal is −sine x̂ + cosine ẑ
  double level = 0.0;               ///< of the centre over the floor [m]
};

INTERVOX_HD inline RingFrame FrameOf(const Ring& ring, int floor) {
  RingFrame f;
  f.z = ring.axis;
  f.major = ring.major;
  f.minor = ring.minor;
  f.has_floor = floor >= 0;
  f.x = AnyOrthogonal(f.z);
  if (f.has_floor) {
    const FloorPlane& plane = ring.floor[floor];
    f.cosine = Dot(plane.n, f.z);
    f.sine = Norm(plane.n - f.cosine * f.z);
    f.x = AwayFrom(plane.n, f.z);
    f.level = Dot(plane.n, ring.centre) - plane.offset;
  }
  f.y = Cross(f.z, f.x);
  f.centre = {Dot(f.x, ring.centre), Dot(f.y, ring.centre), Dot(f.z, ring.centre)};
  return f;
}

/** (R7): half a turn about x or −x. An azimuth φ from there is u = tan φ/2 in [−1, 1], and with
 p = 1 − cos φ the floor's level at the tube's centre is E = level + rise p, its slope in the half
 plane N² = cosine² + sine² (1 − p)². */
struct HalfTurn {
  double sense = 1.0;  ///< −1: about −x
  double level = 0.0, rise = 0.0;
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;  ///< F = a² N² − E² = c0 + c1 p + c2 p²
  double root[2] = {0.0, 0.0};          ///< of F
  bool real = false;
  SlicePlaces singular;  ///< u at which the floor touches the tube
  SlicePlaces breaks;  ///< those, and u at which panels end for the sake of singular points near 0
};

INTERVOX_HD inline HalfTurn LookFrom(const RingFrame& f, double sense) {
  HalfTurn turn;
  turn.sense = sense;
  if (!f.has_floor) return turn;
  const double a = f.minor, R = f.major;
  turn.rise = sense * f.sine * R;
  turn.level = f.level - turn.rise;
  turn.c0 = (a - turn.level) * (a + turn.level);
  turn.c1 = -2 * (a * a * f.sine * f.sine + turn.level * turn.rise);
  turn.c2 = f.sine * f.sine * (a - R) * (a + R);
  turn.real = RealRoots(turn.c2, 0.5 * turn.c1, turn.c0, turn.root) == 2;
  for (int i = 0; turn.real && i < 2; ++i) {
    const double p = turn.root[i];
    if (!(p < 2)) continue;
    // Singular points are a pair about 0, on the axis of u or off it.
    const double u = std::sqrt(std::fabs(p) / (2 - p));
    if (p >= 0) {
      for (const double place : {-u, u}) {
        turn.singular.Add(place);
        turn.breaks.Add(place);
      }
    }
    constexpr double kNear = 0.2, kLeast = 1e-6, kGrowth = 8;
    if (u > kNear) continue;
    for (double place = std::fmax(p < 0 ? u : kGrowth * u, kLeast); place < 1; place *= kGrowth) {
      turn.breaks.Add(-place);
      turn.breaks.Add(place);
    }
  }
  return turn;
}

/** How far the floor reaches into the tube at an azimuth, and how far it is from the other side. */
struct TubeOverFloor {
  double level = 0.0, slope = 1.0;  ///< E and N of (R7)
  double depth = 0.0, rest = 0.0;   ///< [m]
};

INTERVOX_HD inline TubeOverFloor TubeAt(const RingFrame& f, const HalfTurn& turn, double p) {
  const double a = f.minor, c = f.sine * (1 - p);
  TubeOverFloor tube;
  if (!f.has_floor) {
    tube.depth = 2 * a;
    return tube;
  }
  tube.level = turn.level + turn.rise * p;
  tube.slope = std::sqrt(f.cosine * f.cosine + c * c);
  const double product = turn.real ? turn.c2 * (p - turn.root[0]) * (p - turn.root[1])
                                   : turn.c0 + p * (turn.c1 + p * turn.c2);
  const double distance = std::fabs(tube.level);
  const double thin = product / (tube.slope * (a * tube.slope + distance));
  const double thick = a + distance / tube.slope;
  tube.depth = tube.level > 0 ? thin : thick;
  tube.rest = tube.level > 0 ? thick : thin;
  return tube;
}

/** An azimuth of half a turn, from its u. */
struct Azimuth {
  double per = 1.0;  ///< 1/(1 + u²)
  double cosine = 1.0, sine = 0.0;
  double p = 0.0;  ///< 1 − cos from the middle of the half turn
  TubeOverFloor tube;
};

INTERVOX_HD inline Azimuth AzimuthAt(const RingFrame& f, const HalfTurn& turn, double u) {
  Azimuth at;
  at.per = 1 / (1 + u * u);
  at.p = 2 * u * u * at.per;
  at.cosine = turn.sense * (1 - u) * (1 + u) * at.per;
  at.sine = turn.sense * 2 * u * at.per;
  at.tube = TubeAt(f, turn, at.p);
  return at;
}

/** Part of half a turn, between two u. */
struct TurnRange {
  double lower = -1.0, upper = 1.0;
};

/** What the sector leaves of half a turn. */
INTERVOX_HD inline TurnRange RangeOf(const Ring& ring, const RingFrame& f, double sense) {
  TurnRange range;
  if (ring.whole) return range;
  const double c_first = sense * Dot(f.x, ring.first), s_first = sense * Dot(f.y, ring.first);
  const double c_last = sense * Dot(f.x, ring.last), s_last = sense * Dot(f.y, ring.last);
  if (c_first >= 0) range.lower = s_first / (1 + c_first);
  if (c_last >= 0) range.upper = s_last / (1 + c_last);
  if (c_first < 0 && c_last < 0) range.upper = range.lower;
  return range;
}

}  // namespace intervox::cuda::internal::slice
