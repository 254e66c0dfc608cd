/** @file The part of a disc between lines and on one side of a conic. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/conic.h"

namespace intervox::cuda::internal::slice {

/** Most points at which a disc's circle is divided beside a conic. */
inline constexpr int kMostMarks = 2 * kMostBeside + kCircleRoots;

/** A part of a line that bounds the figure, from the line's foot. */
struct LineSpan {
  int line = 0;
  double lower = 0.0, upper = 0.0;  ///< [m]
};

/** An arc of the circle that bounds the figure, counterclockwise from p to q. */
struct CircleArc {
  Plane2 p, q;
  bool less = true;  ///< than half the circle
  bool whole = false;
};

/** What lines and a conic leave of a disc about the origin. */
struct ConicFigure {
  DiscFigure figure;
  LineSpan span[2 * kMostBeside];
  int spans = 0;
  CircleArc arc[kMostMarks];
  int arcs = 0;
  int bows = 0;         ///< arcs of the conic
  double chords = 0.0;  ///< length of the conic's chords [m]
};

/** Grows with the angle of a point around the origin, from 0 to 4. */
INTERVOX_HD inline double AroundOrigin(const Plane2& p) {
  const double t = p.x / (std::fabs(p.x) + std::fabs(p.z));
  return p.z >= 0 ? 1 - t : 3 + t;
}

/** Where arcs of the conic begin or end on the figure's boundary. */
struct ConicEnds {
  Plane2 at[kMostMarks + 2 * kMostBeside];
  int count = 0;

  INTERVOX_HD void Add(const Plane2& p) { at[count++] = p; }
};

/** How far along the conic from p to q, in the sense in which its kept side is on the left: grows
 with the angle of the normal, from 0 to 4. Along a line `ahead` says how far. */
INTERVOX_HD inline double TurningAlong(const Conic& conic, const Plane2& p, const Plane2& q,
                                       double* ahead) {
  const Plane2 a = conic.Slope(p), b = conic.Slope(q), tangent{-a.z, a.x};
  const double size = std::sqrt(Dot(a, a) * Dot(b, b));
  const double c = size > 0 ? Dot(a, b) / size : 1.0;
  *ahead = Dot(tangent, q - p);
  if (c > 0) return *ahead > 0 ? 1 - c : 3 + c;
  const double turn = Dot(tangent, conic.Bend(tangent)) > 0 ? Cross(a, b) : -Cross(a, b);
  return turn >= 0 ? 1 - c : 3 + c;
}

/** A point at which a line or the conic divides the disc's circle. */
struct CircleMark {
  Plane2 at;
  double around;
  bool conic;
};

/** Room for the lists of which a figure is made. */
struct FigureRoom {
  ConicEnds begins, ends;
  CircleMark mark[kMostMarks];
  ConicChords chords;

  INTERVOX_HD FigureRoom() {}
};

/** The arcs of the circle and the parts of lines that bound the figure; where those begin or end at
 the conic, arcs of it end or begin. */
INTERVOX_HD inline void FindSides(const Conic& conic, double r, const DiscLine* line, int lines,
                                  ConicFigure* out, FigureRoom* room) {
  ConicEnds *begins = &room->begins, *ends = &room->ends;
  CircleMark* const mark = room->mark;
  int marks = 0;
  const auto add = [&](const Plane2& at, bool of_conic) {
    const CircleMark one{at, AroundOrigin(at), of_conic};
    int k = marks++;
    for (; k > 0 && mark[k - 1].around > one.around; --k) mark[k] = mark[k - 1];
    mark[k] = one;
  };
  for (int i = 0; i < lines; ++i) {
    add(line[i].foot - line[i].half * line[i].along, false);
    add(line[i].foot + line[i].half * line[i].along, false);
  }
  ForRootsAround(LevelAround(conic, r), [&](double, double c, double s) {
    if (marks < kMostMarks) add(r * Plane2{c, s}, true);
  });
  const auto below = [&](const Plane2& p) {
    if (conic.Value(p) > 0) return false;
    for (int i = 0; i < lines; ++i) {
      if (line[i].Level(p) > 0) return false;
    }
    return true;
  };
  if (marks < 2) {
    if (below({r, 0.0})) out->arc[out->arcs++] = {{r, 0.0}, {r, 0.0}, false, true};
    marks = 0;
  }
  for (int i = 0; i < marks; ++i) {
    const bool last = i + 1 == marks;
    const CircleMark &from = mark[i], &to = mark[last ? 0 : i + 1];
    const double gap = to.around - from.around + (last ? 4 : 0);
    if (!(gap > 0)) continue;
    const Plane2 chord = to.at - from.at, sum = from.at + to.at;
    const Plane2 way = gap < 1 ? sum : gap > 3 ? -1.0 * sum : Plane2{chord.z, -chord.x};
    const double length = std::sqrt(Dot(way, way));
    if (!(length > 0) || !below(r / length * way)) continue;
    out->arc[out->arcs++] = {from.at, to.at, Cross(from.at, to.at) >= 0, false};
    if (from.conic) ends->Add(from.at);
    if (to.conic) begins->Add(to.at);
  }
  for (int i = 0; i < lines; ++i) {
    const DiscLine& s = line[i];
    double lower = -s.half, upper = s.half;
    for (int k = 0; k < lines; ++k) {
      if (k == i) continue;
      const double level = line[k].Level(s.foot), rise = -Cross(line[k].along, s.along);
      if (rise == 0 && level > 0) upper = lower;
      const double at = rise != 0 ? -level / rise : 0.0;
      if (rise > 0) upper = std::fmin(upper, at);
      if (rise < 0) lower = std::fmax(lower, at);
    }
    if (!(lower < upper)) continue;
    double root[2] = {0.0, 0.0};
    const Plane2 bent = conic.Bend(s.along);
    const double a = Dot(s.along, bent), b = Dot(s.along, conic.Slope(s.foot));
    const int roots = RealRoots(a, b, conic.Value(s.foot), root);
    double from = lower;
    bool begins_there = false;
    for (int k = 0; k <= roots; ++k) {
      const bool last = k == roots;
      const double to = last ? upper : root[k];
      if (!last && !(to > from && to < upper)) continue;
      if (conic.Value(s.foot + 0.5 * (from + to) * s.along) <= 0) {
        out->span[out->spans++] = {i, from, to};
        if (begins_there) ends->Add(s.foot + from * s.along);
        if (!last) begins->Add(s.foot + to * s.along);
      }
      from = to;
      begins_there = true;
    }
  }
}

/** (R11): the figure between lines that cut a disc of the radius r each and a conic. */
INTERVOX_HD inline void FigureWithin(const Conic& conic, double r, const DiscLine* line, int lines,
                                     FigureRoom* room, ConicFigure* out) {
  out->figure = {};
  out->spans = out->arcs = out->bows = 0;
  out->chords = 0.0;
  ConicEnds &begins = room->begins, &ends = room->ends;
  begins.count = ends.count = 0;
  FindSides(conic, r, line, lines, out, room);
  DiscFigure& figure = out->figure;
  // About a point amid the corners.
  Plane2 sum;
  int corners = 0;
  for (int i = 0; i < out->arcs; ++i) {
    if (out->arc[i].whole) continue;
    sum = sum + out->arc[i].p + out->arc[i].q;
    corners += 2;
  }
  for (int i = 0; i < out->spans; ++i) {
    const LineSpan& s = out->span[i];
    sum = sum + 2.0 * (line[s.line].foot + 0.5 * (s.lower + s.upper) * line[s.line].along);
    corners += 2;
  }
  if (corners > 0) figure.origin = 1.0 / corners * sum;
  Plane2 gap;  // what is left of the boundary's sum
  bool broken = begins.count != ends.count;
  const bool loop = begins.count == 0 && ends.count == 0;
  if (loop) {
    // An ellipse that meets neither the circle nor a line is in the figure as a whole, or not.
    const double determinant = conic.Determinant();
    if (determinant > 0) {
      const Plane2 centre = conic.Centre(determinant);
      const double square = -conic.Value(centre) / conic.xx;
      const double reach = square > 0 ? std::sqrt(square) : 0.0;
      const Plane2 p = centre + Plane2{reach, 0.0}, q = centre - Plane2{reach, 0.0};
      bool in = reach > 0 && Dot(p, p) < r * r;
      for (int i = 0; i < lines && in; ++i) in = line[i].Level(p) < 0;
      if (in) {
        if (corners == 0) figure.origin = out->arcs > 0 ? Plane2{} : centre;
        broken = !AddConicArc(conic, p, q, figure.origin, &room->chords, &figure.moments) ||
                 !AddConicArc(conic, q, p, figure.origin, &room->chords, &figure.moments) || broken;
        out->chords += 4 * reach;
        out->bows = 1;
      }
    }
  }
  for (int i = 0; i < begins.count && !broken; ++i) {
    int next = -1;
    double least = 0.0, nearest = 0.0;
    for (int k = i; k < ends.count; ++k) {
      double ahead = 0.0;
      const double turning = TurningAlong(conic, begins.at[i], ends.at[k], &ahead);
      if (next >= 0 && (turning > least || (turning == least && ahead > nearest))) continue;
      next = k;
      least = turning;
      nearest = ahead;
    }
    const Plane2 q = ends.at[next];
    ends.at[next] = ends.at[i];
    ends.at[i] = q;
    const Plane2 chord = q - begins.at[i];
    ++out->bows;
    broken = !AddConicArc(conic, begins.at[i], q, figure.origin, &room->chords, &figure.moments);
    out->chords += std::sqrt(Dot(chord, chord));
    gap = gap + chord;
  }
  for (int i = 0; i < out->spans; ++i) {
    const DiscLine& s = line[out->span[i].line];
    const Plane2 p = s.foot + out->span[i].lower * s.along;
    const Plane2 q = s.foot + out->span[i].upper * s.along;
    figure.moments.AddTriangle(p - figure.origin, q - figure.origin);
    gap = gap + (q - p);
  }
  for (int i = 0; i < out->arcs; ++i) {
    const CircleArc& arc = out->arc[i];
    if (arc.whole) {
      figure.moments.AddSegment(WholeDisc(r, 0.0), -1.0 * figure.origin, {1.0, 0.0});
      continue;
    }
    const Plane2 chord = arc.q - arc.p;
    gap = gap + chord;
    figure.moments.AddTriangle(arc.p - figure.origin, arc.q - figure.origin);
    const double half = 0.5 * std::sqrt(Dot(chord, chord));
    if (!(half > 0)) continue;
    figure.moments.AddSegment(SegmentOf(r, arc.p, arc.q, half, arc.less),
                              0.5 * (arc.p + arc.q) - figure.origin,
                              0.5 / half * Plane2{chord.z, -chord.x});
  }
  // What one line alone leaves of the disc holds the figure.
  double most = kPi * r * r;
  for (int i = 0; i < lines; ++i) {
    if (line[i].depth < r) most = std::fmin(most, 2 * line[i].half * line[i].depth);
  }
  constexpr double kClosed = 1e-9, kSlack = 1e-6;
  broken = broken || std::sqrt(Dot(gap, gap)) > kClosed * r;
  if (!broken && figure.moments.a <= (1 + kSlack) * most) return;
  // Rounding has lost a side: nothing more is known.
  figure = {};
  figure.lost = most;
  out->spans = out->arcs = out->bows = 0;
}

}  // namespace intervox::cuda::internal::slice
