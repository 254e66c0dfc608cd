/** @file The part of a disc between lines: a convex polygon, and segments beyond its sides. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/segment.h"

namespace intervox::cuda::internal::slice {

/** A vector in the plane of a disc: x across the axis, z along it. */
struct Plane2 {
  double x = 0.0, z = 0.0;
};
INTERVOX_HD constexpr Plane2 operator+(const Plane2& a, const Plane2& b) {
  return {a.x + b.x, a.z + b.z};
}
INTERVOX_HD constexpr Plane2 operator-(const Plane2& a, const Plane2& b) {
  return {a.x - b.x, a.z - b.z};
}
INTERVOX_HD constexpr Plane2 operator*(double s, const Plane2& a) { return {s * a.x, s * a.z}; }
INTERVOX_HD constexpr double Dot(const Plane2& a, const Plane2& b) { return a.x * b.x + a.z * b.z; }
INTERVOX_HD constexpr double Cross(const Plane2& a, const Plane2& b) {
  return a.x * b.z - a.z * b.x;
}

/** Moments of a plane figure about a point, to third order as far as a torus asks for them. */
struct PlaneMoments {
  double a = 0.0, x = 0.0, z = 0.0, xx = 0.0, xz = 0.0, zz = 0.0;
  double xxx = 0.0, xxz = 0.0, xzz = 0.0;

  /** Adds the triangle between the origin, p and q; one that goes round clockwise counts negative.
   */
  INTERVOX_HD void AddTriangle(const Plane2& p, const Plane2& q) {
    const double twice = Cross(p, q);
    const double px = p.x * p.x, qx = q.x * q.x, pq = p.x * q.x;
    const double pz = p.z * p.z, qz = q.z * q.z, cross = p.x * q.z + p.z * q.x;
    a += twice / 2;
    x += twice / 6 * (p.x + q.x);
    z += twice / 6 * (p.z + q.z);
    xx += twice / 12 * (px + pq + qx);
    zz += twice / 12 * (pz + p.z * q.z + qz);
    xz += twice / 24 * (2 * (p.x * p.z + q.x * q.z) + cross);
    const double third = twice / 60;
    xxx += 3 * third * (p.x + q.x) * (px + qx);
    xxz += third * (3 * (px * p.z + qx * q.z) + px * q.z + qx * p.z + 2 * pq * (p.z + q.z));
    xzz += third * (3 * (pz * p.x + qz * q.x) + pz * q.x + qz * p.x + 2 * p.z * q.z * (p.x + q.x));
  }

  /** The same about a point from which the figure's own is at d. */
  INTERVOX_HD PlaneMoments Moved(const Plane2& d) const {
    PlaneMoments m;
    m.a = a;
    m.x = x + d.x * a;
    m.z = z + d.z * a;
    m.xx = xx + d.x * (2 * x + d.x * a);
    m.xz = xz + d.x * z + d.z * x + d.x * d.z * a;
    m.zz = zz + d.z * (2 * z + d.z * a);
    m.xxx = xxx + d.x * (3 * xx + d.x * (3 * x + d.x * a));
    m.xxz = xxz + d.z * xx + 2 * d.x * (xz + d.z * x) + d.x * d.x * (z + d.z * a);
    m.xzz = xzz + d.x * zz + 2 * d.z * (xz + d.x * z) + d.z * d.z * (x + d.x * a);
    return m;
  }

  /** Adds a figure that is given about the same point, or with a share of −1 takes it away. */
  INTERVOX_HD void Add(double share, const PlaneMoments& other) {
    a += share * other.a;
    x += share * other.x;
    z += share * other.z;
    xx += share * other.xx;
    xz += share * other.xz;
    zz += share * other.zz;
    xxx += share * other.xxx;
    xxz += share * other.xxz;
    xzz += share * other.xzz;
  }

  /** Adds a segment of a disc that reaches along the unit vector d from its chord's middle c. */
  INTERVOX_HD void AddSegment(const SegmentMoments& part, const Plane2& c, const Plane2& d) {
    AddSegment(part, c, d, {-d.z, d.x});
  }

  /** Adds a figure given in coordinates along d and k, about c, symmetric in the second one. */
  INTERVOX_HD void AddSegment(const SegmentMoments& part, const Plane2& c, const Plane2& d,
                              const Plane2& k) {
    const PlaneMoments about_c{
        part.a,
        d.x * part.t,
        d.z * part.t,
        d.x * d.x * part.tt + k.x * k.x * part.yy,
        d.x * d.z * part.tt + k.x * k.z * part.yy,
        d.z * d.z * part.tt + k.z * k.z * part.yy,
        d.x * (d.x * d.x * part.ttt + 3 * k.x * k.x * part.tyy),
        d.x * d.x * d.z * part.ttt + (2 * d.x * k.x * k.z + k.x * k.x * d.z) * part.tyy,
        d.x * d.z * d.z * part.ttt + (2 * d.z * k.x * k.z + k.z * k.z * d.x) * part.tyy};
    Add(1.0, about_c.Moved(c));
  }
};

/** A line that cuts a disc about the origin; what is kept lies to the left of its direction. */
struct DiscLine {
  Plane2 along;                     ///< its direction, a unit vector
  Plane2 foot;                      ///< its point nearest to the centre [m]
  double depth = 0.0, rest = 0.0;   ///< of what is kept, and of the other part [m]
  double half = 0.0;                ///< of its chord's length [m]
  double lower = 0.0, upper = 0.0;  ///< the part of it that bounds the figure, from the foot
  bool from_circle = true, to_circle = true;  ///< that part's ends lie on the circle
  bool gone = false;                          ///< it bounds nothing

  INTERVOX_HD Plane2 Begin() const { return foot + lower * along; }
  INTERVOX_HD Plane2 End() const { return foot + upper * along; }
  /** How far a point lies beyond it [m]. */
  INTERVOX_HD double Level(const Plane2& p) const { return -Cross(along, p - foot); }
};

/** The line through its foot with the normal n out of what it keeps. */
INTERVOX_HD inline DiscLine MakeLine(const Plane2& n, const Plane2& foot, double depth, double rest,
                                     double half) {
  DiscLine line;
  line.along = {-n.z, n.x};
  line.foot = foot;
  line.depth = depth;
  line.rest = rest;
  line.half = half;
  return line;
}

/** Cuts two lines where they meet in the disc, or drops what the other leaves nothing of. */
INTERVOX_HD inline void CutEachOther(DiscLine* a, DiscLine* b) {
  const double sine = Cross(a->along, b->along);
  const Plane2 between = b->foot - a->foot;
  if (sine != 0) {
    const double at = Cross(between, b->along) / sine;
    if (std::fabs(at) < a->half) {
      const double on_b = Dot(a->foot + at * a->along - b->foot, b->along);
      // To the left of a, b comes in where it turns left. A corner is one of both lines, or of
      // none.
      const bool in = sine > 0;
      double *end = in ? &a->upper : &a->lower, *begin = in ? &b->lower : &b->upper;
      bool* end_free = in ? &a->to_circle : &a->from_circle;
      bool* begin_free = in ? &b->from_circle : &b->to_circle;
      if (*end_free || (in ? at < *end : at > *end)) *end = at;
      if (*begin_free || (in ? on_b > *begin : on_b < *begin)) *begin = on_b;
      *end_free = *begin_free = false;
      return;
    }
  }
  const bool a_beyond = b->Level(a->foot) > 0, b_beyond = a->Level(b->foot) > 0;
  a->gone = a->gone || a_beyond;
  b->gone = b->gone || b_beyond;
}

/** How far counterclockwise from p to q on a circle of the radius r: grows with the angle, from 0
 to 4. */
INTERVOX_HD inline double Turning(const Plane2& p, const Plane2& q, double r) {
  const double c = Dot(p, q) / (r * r);
  return Cross(p, q) >= 0 ? 1 - c : 3 + c;
}

/** The segment of a disc about the origin beyond the chord from p to q, 2 `half` long; `less` than
 half the disc, or more. The chord's distance from the centre is told by its ends: near a diameter
 its length tells half of the digits. */
INTERVOX_HD inline SegmentMoments SegmentOf(double r, const Plane2& p, const Plane2& q, double half,
                                            bool less) {
  const double thick = r + 0.5 * std::fabs(Cross(p, q)) / half, thin = half * half / thick;
  return Segment(r, less ? thin : thick, less ? thick : thin, 0.0);
}

/** What lines leave of a disc about the origin. */
struct DiscFigure {
  Plane2 origin;         ///< of the moments, in or near the figure
  PlaneMoments moments;  ///< about `origin`
  double lost = 0.0;     ///< area of what rounding has lost, at most [m²]
};

/** The figure between lines that cut a disc of the radius r each. The lines are cut in place. */
INTERVOX_HD inline DiscFigure FigureOf(double r, DiscLine* line, int lines) {
  DiscFigure out;
  if (lines == 0) {
    const SegmentMoments disc = WholeDisc(r, 0.0);
    out.moments.AddSegment(disc, {}, {1.0, 0.0});
    return out;
  }
  for (int i = 0; i < lines; ++i) {
    line[i].upper = line[i].half;
    line[i].lower = -line[i].half;
  }
  if (lines == 1) {
    out.origin = line[0].foot;
    out.moments.AddSegment(Segment(r, line[0].depth, line[0].rest, 0.0), {},
                           {-line[0].along.z, line[0].along.x});
    return out;
  }
  for (int i = 0; i < lines; ++i) {
    for (int k = i + 1; k < lines; ++k) CutEachOther(&line[i], &line[k]);
  }
  int longest = -1, from = 0, to = 0;
  double thinnest = INFINITY;
  for (int i = 0; i < lines; ++i) {
    DiscLine& s = line[i];
    thinnest = std::fmin(thinnest, s.depth);
    s.gone = s.gone || !(s.lower < s.upper);
    if (s.gone) continue;
    if (longest < 0 || s.upper - s.lower > line[longest].upper - line[longest].lower) longest = i;
    from += s.from_circle ? 1 : 0;
    to += s.to_circle ? 1 : 0;
  }
  if (longest < 0) return out;
  if (from != to) {
    // Rounding has lost an end, as of what reaches past a corner by no more. Arcs alone close no
    // figure, but for nearly the whole disc.
    const double side = thinnest < r ? 4 * (line[longest].upper - line[longest].lower) : 2 * r;
    out.lost = side * side;
    for (int i = 0; i < lines; ++i) line[i].gone = true;
    return out;
  }
  const Plane2 o = 0.5 * (line[longest].Begin() + line[longest].End());
  out.origin = o;
  for (int i = 0; i < lines; ++i) {
    if (line[i].gone) continue;
    const Plane2 p = line[i].End();
    out.moments.AddTriangle(line[i].Begin() - o, p - o);
    if (!line[i].to_circle) continue;
    // The arc goes on to where the next line comes in.
    double least = INFINITY;
    Plane2 q = p;
    for (int k = 0; k < lines; ++k) {
      if (line[k].gone || !line[k].from_circle) continue;
      const double turning = Turning(p, line[k].Begin(), r);
      if (!(turning < least)) continue;
      least = turning;
      q = line[k].Begin();
    }
    const Plane2 chord = q - p;
    const double half = 0.5 * std::sqrt(Dot(chord, chord));
    if (!(half > 0)) continue;
    out.moments.AddTriangle(p - o, q - o);
    out.moments.AddSegment(SegmentOf(r, p, q, half, Cross(p, q) >= 0), 0.5 * (p + q) - o,
                           0.5 / half * Plane2{chord.z, -chord.x});
  }
  return out;
}

}  // namespace intervox::cuda::internal::slice
