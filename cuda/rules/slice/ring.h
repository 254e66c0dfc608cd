/** @file A torus or a sector of one between planes, in a ball or beside a quadric, as a pair has
 * it. */
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/rules/column/ring_span.h"
#include "cuda/rules/slice/conic.h"
#include "cuda/surface/quadric.h"
#include "geometry/surface_eval.h"
#include "geometry/surface_ray.h"

namespace intervox::cuda::internal::slice {

/** Most planes of one pair that contain the axis, and most others that cut the torus. */
inline constexpr int kMostSides = 4;
inline constexpr int kMostCuts = 10;

/** Most faces about the axis of a groove that may cut what a ball has in it, and most others, which
 must keep clear of it. */
inline constexpr int kMostGrooveLines = 6, kMostWatched = 6;

/** A direction across the axis, as a unit vector in the ring's frame. */
struct Heading {
  double c = 1.0, s = 0.0;

  /** The heading this far on, by sine and cosine. */
  INTERVOX_HD Heading Turned(const Heading& by) const {
    return {c * by.c - s * by.s, s * by.c + c * by.s};
  }
};

/** 1 − cos of the angle between two headings, without cancellation. */
INTERVOX_HD inline double Apart(const Heading& a, const Heading& b) {
  const double c = a.c - b.c, s = a.s - b.s;
  return 0.5 * (c * c + s * s);
}

/** A plane that cuts a ring, n·x ≤ offset. In the half plane at the angle φ from `deepest`, with
 p = 1 − cos φ, its level at the tube's centre is E = level + rise p and the normal's length N,
 N² = cosine² + sine² (1 − p)². */
struct RingCut {
  Vec3 n;  ///< in the ring's frame
  double offset = 0.0;
  double weight = 0.0;  ///< of its face in S and G, less that of walls
  Heading deepest;      ///< where it cuts deepest
  double sine = 0.0,
         cosine = 1.0;  ///< of the normal: across the axis, against `deepest`, and along it
  double level = 0.0, rise = 0.0;
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;  ///< F = a² N² − E² = c0 + c1 p + c2 p²
  double root[2] = {0.0, 0.0};          ///< of F
  bool real = false;
};

/** A ball that a ring meets. In the half plane at the angle φ from `nearest`, with p = 1 − cos φ,
 it is a disc of the radius b, b² = radius² − rho² p (2 − p), whose centre is D from the tube's; G =
 D² − a² − b² = level + rise p. */
struct RingBall {
  bool there = false;
  bool outside = false;                     ///< what it has beyond the tube is kept
  Heading nearest;                          ///< of its centre
  double rho = 0.0, z = 0.0, radius = 0.0;  ///< of its centre about the ring's, and of itself [m]
  double level = 0.0, rise = 0.0;
  double c2 = 0.0, root[2] = {0.0, 0.0};  ///< F = 4 a² b² − G² = c2 (p − root₀)(p − root₁)
  bool real = false;                      ///< else F is root₀ everywhere
};

/** A plane across the axis, a cylinder or a cone about it, in the half planes: n·x ≤ offset about
 the tube's centre. */
struct GrooveLine {
  Plane2 n;
  double offset = 0.0;
  double weight = 0.0;  ///< of its face in S and G, less that of the ball
  int surface = 0;      ///< of the pair
};

/** A quadric that a ring meets beside planes, xᵀEx + 2 b·x + c ≤ 0 about the ring's centre. */
struct RingQuadric {
  bool there = false;
  Mat3 E = Mat3::Zero();
  Vec3 b;
  double c = 0.0;
  double terms = 0.0;  ///< of the level on the torus: their magnitudes' sum at most [m]
  bool tip = false;    ///< of a cone: the ring may reach beyond its apex
  Vec3 apex;           ///< of such a cone [m]

  /** (R11): its conic in a half plane, about the centre of the tube's disc at a radius. */
  INTERVOX_HD Conic At(const Heading& heading, double radius) const {
    const Vec3 out{heading.c, heading.s, 0.0};
    const Vec3 bent = E * out;
    Conic conic;
    conic.xx = Dot(out, bent);
    conic.xz = bent.z;
    conic.zz = E(2, 2);
    conic.x = Dot(out, b) + radius * conic.xx;
    conic.z = b.z + radius * bent.z;
    conic.c = c + radius * (Dot(out, b) + conic.x);
    return conic;
  }
};

/** A plane that contains the axis, n·x ≤ 0 from there. */
struct RingSide {
  Vec3 n;
  double weight = 0.0;  ///< of its face in S and G, less that of walls
};

/** A torus between half planes about its axis, cut by planes. */
struct Ring {
  Vec3 x, y, z;                     ///< the ring's frame, in L; z is the axis
  Vec3 centre;                      ///< in the ring's frame [m]
  double major = 0.0, minor = 0.0;  ///< radii of the axis of the tube and of the tube [m]
  bool whole = true;                ///< no plane contains the axis
  Heading first, last;              ///< Ω lies counterclockwise between them
  RingSide first_side, last_side;   ///< the planes in which they lie
  RingCut cut[kMostCuts];
  int cuts = 0;
  RingBall ball;
  RingQuadric quadric;
  column::SpanParts parts;   ///< beside a quadric: where Ω may be, about x
  double wall_weight = 0.0;  ///< of the torus in S and G, less the ball's or quadric's; else 0
  bool empty = false;        ///< a plane leaves nothing of the torus
  double reach = 0.0;        ///< largest coordinate that enters a difference [m]
  GrooveLine line[kMostGrooveLines];
  int lines = 0;
  int watched[kMostWatched];  ///< surfaces of the pair that must keep clear of a ball in a groove
  int watches = 0;
  std::uint64_t through = 0;  ///< the planes that contain the axis, as bits

  /** A vector of L in the ring's frame. */
  INTERVOX_HD Vec3 InFrame(const Vec3& v) const { return {Dot(x, v), Dot(y, v), Dot(z, v)}; }
  /** Takes the torus' place and radii, and its frame from `from_x` on, across the axis. */
  INTERVOX_HD void SetTorus(const geometry::Surface& torus, const Vec3& from_x) {
    z = torus.R.Col(2);
    x = from_x;
    y = Cross(z, x);
    centre = InFrame(torus.o);
    major = torus.e.x;
    minor = torus.e.y;
  }
};

/** Finds what planes that contain the axis leave, less than a half turn each; false where two of
 them are one plane from its two sides. */
INTERVOX_HD inline bool FindSector(const RingSide* side, int sides, Ring* ring) {
  ring->whole = sides == 0;
  if (ring->whole) return true;
  bool begins = false, ends = false;
  for (int i = 0; i < sides; ++i) {
    const Heading first{-side[i].n.y, side[i].n.x};
    double most_first = 0.0, most_last = 0.0;
    for (int k = 0; k < sides; ++k) {
      if (k == i) continue;
      if (Dot(side[i].n, side[k].n) < -1 + 1e-12) return false;
      const double level = side[k].n.x * first.c + side[k].n.y * first.s;
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
      ring->last = {-first.c, -first.s};
      ring->last_side = side[i];
    }
  }
  ring->empty = ring->empty || !begins || !ends;
  return true;
}

/** What a plane does to the tube.
 @param n  the plane's normal in the ring's frame
 @param sine  of the normal to the axis
 @param level  of the ring's centre over the plane [m] */
INTERVOX_HD inline RingCut CutOf(const Ring& ring, const Vec3& n, const Heading& deepest,
                                 double sine, double level) {
  RingCut cut;
  cut.n = n;
  cut.offset = Dot(n, ring.centre) - level;
  cut.sine = sine;
  cut.cosine = n.z;
  cut.deepest = deepest;
  const double a = ring.minor, R = ring.major;
  cut.rise = sine * R;
  cut.level = level - cut.rise;
  cut.c0 = (a - cut.level) * (a + cut.level);
  cut.c1 = -2 * (a * a * sine * sine + cut.level * cut.rise);
  cut.c2 = sine * sine * (a - R) * (a + R);
  cut.real = RealRoots(cut.c2, 0.5 * cut.c1, cut.c0, cut.root) == 2;
  return cut;
}

/** What a ball does to the tube. */
INTERVOX_HD inline RingBall BallOf(const Ring& ring, const Vec3& arm, double radius) {
  RingBall ball;
  ball.there = true;
  ball.radius = radius;
  ball.rho = std::sqrt(arm.x * arm.x + arm.y * arm.y);
  ball.z = arm.z;
  if (ball.rho > 0) ball.nearest = {arm.x / ball.rho, arm.y / ball.rho};
  const double a = ring.minor, R = ring.major, across = R - ball.rho;
  const double apart = std::sqrt(across * across + arm.z * arm.z);
  // F at p = 0 is (2 a radius − level)(2 a radius + level).
  const double c0 =
      (a + radius - apart) * (a + radius + apart) * (apart - (radius - a)) * (apart + (radius - a));
  ball.level = apart * apart - radius * radius - a * a;
  ball.rise = 2 * R * ball.rho;
  ball.c2 = 4 * ball.rho * ball.rho * (a - R) * (a + R);
  const double half = -4 * a * a * ball.rho * ball.rho - ball.level * ball.rise;
  ball.real = RealRoots(ball.c2, half, c0, ball.root) == 2;
  // Without real roots the downward parabola is negative, but for a ball about the axis.
  if (!ball.real) ball.root[0] = ball.c2 < 0 ? -1.0 : c0;
  return ball;
}

/** Whether one of the pair's planes leaves nothing of a cone's other nappe. */
INTERVOX_HD inline bool IsNappeCut(const LocalPair& pair, const geometry::Surface& cone) {
  const double slope = std::sqrt(-cone.e.z / cone.e.x);
  for (int i = 0; i < pair.planes; ++i) {
    const geometry::Surface& plane = pair.surface[i].surface;
    const Vec3 n = plane.PlaneNormal(), axis = cone.R.Col(2);
    const double along = Dot(n, axis);
    const bool leaves = -along >= slope * Norm(n - along * axis);
    if (leaves && Dot(n, cone.o - plane.o) >= 0) return true;
  }
  return false;
}

/** The quadric in the ring's frame. What is inside of a cone ends at its apex: where the ring may
 reach the other nappe, and no plane leaves that out, one through the apex does. False where what
 is outside of a cone reaches there. */
INTERVOX_HD inline bool ReadQuadric(const LocalPair& pair, const LocalSurface& local,
                                    const geometry::Surface& torus, Ring* ring) {
  const geometry::Surface& s = local.surface;
  RingQuadric& quadric = ring->quadric;
  const Mat3 F = Mat3::FromColumns(ring->x, ring->y, ring->z);
  if (s.kind == geometry::SurfaceKind::kCone) {
    const Vec3 axis = s.R.Col(2);
    const double along = Dot(axis, ring->z), square = std::fmax(1 - along * along, 0.0);
    const double sine = std::sqrt(square), level = Dot(axis, s.o - torus.o);
    quadric.tip = !(-level > ring->major * sine + ring->minor);
    quadric.apex = TransposeTimes(F, s.o - torus.o);
    if (quadric.tip && s.side < 0) return false;
    if (quadric.tip && !IsNappeCut(pair, s)) {
      if (ring->cuts == kMostBeside) return false;
      const Vec3 away = AwayFrom(-axis, ring->z);
      ring->cut[ring->cuts++] = CutOf(*ring, -1.0 * TransposeTimes(F, axis),
                                      {Dot(ring->x, away), Dot(ring->y, away)}, sine, level);
      ring->empty = ring->empty || level >= ring->major * sine + ring->minor;
    }
  }
  geometry::Surface about = s;
  about.o = s.o - torus.o;
  const QuadricForm form = MakeForm(about);
  quadric.there = true;
  quadric.E = s.side * (Transpose(F) * form.E * F);
  quadric.b = s.side * TransposeTimes(F, form.b);
  quadric.c = s.side * form.c;
  ring->reach = std::fmax(ring->reach, Norm(s.o));
  const double far = ring->major + ring->minor;
  const double bend = std::sqrt(SquaredNorm(quadric.E.row0) + SquaredNorm(quadric.E.row1) +
                                SquaredNorm(quadric.E.row2));
  quadric.terms = far * (far * bend + 2 * Norm(quadric.b)) + std::fabs(quadric.c);
  return true;
}

/** The line that a face about a torus' axis is in half planes; false where it is none. */
INTERVOX_HD inline bool FindLine(const geometry::Surface& s, const geometry::Surface& torus,
                                 double reach, GrooveLine* line) {
  const Vec3 axis = torus.R.Col(2);
  if (s.kind == geometry::SurfaceKind::kPlane) {
    const Vec3 n = s.PlaneNormal();
    const double along = Dot(n, axis);
    line->n = {0.0, along > 0 ? 1.0 : -1.0};
    line->offset = Dot(n, s.o - torus.o);
    return SquaredNorm(n - along * axis) < kCoaxial * kCoaxial;
  }
  const bool cone = s.kind == geometry::SurfaceKind::kCone;
  if (!cone && s.kind != geometry::SurfaceKind::kCylinder) return false;
  const Vec3 own = s.R.Col(2), apart = s.o - torus.o;
  if (!(SquaredNorm(Cross(own, axis)) < kCoaxial * kCoaxial)) return false;
  if (!(Norm(Cross(apart, axis)) <= kCoaxial * reach)) return false;
  if (!cone) {
    line->n = {s.side > 0 ? 1.0 : -1.0, 0.0};
    line->offset = line->n.x * (std::sqrt(-s.c / s.e.x) - torus.e.x);
    return true;
  }
  // r ≤ slope (z − apex), along the cone's own axis.
  const double slope = std::sqrt(-s.e.z / s.e.x), sign = Dot(own, axis) > 0 ? 1.0 : -1.0;
  const double per = (s.side > 0 ? 1.0 : -1.0) / std::sqrt(1 + slope * slope);
  line->n = {per, -per * sign * slope};
  line->offset = -per * (torus.e.x + sign * slope * Dot(apart, axis));
  return true;
}

/** Reads a pair as a ball in the groove that a torus leaves, with surfaces that may keep clear of
 what the ball has beyond the tube; false where it is anything else. */
INTERVOX_HD inline bool MakeGroove(const LocalPair& pair, Ring* ring) {
  const LocalSurface *wall = nullptr, *ball = nullptr;
  for (int i = pair.planes; i < pair.count; ++i) {
    const LocalSurface& local = pair.surface[i];
    const geometry::Surface& s = local.surface;
    const bool torus = s.kind == geometry::SurfaceKind::kTorus;
    const bool sphere = !torus && s.side > 0 && geometry::IsSphere(s);
    if ((torus && (wall != nullptr || s.side > 0)) || (sphere && ball != nullptr)) return false;
    if (torus) wall = &local;
    if (sphere) ball = &local;
  }
  if (wall == nullptr || ball == nullptr) return false;
  const geometry::Surface &torus = wall->surface, &sphere = ball->surface;
  if (!(torus.e.x > torus.e.y)) return false;
  ring->SetTorus(torus, AwayFrom(torus.o - sphere.o, torus.R.Col(2)));
  ring->ball = BallOf(*ring, ring->InFrame(sphere.o - torus.o), std::sqrt(-sphere.c / sphere.e.x));
  ring->ball.outside = true;
  if (!(ring->ball.rho > ring->ball.radius)) return false;
  ring->reach = std::fmax(Norm(torus.o) + torus.e.x, Norm(sphere.o) + ring->ball.radius);
  ring->wall_weight = ball->weight - wall->weight;
  RingSide side[kMostSides];
  int sides = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const LocalSurface& local = pair.surface[i];
    const Vec3 n = ring->InFrame(local.surface.PlaneNormal());
    const double level = Dot(local.surface.PlaneNormal(), torus.o - local.surface.o);
    const bool through = std::fabs(n.z) <= kCoaxial && std::fabs(level) <= kCoaxial * ring->reach;
    if (!through) continue;
    if (sides == kMostSides) return false;
    side[sides++] = {n, local.weight - ball->weight};
    ring->through |= std::uint64_t{1} << i;
  }
  for (int i = 0; i < pair.count; ++i) {
    const LocalSurface& local = pair.surface[i];
    if (&local == wall || &local == ball || (ring->through >> i & 1) != 0) continue;
    GrooveLine line;
    if (FindLine(local.surface, torus, ring->reach, &line)) {
      if (ring->lines == kMostGrooveLines) return false;
      line.weight = local.weight - ball->weight;
      line.surface = i;
      ring->line[ring->lines++] = line;
    } else {
      if (ring->watches == kMostWatched) return false;
      ring->watched[ring->watches++] = i;
    }
  }
  return FindSector(side, sides, ring);
}

/** Reads a pair as a torus between planes, or as one that meets a ball or a quadric; false where it
 is anything else. */
INTERVOX_HD inline bool MakeRing(const LocalPair& pair, Ring* ring) {
  const int curved = pair.count - pair.planes;
  if (curved < 1 || curved > 2) return false;
  const LocalSurface* both = pair.surface + pair.planes;
  const bool second = both[0].surface.kind != geometry::SurfaceKind::kTorus;
  if (curved == 1 && second) return false;
  const LocalSurface& wall = both[second ? 1 : 0];
  const geometry::Surface& torus = wall.surface;
  if (torus.kind != geometry::SurfaceKind::kTorus || torus.side < 0) return false;
  if (!(torus.e.x > torus.e.y)) return false;
  const LocalSurface* other = curved == 2 ? &both[second ? 0 : 1] : nullptr;
  if (other != nullptr && other->surface.kind == geometry::SurfaceKind::kTorus) return false;
  const bool ball =
      other != nullptr && other->surface.side > 0 && geometry::IsSphere(other->surface);
  const double walls = other != nullptr ? other->weight : wall.weight;
  ring->reach = Norm(torus.o) + torus.e.x;
  const Vec3 normal = pair.planes > 0 ? pair.surface[0].surface.PlaneNormal() : torus.R.Col(0);
  // Azimuths are counted from where one floor cuts deepest, or from Ω's box.
  const Vec3 middle = torus.o - 0.5 * (pair.lower + pair.upper);
  Vec3 x = AwayFrom(pair.planes == 1 ? normal : middle, torus.R.Col(2));
  if (other != nullptr && (!ball || pair.planes > 0)) {
    ring->parts = column::FindParts(pair);
    ring->empty = ring->parts.span.empty;
    if (ring->parts.span.torus != nullptr) x = ring->parts.span.R.row0;
  }
  ring->SetTorus(torus, x);
  RingSide side[kMostSides];
  int sides = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const LocalSurface& local = pair.surface[i];
    const Vec3 n_L = local.surface.PlaneNormal(), n = ring->InFrame(n_L);
    const double offset = Dot(n_L, local.surface.o), level = Dot(n_L, torus.o) - offset;
    const double weight = local.weight - walls;
    const double reach = std::fmax(ring->reach, std::fabs(offset));
    if (std::fabs(n.z) <= kCoaxial && std::fabs(level) <= kCoaxial * reach) {
      if (sides == kMostSides) return false;
      side[sides++] = {n, weight};
      continue;
    }
    // Nothing of the torus lies beyond the plane, or everything.
    const double sine = Norm(n_L - Dot(n_L, ring->z) * ring->z);
    const double extent = ring->major * sine + ring->minor;
    if (level + extent <= 0) continue;
    ring->empty = ring->empty || level >= extent;
    if (ring->cuts == kMostCuts) return false;
    RingCut& cut = ring->cut[ring->cuts++];
    const Vec3 away = AwayFrom(n_L, ring->z);
    cut = CutOf(*ring, n, {Dot(ring->x, away), Dot(ring->y, away)}, sine, level);
    cut.weight = weight;
    ring->reach = reach;
  }
  if (other != nullptr) {
    const geometry::Surface& s = other->surface;
    ring->wall_weight = wall.weight - other->weight;
    if (ball && ring->cuts == 0) {
      ring->ball = BallOf(*ring, ring->InFrame(s.o - torus.o), std::sqrt(-s.c / s.e.x));
      ring->reach = std::fmax(ring->reach, Norm(s.o) + ring->ball.radius);
    } else if (ring->cuts > kMostBeside || !ReadQuadric(pair, *other, torus, ring)) {
      return false;
    }
  }
  return FindSector(side, sides, ring);
}

}  // namespace intervox::cuda::internal::slice
