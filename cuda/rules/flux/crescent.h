/** @file A convex peg past the wall of a round hole, seen from the hole's axis: what bounds Ω
 there.

 Where no radius enters the peg beyond the wall, as none does in a peg that holds the hole's axis, Ω
 is what lies between the wall and the peg along the radii: in each half plane about the axis a thin
 slice over one interval of the wall's generator. The volume is then a sum of thicknesses, not a
 difference of two large fluxes. Columns leave the wall
 at s ∈ [0, 1] of the interval and are straight in the half plane, tilted so that the first and the
 last run in the planes that end the interval. */
#pragma once

#include <cmath>

#include "cuda/rules/flux/panel.h"
#include "cuda/surface/surface_bound.h"

namespace intervox::cuda::internal::flux {

inline constexpr int kCrescentSides = 6;
/** Columns end within this many radii of the wall from the axis, which the sums check. */
inline constexpr double kCrescentReach = 1.25;
/** A column that leaves the peg at the wall has entered it at this share of the way, at the latest.
 */
inline constexpr double kCrescentEntry = 0.98;
/** A plane within this share of the reach from all points of the axis contains it. */
inline constexpr double kThroughAxis = 1e-12;
/** Steepest wall dr/dz. */
inline constexpr double kCrescentSlope = 2.0;

/** A plane n·p = h that ends the generators, in the hole's axes. */
struct CrescentEnd {
  Vec3 n;
  double h = 0.0;
  double weight = 0.0;
  bool present = false;
};

/** A pair in the frame of its hole: the wall has the radius R + k z about the z axis. */
struct Crescent {
  Mat3 frame;  ///< the hole's axes as columns, in L
  Vec3 o;      ///< origin on the hole's axis, in L [m]
  double radius = 0.0, k = 0.0;
  double weight = 0.0, peg_weight = 0.0;
  QuadricForm peg;                   ///< Q(p) = pᵀEp + 2 b·p + c ≤ 0 in the hole's axes
  CrescentEnd end[2];                ///< below and above
  CrescentEnd side[kCrescentSides];  ///< planes along the axis, such as a groove's lips
  int sides = 0;
  CrescentEnd cut[kCrescentSides];  ///< planes that contain the axis
  int cuts = 0;
  double low = 0.0, high = 0.0;  ///< z of Ω lies between [m]
  double lean = 0.0;             ///< columns lean by |dz/dr| up to this, as the ends do
};

/** What bounds the generator in the direction (c, s): its interval, and by what. */
struct CrescentSpan {
  double lo = -kFar, hi = kFar;
  int lo_by = kByNothing, hi_by = kByNothing;  ///< 0, 1: that end's plane; else kByEntry, kByExit
};

/** The first and the last t of a line inside the peg. */
template <class S>
struct CrescentChord {
  S in = {}, out = {};
};

/** The chord from the quadratic αt² + 2βt + γ and the root of its discriminant. A cone's own nappe
 opens along the line: where α ≤ 0 there is no last point. */
template <class S>
INTERVOX_HD inline CrescentChord<S> ChordOf(const S& alpha, const S& beta, const S& gamma,
                                            const S& root) {
  const RootPair<S> r = QuadraticRoots(alpha, beta, gamma, root);
  const S once = alpha < 0 ? r.second : r.by_c, never = S{} + kFar;
  return {alpha > 0 ? r.first : once, alpha > 0 ? r.second : never};
}

/** False when no part of the generator lies in the peg and between the planes. */
INTERVOX_HD inline bool FindSpan(const Crescent& x, double c, double s, CrescentSpan* span) {
  for (int i = 0; i < 2; ++i) {
    const CrescentEnd& end = x.end[i];
    if (!end.present) continue;
    const double across = end.n.x * c + end.n.y * s;
    const double t = (end.h - x.radius * across) / (end.n.z + x.k * across);
    (i == 0 ? span->lo : span->hi) = t;
    (i == 0 ? span->lo_by : span->hi_by) = i;
  }
  const Vec3 base{x.radius * c, x.radius * s, 0.0}, along{x.k * c, x.k * s, 1.0};
  const Vec3 slope = x.peg.E * base + x.peg.b;
  const double alpha = Dot(along, x.peg.E * along), beta = Dot(along, slope);
  const double gamma = Dot(base, slope + x.peg.b) + x.peg.c;
  const double disc = beta * beta - alpha * gamma;
  if (alpha == 0 && beta == 0) return gamma < 0 && span->hi > span->lo;
  if (alpha > 0 && !(disc > 0)) return false;
  const CrescentChord<double> chord = ChordOf(alpha, beta, gamma, std::sqrt(disc > 0 ? disc : 0.0));
  if (chord.in > span->lo) {
    span->lo = chord.in;
    span->lo_by = kByEntry;
  }
  if (chord.out < span->hi) {
    span->hi = chord.out;
    span->hi_by = kByExit;
  }
  return span->hi > span->lo;
}

/** Narrows [x->low, x->high] to where an ellipsoid reaches past a cylinder's wall: with e the least
 of its coefficients, Q ≥ e (R² + z²) + 2 g·p + c there. */
INTERVOX_HD inline void NarrowToBall(const geometry::Surface& s, Crescent* x) {
  const double xy = s.e.x < s.e.y ? s.e.x : s.e.y, e = xy < s.e.z ? xy : s.e.z;
  const Vec3 y0 = TransposeTimes(s.R, x->o - s.o), slope = Scaled(s.e, y0);
  const Vec3 g = TransposeTimes(x->frame, s.R * slope);
  const double c = Dot(slope, y0) + s.c, R = x->radius;
  const double middle = -g.z / e;
  const double lift = 2 * kCrescentReach * R * std::sqrt(g.x * g.x + g.y * g.y);
  const double square = middle * middle + (lift - c) / e - R * R;
  const double half = square > 0 ? std::sqrt(square) : 0.0;
  x->low = middle - half > x->low ? middle - half : x->low;
  x->high = middle + half < x->high ? middle + half : x->high;
}

/** Reads the peg as seen from the hole; false when a column might enter it beyond the hole's wall
 between x->low and x->high. Along a line that leaves the axis at height z and leans by m, Q = a t²
 + 2 b t + c with a = (ρ + m e)ᵀM(ρ + m e) and c = Q(z e): it enters at t and leaves at c/(a t),
 which is not beyond the wall if c is below a times the wall's radius squared. */
INTERVOX_HD inline bool SetPeg(const geometry::Surface& s, Crescent* x) {
  using geometry::SurfaceKind;
  const Mat3 T = Transpose(s.R) * x->frame;
  const Vec3 y0 = TransposeTimes(s.R, x->o - s.o);
  const Mat3 weighted = Mat3::Diagonal(s.e) * T;
  QuadricForm& peg = x->peg;
  peg.E = Transpose(T) * weighted;
  peg.b = TransposeTimes(weighted, y0);
  peg.c = Dot(Scaled(s.e, y0), y0) + s.c;
  const bool cone = s.kind == SurfaceKind::kCone;
  if (cone && (T(2, 2) < 0.9 || !(y0.z + x->low * T(2, 2) > 0))) return false;
  const Mat3& m = peg.E;
  const double mean = 0.5 * (m(0, 0) + m(1, 1)), half = 0.5 * (m(0, 0) - m(1, 1));
  const double lean = x->lean, bend = std::fabs(m(2, 2));
  const double across = std::sqrt(m(0, 2) * m(0, 2) + m(1, 2) * m(1, 2));
  const double radial = mean - std::sqrt(half * half + m(0, 1) * m(0, 1));
  const double least = kCrescentEntry * (radial - lean * (2.0 * across + lean * bend));
  // c changes on the way from the wall's height to where the line leaves the axis.
  const double way = lean * (x->radius + x->k * x->high);
  const double farthest = x->high > -x->low ? x->high : -x->low;
  const double rise = way * (2.0 * (std::fabs(peg.b.z) + bend * farthest) + bend * way);
  // The polar form of a quadratic in z at the ends: its Bernstein coefficients.
  const auto excess = [&](double z0, double z1) {
    return peg.c + rise + peg.b.z * (z0 + z1) + m(2, 2) * z0 * z1 -
           least * (x->radius + x->k * z0) * (x->radius + x->k * z1);
  };
  if (!(least > 0) || !(excess(x->low, x->low) <= 0) || !(excess(x->low, x->high) <= 0) ||
      !(excess(x->high, x->high) <= 0)) {
    return false;
  }
  if (s.kind != SurfaceKind::kEllipsoid) return true;
  const double wall = x->radius + x->k * x->high, most = -4.0 * s.c / (wall * wall);
  return s.e.x < most && s.e.y < most && s.e.z < most;
}

/** Keeps the planes that end or cut the generators and proves the others inactive; false when it
 cannot. Narrows x->low and x->high. */
INTERVOX_HD inline bool SetEnds(const LocalPair& pair, Crescent* x) {
  // Planes that end generators: of a slope dz/dr up to 0.2 at a unit normal's |z| from here on.
  constexpr double kLevel = 0.98058067569092;
  const Vec3 axis = x->frame.Col(2);
  const auto is_level = [&](int i) {
    return std::fabs(Dot(axis, pair.surface[i].surface.R.Col(2))) >= kLevel;
  };
  const auto plane_of = [&](int i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const Vec3 n = s.side > 0 ? s.R.Col(2) : -s.R.Col(2);
    return CrescentEnd{TransposeTimes(x->frame, n), Dot(n, s.o - x->o), pair.surface[i].weight,
                       true};
  };
  double reach = kCrescentReach * (x->radius + x->k * x->high);
  for (int i = 0; i < pair.planes; ++i) {
    if (!is_level(i)) continue;
    const CrescentEnd plane = plane_of(i);
    const double across = std::sqrt(plane.n.x * plane.n.x + plane.n.y * plane.n.y);
    const bool above = plane.n.z > 0;
    CrescentEnd& end = x->end[above ? 1 : 0];
    if (end.present) {
      // One of two must lie beyond the other all over the reach.
      const double gap = plane.h / plane.n.z - end.h / end.n.z;
      const double dx = plane.n.x / plane.n.z - end.n.x / end.n.z;
      const double dy = plane.n.y / plane.n.z - end.n.y / end.n.z;
      if (!(std::fabs(gap) > reach * (std::sqrt(dx * dx + dy * dy) + kThroughAxis))) return false;
      if ((gap > 0) == above) continue;
    }
    end = plane;
    const double slope = across / std::fabs(plane.n.z);
    x->lean = slope > x->lean ? slope : x->lean;
    // As far as the plane lets anything go within the reach.
    const double z = (plane.h + across * reach) / plane.n.z;
    if (above && z < x->high) x->high = z;
    if (!above && z > x->low) x->low = z;
  }
  reach = kCrescentReach * (x->radius + x->k * x->high);
  for (int i = 0; i < pair.planes; ++i) {
    if (is_level(i)) continue;
    const CrescentEnd plane = plane_of(i);
    const double across = std::sqrt(plane.n.x * plane.n.x + plane.n.y * plane.n.y);
    const double z = plane.n.z > 0 ? x->high : x->low;
    if (plane.n.z * z + across * reach <= plane.h) continue;
    const double off = std::fabs(plane.n.z) * (x->high > -x->low ? x->high : -x->low);
    if (off + std::fabs(plane.h) <= kThroughAxis * reach && x->cuts < kCrescentSides) {
      x->cut[x->cuts++] = plane;
      continue;
    }
    // Each panel will have to lie on one side of it.
    if (x->sides == kCrescentSides) return false;
    x->side[x->sides++] = plane;
  }
  return true;
}

/** On which side of all planes along the axis everything lies that is near the wall between two
 directions less than half a turn apart: 1 inside, −1 outside of one, 0 unknown. */
INTERVOX_HD inline int SideOfPanel(const Crescent& x, double c0, double s0, double c1, double s1) {
  const double nearest = x.radius + x.k * x.low,
               farthest = kCrescentReach * (x.radius + x.k * x.high);
  int known = 1;
  for (int i = 0; i < x.sides; ++i) {
    const CrescentEnd& plane = x.side[i];
    const double a = plane.n.x * c0 + plane.n.y * s0, b = plane.n.x * c1 + plane.n.y * s1;
    double most = a > b ? a : b, least = a > b ? b : a;
    // n's own direction, or the opposite one, may lie between the two.
    const double from = c0 * plane.n.y - s0 * plane.n.x, to = plane.n.x * s1 - plane.n.y * c1;
    const double across = std::sqrt(plane.n.x * plane.n.x + plane.n.y * plane.n.y);
    if (from >= 0 && to >= 0) most = across;
    if (from <= 0 && to <= 0) least = -across;
    const double up = plane.n.z * (plane.n.z > 0 ? x.high : x.low);
    const double down = plane.n.z * (plane.n.z > 0 ? x.low : x.high);
    if (least > 0 && down + nearest * least >= plane.h) return -1;
    if (!(up + (most > 0 ? farthest : nearest) * most <= plane.h)) known = 0;
  }
  return known;
}

/** Reads a pair of one round hole, one convex peg in it and planes; false when it is anything else
 or too far from conforming. */
INTERVOX_HD inline bool MakeCrescent(const LocalPair& pair, Crescent* x) {
  using geometry::SurfaceKind;
  if (pair.count != pair.planes + 2) return false;
  const int first = pair.surface[pair.planes].surface.side > 0 ? 1 : 0;
  const LocalSurface* const wall = &pair.surface[pair.planes + first];
  const LocalSurface* const peg = &pair.surface[pair.planes + 1 - first];
  const geometry::Surface& s = wall->surface;
  if (!ArePegAndWall(peg->surface, s)) return false;
  const bool cone = s.kind == SurfaceKind::kCone;
  const Vec3 centre = 0.5 * (pair.lower + pair.upper), half = 0.5 * (pair.upper - pair.lower);
  const Vec3 axis = s.R.Col(2);
  x->frame = s.R;
  x->o = cone ? s.o : s.o + Dot(centre - s.o, axis) * axis;
  x->radius = cone ? 0.0 : std::sqrt(-s.c / s.e.x);
  x->k = cone ? std::sqrt(-s.e.z / s.e.x) : 0.0;
  x->weight = wall->weight;
  x->peg_weight = peg->weight;
  const double middle = Dot(centre - x->o, axis), reach = Dot(Abs(axis), half);
  x->low = middle - reach;
  x->high = middle + reach;
  if (!cone && peg->surface.kind == SurfaceKind::kEllipsoid) NarrowToBall(peg->surface, x);
  if (!(x->low < x->high) || !(x->k <= kCrescentSlope) || !SetEnds(pair, x) || !(x->high < kFar))
    return false;
  // Near a cone's apex the slices are no longer thin.
  if (cone && !(x->low > 0.2 * x->high)) return false;
  return SetPeg(peg->surface, x);
}

}  // namespace intervox::cuda::internal::flux
