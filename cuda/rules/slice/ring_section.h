/** @file What planes, a ball or a quadric leave of a ring in one half plane about its axis, and
 what that adds to all moments. */
#pragma once

#include <cmath>

#include "cuda/moments/moments.h"
#include "cuda/rules/slice/conic_figure.h"
#include "cuda/rules/slice/groove.h"

namespace intervox::cuda::internal::slice {

/** What planes leave of the tube's disc in a half plane about the axis. */
struct RingSection {
  DiscFigure figure;
  DiscLine line[kMostCuts];
  int cut[kMostCuts];  ///< whose line it is
  double slope[kMostCuts];
  int lines = 0;
  bool empty = false;
  // With a ball: what the torus bounds of the figure, and the chord between the two arcs.
  PlaneMoments tube;   ///< of the tube's own part, about the figure's origin, the chord's middle
  Plane2 towards;      ///< from the tube's centre to that of the ball's disc, a unit vector
  double half = 0.0;   ///< of the chord's length [m]
  ConicFigure within;  ///< with a quadric: the sides of the figure
  Place<GrooveSection> groove;                         ///< with a ball in a groove
  double lowest[kMostWatched], highest[kMostWatched];  ///< levels of watched surfaces there so far
  FigureRoom figure_room;
  GrooveRoom groove_room;
};

/** (R9): the figure that two discs have in common, of the tube and of the ball. */
INTERVOX_HD inline void LensAt(const Ring& ring, const Heading& heading, RingSection* out) {
  const RingBall& ball = ring.ball;
  const double a = ring.minor, p = Apart(heading, ball.nearest);
  const double square = ball.radius * ball.radius - ball.rho * ball.rho * p * (2 - p);
  out->tube = {};
  out->half = 0.0;
  out->empty = !(square > 0);
  if (out->empty) return;
  const double b = std::sqrt(square), level = ball.level + ball.rise * p;
  const double F = ball.real ? ball.c2 * (p - ball.root[0]) * (p - ball.root[1]) : ball.root[0];
  const Plane2 way{ball.rho * (1 - p) - ring.major, ball.z};
  const double apart = std::sqrt(Dot(way, way));
  if (!(F > 0) || !(apart > 0)) {
    // One of them holds the other, or they are apart.
    out->empty = level > 0;
    if (out->empty) return;
    const bool tube = a < b;
    if (!tube) out->figure.origin = way;
    out->figure.moments.AddSegment(WholeDisc(tube ? a : b, 0.0), {}, {1.0, 0.0});
    if (tube) out->tube = out->figure.moments;
    return;
  }
  out->towards = 1 / apart * way;
  const double h = std::sqrt(F) / (2 * apart);
  const auto segment = [&](double r, double centre) {
    const double thick = r + std::fabs(centre), thin = h * h / thick;
    return centre > 0 ? Segment(r, thin, thick, 0.0) : Segment(r, thick, thin, 0.0);
  };
  const double of_tube = 0.5 * (level + 2 * a * a) / apart;
  const double of_ball = 0.5 * (level + 2 * square) / apart;
  out->half = h;
  out->figure.origin = of_tube * out->towards;
  out->tube.AddSegment(segment(a, of_tube), {}, out->towards);
  out->figure.moments = out->tube;
  out->figure.moments.AddSegment(segment(b, of_ball), {}, -1.0 * out->towards);
}

INTERVOX_HD inline void SectionAt(const Ring& ring, const Heading& heading, RingSection* out) {
  out->lines = 0;
  out->empty = false;
  out->figure = {};
  if (ring.ball.outside) {
    GrooveAt(ring, heading, &out->groove_room, &out->groove);
    out->empty = out->groove.value.empty;
    out->figure = out->groove.value.figure;
    return;
  }
  if (ring.ball.there) {
    LensAt(ring, heading, out);
    return;
  }
  for (int i = 0; i < ring.cuts && !out->empty; ++i) {
    const RingCut& cut = ring.cut[i];
    // N is 1 at most: the level alone may say that the plane is past the tube.
    const double level = cut.level + cut.rise * Apart(heading, cut.deepest);
    if (level <= -ring.minor) continue;
    const TubeCut tube = TubeAt(cut, ring.minor, heading);
    out->empty = !(tube.depth > 0);
    if (out->empty || !(tube.rest > 0)) continue;
    const double per = 1 / tube.slope;
    const Plane2 n{-cut.sine * tube.cosine * per, cut.cosine * per};
    out->line[out->lines] = MakeLine(n, -tube.level * per * n, tube.depth, tube.rest,
                                     std::sqrt(tube.depth * tube.rest));
    out->cut[out->lines] = i;
    out->slope[out->lines++] = tube.slope;
  }
  if (out->empty) return;
  if (!ring.quadric.there) {
    out->figure = FigureOf(ring.minor, out->line, out->lines);
    return;
  }
  const Conic conic = ring.quadric.At(heading, ring.major);
  FigureWithin(conic, ring.minor, out->line, out->lines, &out->figure_room, &out->within);
  out->figure = out->within.figure;
}

/** (R5): looks at how far watched surfaces are from a section of a groove. */
INTERVOX_HD inline void Watch(const LocalPair& pair, const Ring& ring, const Heading& heading,
                              RingSection* section) {
  for (const Plane2& end : section->groove.value.end) {
    const double r = ring.major + end.x;
    const Vec3 at = ring.centre + Vec3{r * heading.c, r * heading.s, end.z};
    const Vec3 p = at.x * ring.x + at.y * ring.y + at.z * ring.z;
    for (int i = 0; i < ring.watches; ++i) {
      const double level = geometry::Level(pair.surface[ring.watched[i]].surface, p);
      section->lowest[i] = std::fmin(section->lowest[i], level);
      section->highest[i] = std::fmax(section->highest[i], level);
    }
  }
}

/** Sums over azimuths, in the ring's frame. */
struct RingSums {
  Moments body;
  double a = 0.0;     ///< of the planes' faces [m²]
  double lost = 0.0;  ///< of v, to rounding [m³]

  INTERVOX_HD RingSums& operator+=(const RingSums& other) {
    body += other.body;
    a += other.a;
    lost += other.lost;
    return *this;
  }
};

/** (R9): S and G of an arc of the torus, by the divergence theorem from its segment and the chord:
 ∫ r n ds and ∫ r (x × n) ds over the arc.
 @param a, az  area of the segment and its moment along the axis, about the tube's centre.
 @param o, u, h  middle of the chord, direction from it to the arc, and half its length. */
INTERVOX_HD inline void AddArc(const Ring& ring, const Heading& heading, double a, double az,
                               const Plane2& o, const Plane2& u, double h, double angle,
                               RingSums* out) {
  const double length = 2 * h, bend = 2 * h * h * h / 3;
  const double r = ring.major + o.x, chord = length * r;
  const double rz = length * r * o.z - bend * u.x * u.z, rr = length * r * r + bend * u.z * u.z;
  const double moment = az + u.x * rz - u.z * rr;
  const Vec3 out_x{heading.c, heading.s, 0.0}, up{0.0, 0.0, 1.0};
  const Vec3 s = angle * ((a + u.x * chord) * out_x + u.z * chord * up);
  const Vec3 g = angle * moment * Vec3{-heading.s, heading.c, 0.0};
  out->a += angle * chord;
  out->body.s += ring.wall_weight * s;
  out->body.g += ring.wall_weight * (g + Cross(ring.centre, s));
}

/** (R9): S and G of the torus where a ball bounds the figure. */
INTERVOX_HD inline void AddWall(const Ring& ring, const Heading& heading,
                                const RingSection& section, double angle, RingSums* out) {
  const PlaneMoments& m = section.tube;
  const Plane2& o = section.figure.origin;
  AddArc(ring, heading, m.a, m.z + o.z * m.a, o, section.towards, section.half, angle, out);
}

/** (R16): S and G of what bounds a ball in a groove but for the ball: faces about the axis by their
 lines, the torus by the divergence theorem from what is left out of the tube and its lines. */
INTERVOX_HD inline void AddGroove(const Ring& ring, const Heading& heading,
                                  const GrooveSection& section, double angle, RingSums* out) {
  Plane2 s = ring.wall_weight * (Plane2{section.tube, 0.0} - section.tube_face);
  double g = ring.wall_weight * (section.tube_z - section.tube_turn);
  for (int i = 0; i < ring.lines; ++i) {
    s = s + ring.line[i].weight * section.face[i];
    g += ring.line[i].weight * section.turn[i];
    out->a += angle * std::sqrt(Dot(section.face[i], section.face[i]));
  }
  const Plane2& chord = section.face[kMostGrooveLines];
  const Plane2& left = section.tube_face;
  out->a += angle * (std::sqrt(Dot(chord, chord)) + std::sqrt(Dot(left, left)));
  const Vec3 sum = angle * Vec3{s.x * heading.c, s.x * heading.s, s.z};
  out->body.s += sum;
  out->body.g += angle * g * Vec3{-heading.s, heading.c, 0.0} + Cross(ring.centre, sum);
}

/** (R11): S and G of the torus beside a quadric. */
INTERVOX_HD inline void AddArcs(const Ring& ring, const Heading& heading,
                                const RingSection& section, double angle, RingSums* out) {
  const double r = ring.minor;
  for (int i = 0; i < section.within.arcs; ++i) {
    const CircleArc& arc = section.within.arc[i];
    if (arc.whole) {
      AddArc(ring, heading, kPi * r * r, 0.0, {}, {}, 0.0, angle, out);
      continue;
    }
    const Plane2 chord = arc.q - arc.p, middle = 0.5 * (arc.p + arc.q);
    const double half = 0.5 * std::sqrt(Dot(chord, chord));
    if (!(half > 0)) continue;
    const SegmentMoments part = SegmentOf(r, arc.p, arc.q, half, arc.less);
    const Plane2 u = 0.5 / half * Plane2{chord.z, -chord.x};
    AddArc(ring, heading, part.a, part.a * middle.z + part.t * u.z, middle, u, half, angle, out);
  }
  out->a += angle * ring.major * section.within.chords;
}

/** Adds a part of a plane's face: where its line bounds the figure, over the angle. */
INTERVOX_HD inline void AddFace(const Ring& ring, const Heading& heading,
                                const RingSection& section, int i, double lower, double upper,
                                double angle, RingSums* out) {
  const DiscLine& line = section.line[i];
  const RingCut& cut = ring.cut[section.cut[i]];
  const Vec3 out_x{heading.c, heading.s, 0.0}, up{0.0, 0.0, 1.0};
  const Plane2 middle = line.foot + 0.5 * (lower + upper) * line.along;
  const double length = upper - lower, half = 0.5 * length;
  const double radius = ring.major + middle.x;
  const double da = radius * length * angle / section.slope[i];
  const double lean = line.along.x * length * half * half / 3 * angle / section.slope[i];
  const Vec3 at = ring.centre + radius * out_x + middle.z * up;
  const Vec3 face = da * at + lean * (line.along.x * out_x + line.along.z * up);
  out->a += da;
  out->body.s += cut.weight * da * cut.n;
  out->body.g += cut.weight * Cross(face, cut.n);
}

/** (R7): the section over the angle dφ; lengths along it grow with the radius. */
INTERVOX_HD inline RingSums SumsOf(const Ring& ring, const Heading& heading,
                                   const RingSection& section, double angle) {
  RingSums out;
  const PlaneMoments& m = section.figure.moments;
  const Plane2& o = section.figure.origin;
  const double r = (ring.major + o.x) * angle;
  out.lost = section.figure.lost * r;
  const Vec3 out_x{heading.c, heading.s, 0.0}, up{0.0, 0.0, 1.0};
  const Vec3 origin = ring.centre + (ring.major + o.x) * out_x + o.z * up;
  const double v = r * m.a + angle * m.x;
  const double x = r * m.x + angle * m.xx, z = r * m.z + angle * m.xz;
  const double xx = r * m.xx + angle * m.xxx, xz = r * m.xz + angle * m.xxz;
  const double zz = r * m.zz + angle * m.xzz;
  const Vec3 first = x * out_x + z * up;
  out.body.v = v;
  out.body.m = first + v * origin;
  out.body.second = v * Square(origin) + Mixed(origin, first) + xx * Square(out_x) +
                    xz * Mixed(out_x, up) + zz * Square(up);
  for (int i = 0; i < section.lines && !ring.quadric.there; ++i) {
    const DiscLine& line = section.line[i];
    if (!line.gone) AddFace(ring, heading, section, i, line.lower, line.upper, angle, &out);
  }
  for (int i = 0; i < section.within.spans && ring.quadric.there; ++i) {
    const LineSpan& span = section.within.span[i];
    AddFace(ring, heading, section, span.line, span.lower, span.upper, angle, &out);
  }
  if (ring.quadric.there) AddArcs(ring, heading, section, angle, &out);
  if (ring.ball.outside) {
    AddGroove(ring, heading, section.groove.value, angle, &out);
  } else if (ring.ball.there) {
    AddWall(ring, heading, section, angle, &out);
  }
  return out;
}

}  // namespace intervox::cuda::internal::slice
