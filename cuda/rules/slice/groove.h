/** @file A ball in the groove of a torus: what the ball has beyond the tube, between coaxial faces.
 */
#pragma once

#include "cuda/rules/slice/disc.h"
#include "cuda/rules/slice/ring_turns.h"

namespace intervox::cuda::internal::slice {

/** (R16): what a ball's disc has beyond the tube in a half plane, about the tube's centre. */
struct GrooveSection {
  bool empty = true;
  DiscFigure figure;
  double tube = 0.0, tube_z = 0.0;  ///< area of the tube's part that is left out, and ∫ z dA
  /** ∫ r n dl over the ball's side of each line, then the chord. */
  Plane2 face[kMostGrooveLines + 1];
  double turn[kMostGrooveLines + 1] = {};  ///< ∫ r (z n_x − r n_z) dl
  Plane2 tube_face;                        ///< the same over all lines that bound the tube's part
  double tube_turn = 0.0;
  Plane2 end[4];  ///< how far the section reaches
};

/** A disc between the section's lines, and what they bound of it. */
struct GrooveDisc {
  bool empty = false;
  DiscLine line[kMostGrooveLines + 1];
  int of[kMostGrooveLines + 1];  ///< which line each is; kMostGrooveLines: the chord
  int lines = 0;
  DiscFigure figure;

  /** Adds a line with the normal n out of what it keeps, the depth of that and of the rest. */
  INTERVOX_HD void Add(const Plane2& n, double half, double depth, double rest, int index) {
    empty = empty || !(depth > 0);
    if (empty || !(rest > 0)) return;
    line[lines] = MakeLine(n, 0.5 * (depth - rest) * n, depth, rest, half);
    of[lines++] = index;
  }
};

/** Cuts the disc of the radius r about `centre` by the groove's faces and, if there is one, by the
 chord of both circles.
 @param towards  the unit vector across the chord to what is kept
 @param half  of the chord's length [m]
 @param place  of the chord along `towards`, from `centre` [m] */
INTERVOX_HD inline void CutDisc(const Ring& ring, const Plane2& centre, double r, bool chord,
                                const Plane2& towards, double half, double place, GrooveDisc* out) {
  if (chord) {
    const double thick = r + std::fabs(place), thin = half * half / thick;
    out->Add(-1.0 * towards, half, place > 0 ? thin : thick, place > 0 ? thick : thin,
             kMostGrooveLines);
  }
  for (int i = 0; i < ring.lines && !out->empty; ++i) {
    const GrooveLine& face = ring.line[i];
    const double level = Dot(face.n, centre) - face.offset;
    const double depth = r - level, rest = r + level;
    out->Add(face.n, std::sqrt(std::fmax(depth * rest, 0.0)), depth, rest, i);
  }
  if (!out->empty) out->figure = FigureOf(r, out->line, out->lines);
}

/** ∫ r n dl and ∫ r (z n_x − r n_z) dl over the part of a line that bounds a disc's figure. */
INTERVOX_HD inline void FaceOf(const Ring& ring, const Plane2& centre, const DiscLine& line,
                               Plane2* face, double* turn) {
  const Plane2 n{line.along.z, -line.along.x};
  const double length = line.upper - line.lower, bend = length * length * length / 12;
  const Plane2 middle = centre + line.foot + 0.5 * (line.upper + line.lower) * line.along;
  const double r = ring.major + middle.x;
  *face = length * r * n;
  const double rz = length * r * middle.z + bend * line.along.x * line.along.z;
  const double rr = length * r * r + bend * line.along.x * line.along.x;
  *turn = rz * n.x - rr * n.z;
}

/** Room for the discs of the ball and of the tube. */
struct GrooveRoom {
  Place<GrooveDisc> whole, tube;
};

/** The section in a half plane. */
INTERVOX_HD inline void GrooveAt(const Ring& ring, const Heading& heading, GrooveRoom* room,
                                 Place<GrooveSection>* section) {
  GrooveSection* const out = &section->Make();
  const RingBall& ball = ring.ball;
  const double a = ring.minor, p = Apart(heading, ball.nearest);
  const double square = ball.radius * ball.radius - ball.rho * ball.rho * p * (2 - p);
  // Half planes on the other side of the axis do not meet a ball that stands off it.
  if (!(square > 0) || p > 1) return;
  const double b = std::sqrt(square), level = ball.level + ball.rise * p;
  const double F = ball.real ? ball.c2 * (p - ball.root[0]) * (p - ball.root[1]) : ball.root[0];
  const Plane2 way{ball.rho * (1 - p) - ring.major, ball.z};
  const double apart = std::sqrt(Dot(way, way));
  const bool chord = F > 0 && apart > 0;
  if (!chord && level <= 0 && a >= b) return;
  const Plane2 towards = chord ? 1 / apart * way : Plane2{1.0, 0.0};
  const double half = chord ? std::sqrt(F) / (2 * apart) : 0.0;
  const double of_tube = chord ? 0.5 * (level + 2 * a * a) / apart : 0.0;
  GrooveDisc& whole = room->whole.Make();
  CutDisc(ring, way, b, chord, towards, half, of_tube - apart, &whole);
  if (whole.empty) return;
  out->empty = false;
  out->figure.origin = way + whole.figure.origin;
  out->figure.moments = whole.figure.moments;
  out->figure.lost = whole.figure.lost + kLevelRounding * whole.figure.moments.a;
  for (int i = 0; i < whole.lines; ++i) {
    if (whole.line[i].gone) continue;
    FaceOf(ring, way, whole.line[i], &out->face[whole.of[i]], &out->turn[whole.of[i]]);
  }
  const Plane2 along = chord ? half * Plane2{-towards.z, towards.x} : Plane2{0.0, b};
  const Plane2 middle = chord ? of_tube * towards : way;
  out->end[0] = middle + along;
  out->end[1] = middle - along;
  out->end[2] = chord ? a * towards : way - Plane2{b, 0.0};
  out->end[3] = way + b * towards;
  if (!chord && level > 0) return;
  GrooveDisc& tube = room->tube.Make();
  CutDisc(ring, {}, a, chord, towards, half, of_tube, &tube);
  if (tube.empty) return;
  out->figure.lost += tube.figure.lost;
  const Plane2 shift = tube.figure.origin - out->figure.origin;
  out->figure.moments.Add(-1.0, tube.figure.moments.Moved(shift));
  const PlaneMoments& m = tube.figure.moments;
  out->tube = m.a;
  out->tube_z = m.z + tube.figure.origin.z * m.a;
  for (int i = 0; i < tube.lines; ++i) {
    if (tube.line[i].gone) continue;
    Plane2 face;
    double turn = 0.0;
    FaceOf(ring, {}, tube.line[i], &face, &turn);
    out->face[tube.of[i]] = out->face[tube.of[i]] - face;
    out->turn[tube.of[i]] -= turn;
    out->tube_face = out->tube_face + face;
    out->tube_turn += turn;
  }
}

/** Takes lines that are far from the section where the ball is nearest for faces that must keep
 clear, which costs no panels. */
INTERVOX_HD inline void WatchFarLines(GrooveRoom* room, Place<GrooveSection>* place, Ring* ring) {
  const int lines = ring->lines;
  ring->lines = 0;
  GrooveAt(*ring, ring->ball.nearest, room, place);
  const GrooveSection& section = place->value;
  ring->lines = lines;
  if (section.empty) return;
  int kept = 0;
  for (int i = 0; i < lines; ++i) {
    const GrooveLine& line = ring->line[i];
    double lowest = INFINITY, highest = -INFINITY;
    for (const Plane2& end : section.end) {
      lowest = std::fmin(lowest, Dot(line.n, end) - line.offset);
      highest = std::fmax(highest, Dot(line.n, end) - line.offset);
    }
    if (highest < -0.5 * (highest - lowest) && ring->watches < kMostWatched) {
      ring->watched[ring->watches++] = line.surface;
    } else {
      ring->line[kept++] = line;
    }
  }
  ring->lines = kept;
}

/** Appends where the ball begins or ends to hold a point of the half planes. */
INTERVOX_HD inline void AddPassing(const RingBall& ball, double r, double z, RingTurns* turns) {
  if (!(r > 0)) return;
  const double across = r - ball.rho, along = z - ball.z;
  AddEitherSide(ball.nearest,
                (ball.radius * ball.radius - across * across - along * along) / (2 * r * ball.rho),
                turns);
}

/** (R16): azimuths at which a face begins or ends to bound the section, or does so elsewhere. */
INTERVOX_HD inline void AddGrooveEvents(const Ring& ring, RingTurns* turns) {
  const RingBall& ball = ring.ball;
  for (int i = 0; i < ring.lines; ++i) {
    const GrooveLine& face = ring.line[i];
    const Plane2 along{-face.n.z, face.n.x}, foot = face.offset * face.n;
    // Where the face meets the tube.
    const double chord = ring.minor * ring.minor - face.offset * face.offset;
    for (const double side : {-1.0, 1.0}) {
      if (!(chord > 0)) continue;
      const Plane2 at = foot + side * std::sqrt(chord) * along;
      AddPassing(ball, ring.major + at.x, at.z, turns);
    }
    for (int k = 0; k < i; ++k) {
      const GrooveLine& other = ring.line[k];
      const double sine = Cross(face.n, other.n);
      if (sine == 0) continue;
      const double x = (face.offset * other.n.z - other.offset * face.n.z) / sine;
      const double z = (other.offset * face.n.x - face.offset * other.n.x) / sine;
      AddPassing(ball, ring.major + x, z, turns);
    }
    // Where the ball's disc touches it: (n_x ρ q + k)² = b² − ρ² + ρ² q², q the cosine.
    const double k = face.n.z * ball.z - face.n.x * ring.major - face.offset;
    const double rho = ball.rho;
    double roots[2];
    const int count = RealRoots((face.n.x * face.n.x - 1) * rho * rho, face.n.x * rho * k,
                                k * k - (ball.radius - rho) * (ball.radius + rho), roots);
    for (int r = 0; r < count; ++r) AddEitherSide(ball.nearest, 1 - roots[r], turns);
  }
}

}  // namespace intervox::cuda::internal::slice
