/** @file The slice rule for a torus or a sector of one: discs in half planes about its axis. */
#pragma once

#include <cmath>

#include "cuda/moments/moments.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/slice/ring.h"
#include "cuda/rules/slice/segment.h"

namespace intervox::cuda::internal::slice {

/** What the floor leaves of the tube's disc in a half plane about the axis. */
struct RingSection {
  SegmentMoments part;  ///< about `begin`, x along `depth` and y along `chord`
  Vec3 begin;           ///< the chord's middle; of a whole disc the centre [m]
  Vec3 depth, chord;    ///< unit vectors
  double radius = 0.0;  ///< of `begin` about the axis [m]
  double depth_rise = 0.0, chord_rise = 0.0;  ///< of the radius along those
  double reach = 0.0;                         ///< along `depth`, from `begin` on [m]
  double half = 0.0;                          ///< of the chord's length; 0: a whole disc [m]
  double slope = 1.0;                         ///< N of (R7)
};

/** The section at an azimuth. Requires a depth above 0. */
INTERVOX_HD inline RingSection SectionAt(const RingFrame& f, const Azimuth& azimuth) {
  const double c = azimuth.cosine, s = azimuth.sine;
  const TubeOverFloor& tube = azimuth.tube;
  RingSection out;
  out.radius = f.major;
  out.slope = tube.slope;
  if (!(tube.rest > 0)) {
    out.part = WholeDisc(f.minor, 0.0);
    out.depth = {c, s, 0.0};
    out.depth_rise = 1.0;
    out.chord = {0.0, 0.0, 1.0};
    out.begin = f.centre + Vec3{f.major * c, f.major * s, 0.0};
    out.reach = f.minor;
    return out;
  }
  out.part = Segment(f.minor, tube.depth, tube.rest, 0.0);
  const double per_slope = 1 / tube.slope, at = tube.level * per_slope;
  const double out_r = f.sine * c * per_slope, out_z = -f.cosine * per_slope;
  out.depth = {out_r * c, out_r * s, out_z};
  out.depth_rise = out_r;
  out.chord = {-out_z * c, -out_z * s, out_r};
  out.chord_rise = -out_z;
  out.radius = f.major + at * out_r;
  out.begin = f.centre + Vec3{out.radius * c, out.radius * s, at * out_z};
  out.reach = tube.depth;
  out.half = std::sqrt(tube.depth * tube.rest);
  return out;
}

/** Sums over azimuths, in the ring's frame; those over the floor's face apart. */
struct RingSums {
  VolumeMoments body;
  double a = 0.0;                     ///< of the floor's face [m²]
  Vec3 first;                         ///< ∫ r dA over it
  double lean_v = 0.0, lean_a = 0.0;  ///< v and a by the nested rule

  INTERVOX_HD RingSums& operator+=(const RingSums& other) {
    body += other.body;
    a += other.a;
    first += other.first;
    lean_v += other.lean_v;
    lean_a += other.lean_a;
    return *this;
  }

  /** (R7): adds the section over the angle dφ; lengths along it grow with the radius. */
  INTERVOX_HD void Add(const RingSection& x, double angle) {
    const SegmentMoments& part = x.part;
    const double r = x.radius * angle, rt = x.depth_rise * angle, ry = x.chord_rise * angle;
    const double v = r * part.a + rt * part.t;
    const double t = r * part.t + rt * part.tt, y = ry * part.yy;
    const double tt = r * part.tt + rt * part.ttt, yy = r * part.yy + rt * part.tyy;
    const Vec3 first_moment = t * x.depth + y * x.chord;
    body.v = v;
    body.m = first_moment + v * x.begin;
    body.second = v * Square(x.begin) + Mixed(x.begin, first_moment) + tt * Square(x.depth) +
                  yy * Square(x.chord) + ry * part.tyy * Mixed(x.depth, x.chord);
    a = 2 * r * x.half / x.slope;
    first = a * x.begin + (2.0 / 3 * ry * x.half * x.half * x.half / x.slope) * x.chord;
  }
};

/** The s in [0, 1] with s² (3 − 2s) = x, by Newton's method. */
INTERVOX_HD inline double CubicInverse(double x) {
  const bool upper = x > 0.5;
  const double rest = upper ? 1 - x : x;
  if (!(rest > 0)) return upper ? 1.0 : 0.0;
  double s = std::sqrt(rest / 3);
  for (int i = 0; i < 6; ++i) s -= (s * s * (3 - 2 * s) - rest) / (6 * s * (1 - s));
  return upper ? 1 - s : s;
}

/** (R8): sums of a panel between two breaks, mapped by x = s² (3 − 2s) from the singular point at
 or beside its one end to that of the other: half-integer powers at both become analytic. */
template <class Node>
INTERVOX_HD RingSums SumTurned(double lower, double upper, const SlicePlaces& singular,
                               double tolerance, const Node& add, double* error) {
  const double width = upper - lower;
  double left = lower, right = upper;
  FindNearest(singular, width, &left, &right);
  const double whole = right - left;
  const double from = CubicInverse((lower - left) / whole);
  const double to = right == upper ? 1.0 : CubicInverse((upper - left) / whole);
  const NestedRule<16>& rule = Patterson15();
  constexpr int kMostParts = 27;
  for (int parts = 1;; parts *= 3) {
    RingSums total;
    double stated = 0.0, stated_area = 0.0;
    for (int part = 0; part < parts; ++part) {
      const double begin = from + (to - from) * part / parts, step = (to - from) / parts;
      RingSums sums;
      for (int i = 0; i < 15; ++i) {
        const double s = begin + step * rule.x[i], rest = 1 - s;
        const double u = s < 0.5 ? left + whole * (s * s * (3 - 2 * s))
                                 : right - whole * (rest * rest * (3 - 2 * rest));
        RingSums node;
        add(u, 6 * s * rest * whole * step * rule.fine[i], &node);
        node.lean_v = node.body.v * (rule.lean[i] / rule.fine[i]);
        node.lean_a = node.a * (rule.lean[i] / rule.fine[i]);
        sums += node;
      }
      stated += NestedError(sums.body.v, sums.lean_v);
      stated_area += NestedError(sums.a, sums.lean_a);
      total += sums;
    }
    const bool enough = stated <= tolerance * total.body.v && stated_area <= tolerance * total.a;
    if (enough || parts == kMostParts) {
      *error += stated;
      return total;
    }
  }
}

/** Sums of half a turn between two u. */
INTERVOX_HD inline RingSums SumHalfTurn(const RingFrame& f, const HalfTurn& turn, double lower,
                                        double upper, double tolerance, OtherPlanes* others,
                                        RuleResult* result) {
  const auto add = [&](double u, double weight, RingSums* sums) {
    const Azimuth azimuth = AzimuthAt(f, turn, u);
    if (!(azimuth.tube.depth > 0)) return;
    const RingSection section = SectionAt(f, azimuth);
    const bool whole = !(section.half > 0);
    const Vec3 depth = section.reach * section.depth;
    const double side = section.reach < f.minor && !whole ? section.half : f.minor;
    others->Look(whole ? section.begin - depth : section.begin, whole ? 2.0 * depth : depth,
                 side * section.chord);
    sums->Add(section, 2 * azimuth.per * weight);
  };
  RingSums sums;
  double begin = lower;
  for (int i = 0; i <= turn.breaks.count; ++i) {
    const double end = i < turn.breaks.count ? turn.breaks.at[i] : upper;
    if (!(end > begin) || end > upper) continue;
    if (AzimuthAt(f, turn, 0.5 * (begin + end)).tube.depth > 0) {
      sums += SumTurned(begin, end, turn.singular, tolerance, add, &result->error);
      ++result->work;
    }
    begin = end;
  }
  return sums;
}

/** (R6): adds s and g of the face in which the ring's body ends at an azimuth. */
INTERVOX_HD inline void AddSide(const Ring& ring, const RingFrame& f, const HalfTurn& turn,
                                const Vec3& direction, const FloorPlane& side, double* area,
                                Moments* moments) {
  const double c = turn.sense * Dot(f.x, direction), s = turn.sense * Dot(f.y, direction);
  const Azimuth azimuth = AzimuthAt(f, turn, s / (1 + c));
  if (!(azimuth.tube.depth > 0)) return;
  const RingSection section = SectionAt(f, azimuth);
  const double weight = side.weight - ring.wall_weight;
  const Vec3 first = section.part.a * section.begin + section.part.t * section.depth;
  const Vec3 in_L = first.x * f.x + first.y * f.y + first.z * f.z;
  moments->s += weight * section.part.a * side.n;
  moments->g += weight * Cross(in_L, side.n);
  *area += section.part.a;
}

/** Integrates with one of the planes for the floor, or none with −1.
 @return V; `result` says its error */
INTERVOX_HD inline double SumRing(const LocalPair& pair, const Ring& ring, int floor,
                                  OtherPlanes* others, Moments* moments, RuleResult* result) {
  const RingFrame f = FrameOf(ring, floor);
  for (int i = 0; i < ring.floors; ++i) {
    if (i == floor) continue;
    const FloorPlane& plane = ring.floor[i];
    others->plane[others->count++] = {{Dot(plane.n, f.x), Dot(plane.n, f.y), Dot(plane.n, f.z)},
                                      plane.offset};
  }
  // Far below what is asked for, at next to no cost: cutting a face must not show.
  const double tolerance = std::fmax(1e-3 * pair.tolerance, 1e-13);
  const HalfTurn turn[2] = {LookFrom(f, 1.0), LookFrom(f, -1.0)};
  RingSums sums;
  for (const HalfTurn& half : turn) {
    const TurnRange range = RangeOf(ring, f, half.sense);
    if (!(range.lower < range.upper)) continue;
    sums += SumHalfTurn(f, half, range.lower, range.upper, tolerance, others, result);
  }
  *moments = {};
  if (!(sums.body.v > 0)) return 0.0;
  const Mat3 R = Mat3::FromColumns(f.x, f.y, f.z);
  *moments = Turned(R, Moments{sums.body, {}, {}});
  double area = sums.a;
  if (floor >= 0) {
    const double weight = ring.floor[floor].weight - ring.wall_weight;
    const Vec3& n = ring.floor[floor].n;
    moments->s = weight * sums.a * n;
    moments->g = weight * Cross(R * sums.first, n);
  }
  if (!ring.whole) {
    const auto turn_of = [&](const Vec3& direction) -> const HalfTurn& {
      return Dot(f.x, direction) >= 0 ? turn[0] : turn[1];
    };
    AddSide(ring, f, turn_of(ring.first), ring.first, ring.first_side, &area, moments);
    AddSide(ring, f, turn_of(ring.last), ring.last, ring.last_side, &area, moments);
  }
  result->rounding = result->error <= pair.tolerance * sums.body.v;
  // What rounding of the positions makes of the volume.
  result->error += kPositionRounding * ring.reach * area + kLevelRounding * sums.body.v;
  return sums.body.v;
}

/** (R7): moments of a torus or of a sector of it under one more plane; of several one must cut
 alone. */
INTERVOX_HD inline RuleResult RingRule(const LocalPair& pair, Moments* moments) {
  *moments = {};
  Ring ring;
  if (!MakeRing(pair, &ring)) return {};
  if (ring.empty) return {true, 0.0, 0, false};
  for (int floor = ring.floors > 0 ? 0 : -1; floor < ring.floors; ++floor) {
    OtherPlanes others;
    RuleResult result{true, 0.0, 0, false};
    const double v = SumRing(pair, ring, floor, &others, moments, &result);
    if (!(v > 0)) return result;
    bool alone = true;
    for (int i = 0; i < others.count; ++i) {
      if (others.plane[i].Empties()) {
        *moments = {};
        result.error = 0.0;
        return result;
      }
      alone = alone && others.plane[i].Clears();
    }
    if (alone) return result;
  }
  return {};
}

}  // namespace intervox::cuda::internal::slice
