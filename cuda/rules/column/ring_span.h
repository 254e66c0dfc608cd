/** @file Where along a torus Ω may be: a sector of it that supporting planes leave, and its box. */
#pragma once

#include "cuda/rules/clip/shrink.h"

namespace intervox::cuda::internal::column {

/** A half space n·x ≤ offset, in a torus' frame about its centre; unknown where n is zero. */
struct RingSupport {
  Vec3 n;
  double offset = 0;
};

/** The part of a torus between two half planes about its axis, at u = tan φ/2 from x. */
struct RingSpan {
  const geometry::Surface* torus = nullptr;  ///< null: nothing is known
  Mat3 R;                                    ///< the torus' frame, from L: its rows are x, y, z
  double lower = -1, upper = 1;
  double slack = 0;  ///< rounding of positions [m]
  bool empty = false;

  /** The middle of the tube at u, about the torus' centre in its frame. */
  INTERVOX_HD Vec3 At(double u) const {
    const double per = torus->e.x / (1 + u * u);
    return {(1 - u) * (1 + u) * per, 2 * u * per, 0.0};
  }
  /** Whether a point, in L, is between the half planes. */
  INTERVOX_HD bool Holds(const Vec3& p) const {
    const Vec3 y = R * (p - torus->o);
    const double u = y.y / (std::sqrt(y.x * y.x + y.y * y.y) + y.x);
    return u >= lower && u <= upper;
  }
  /** Leaves the u at which n·At(u) ≤ most, out to the first and the last of them. */
  INTERVOX_HD void Keep(const Vec3& n, double most) {
    const double x = torus->e.x * n.x, y = torus->e.x * n.y;
    empty = empty || !clip::SolveNegative(-x - most, y, x - most, &lower, &upper);
  }
};

/** The point of the quadric Σ e p² = m nearest to y outside of it, but for a scale: the gradient
 there. With p = y/(1 + t e) the sum S falls in t, and 1/√S is nearly linear. */
INTERVOX_HD inline Vec3 GradientNear(const Vec3& e, double m, const Vec3& y) {
  double t = 0;
  constexpr int kSteps = 12;
  for (int i = 0;; ++i) {
    const Vec3 per{1 / (1 + t * e.x), 1 / (1 + t * e.y), 1 / (1 + t * e.z)};
    const Vec3 g = Scaled(Scaled(e, y), per);
    const double S = Dot(g, Scaled(y, per)), slope = Dot(Scaled(g, g), per);
    constexpr double kEnough = 1e-12;
    if (i == kSteps || !(S > (1 + kEnough) * m) || !(slope > 0)) return g;
    t += S * (std::sqrt(S / m) - 1) / slope;
  }
}

/** (K10): a half space in which a surface's side lies, that is far from x where x is outside:
 bounded by the tangent plane nearest to x. n in L, the offset of x from it [m]. */
INTERVOX_HD inline RingSupport SupportNear(const geometry::Surface& s, const Vec3& x) {
  using geometry::SurfaceKind;
  if (s.side < 0) return {};
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  Vec3 n;
  double extent = 0;
  if (s.kind == SurfaceKind::kEllipsoid || s.kind == SurfaceKind::kCylinder) {
    if (!(Dot(y, Scaled(s.e, y)) > -s.c)) return {};
    const Vec3 g = GradientNear(s.e, -s.c, y);
    n = Normalized(g);
    const bool round = s.kind == SurfaceKind::kCylinder;
    const Vec3 square{n.x * n.x / s.e.x, n.y * n.y / s.e.y, round ? 0.0 : n.z * n.z / s.e.z};
    extent = std::sqrt(-s.c * (square.x + square.y + square.z));
  } else if (s.kind == SurfaceKind::kCone) {
    // Of a generator, or of the apex, below the cone that the normals make there.
    const double slope = std::sqrt(-s.e.z / s.e.x), rho = std::sqrt(y.x * y.x + y.y * y.y);
    if (!(rho > slope * y.z)) return {};
    const bool apex = slope * rho + y.z < 0;
    n = Normalized(apex ? y : Vec3{y.x / rho, y.y / rho, -slope});
  } else {
    return {};
  }
  return {s.R * n, Dot(n, y) - extent};
}

/** The torus with a tube outside of which nothing of Ω is; null where there is none. */
INTERVOX_HD inline const geometry::Surface* FindTube(const LocalPair& pair) {
  for (int i = pair.planes; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    if (s.kind == geometry::SurfaceKind::kTorus && s.side > 0 && s.e.x > s.e.y) return &s;
  }
  return nullptr;
}

/** Whether a plane contains the axis of the torus, as a side of a sector does. */
INTERVOX_HD inline bool IsSide(const geometry::Surface& plane, const geometry::Surface& torus) {
  constexpr double kAlong = 4e-15;
  const Vec3 n = plane.PlaneNormal(), apart = torus.o - plane.o;
  return std::fabs(Dot(n, torus.R.Col(2))) <= kAlong &&
         std::fabs(Dot(n, apart)) <= kAlong * (Norm(torus.o) + Norm(plane.o) + torus.e.x);
}

/** The half turn in which Ω lies, by the sides of a sector or by the pair's box. Unknown where
 there is none. */
INTERVOX_HD inline RingSpan HalfTurnOf(const LocalPair& pair) {
  RingSpan span;
  const geometry::Surface* torus = FindTube(pair);
  if (torus == nullptr) return span;
  const Vec3 axis = torus->R.Col(2);
  Vec3 middle;
  double reach = Norm(torus->o) + torus->e.x + torus->e.y;
  for (int i = 0; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    reach = std::fmax(reach, Norm(s.o));
    if (i < pair.planes && IsSide(s, *torus)) middle -= s.side * s.PlaneNormal();
  }
  const bool sector = SquaredNorm(middle) > 0.01;
  if (!sector) middle = 0.5 * (pair.lower + pair.upper) - torus->o;
  middle -= Dot(middle, axis) * axis;
  if (!(SquaredNorm(middle) > 0)) return span;
  const Vec3 x = Normalized(middle);
  const Vec3 half = 0.5 * (pair.upper - pair.lower);
  if (!sector && !(Dot(x, 0.5 * (pair.lower + pair.upper) - torus->o) > Dot(Abs(x), half))) {
    return span;
  }
  span.torus = torus;
  span.R = Transpose(Mat3::FromColumns(x, Cross(axis, x), axis));
  constexpr double kPositions = 32 * kPositionRounding;
  span.slack = kPositions * reach;
  return span;
}

/** The supporting plane that is farthest from a point in the middle of the tube, of all curved
 surfaces, in the torus' frame; n is zero where the point is outside of none. */
INTERVOX_HD inline RingSupport FarthestSupport(const LocalPair& pair, const RingSpan& span,
                                               double u) {
  const Vec3 at = span.At(u), x = span.torus->o + TransposeTimes(span.R, at);
  RingSupport best;
  double most = 0;
  for (int i = pair.planes; i < pair.count; ++i) {
    const RingSupport one = SupportNear(pair.surface[i].surface, x);
    if (!(one.offset > most)) continue;
    most = one.offset;
    best.n = span.R * one.n;
    best.offset = Dot(best.n, at) - one.offset;
  }
  return best;
}

/** Shortens a span from its ends by tangent planes nearest to them and to its middle, while that
 gains. */
INTERVOX_HD inline void Shorten(const LocalPair& pair, RingSpan* span) {
  constexpr int kRounds = 40;
  constexpr double kGain = 0.9;
  const double radius = span->torus->e.y + span->slack;
  for (int round = 0; round < kRounds && !span->empty; ++round) {
    const double before = span->upper - span->lower;
    for (int k = 0; k < 3 && !span->empty; ++k) {
      const double u = k == 0   ? 0.5 * (span->lower + span->upper)
                       : k == 1 ? span->lower
                                : span->upper;
      const RingSupport plane = FarthestSupport(pair, *span, u);
      if (SquaredNorm(plane.n) > 0) span->Keep(plane.n, plane.offset + radius);
    }
    if (span->upper - span->lower > kGain * before) break;
  }
}

/** (K10): the span of the tube that may hold a part of Ω. A torus is the sum of balls about the
 middle of its tube, and such a ball meets none of what is beyond a supporting plane that is farther
 than its radius. */
__attribute__((noinline)) INTERVOX_HD inline RingSpan FindSpan(const LocalPair& pair) {
  RingSpan span = HalfTurnOf(pair);
  if (span.torus == nullptr) return span;
  const double radius = span.torus->e.y + span.slack;
  for (int i = 0; i < pair.planes && !span.empty; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const Vec3 n_L = s.side * s.PlaneNormal(), n = span.R * n_L;
    const bool side = IsSide(s, *span.torus);
    span.Keep(n, side ? span.slack : Dot(n_L, s.o - span.torus->o) + radius);
  }
  const Vec3 lower = pair.lower - span.torus->o, upper = pair.upper - span.torus->o;
  for (int axis = 0; axis < 3 && !span.empty; ++axis) {
    Vec3 e;
    e[axis] = 1;
    span.Keep(span.R * e, upper[axis] + radius);
    span.Keep(span.R * -e, radius - lower[axis]);
  }
  Shorten(pair, &span);
  return span;
}

/** Most parts of a span. */
inline constexpr int kSpanParts = 4;

/** Parts of a span with nothing of Ω between them. */
struct SpanParts {
  RingSpan span;  ///< all of it, between the ends of the first and of the last part
  double lower[kSpanParts], upper[kSpanParts];
  int count = 0;

  /** One of the parts. */
  INTERVOX_HD RingSpan Part(int i) const {
    RingSpan part = span;
    part.lower = lower[i];
    part.upper = upper[i];
    return part;
  }
};

/** (K10): the parts of the span, divided where the ball in its middle meets nothing. A ring that
 fits around a body touches it in several places. None: Ω is empty, or there is no torus. */
__attribute__((noinline)) INTERVOX_HD inline SpanParts FindParts(const LocalPair& pair) {
  SpanParts parts;
  parts.span = FindSpan(pair);
  if (parts.span.torus == nullptr || parts.span.empty) return parts;
  const double radius = parts.span.torus->e.y + parts.span.slack;
  // Parts to the right of the one that is looked at, the leftmost on top.
  double lower[kSpanParts], upper[kSpanParts];
  int waiting = 1;
  lower[0] = parts.span.lower;
  upper[0] = parts.span.upper;
  while (waiting > 0) {
    RingSpan part = parts.span;
    part.lower = lower[--waiting];
    part.upper = upper[waiting];
    const double middle = 0.5 * (part.lower + part.upper);
    constexpr double kNarrow = 1e-3;
    if (parts.count + waiting + 2 <= kSpanParts && part.upper - part.lower > kNarrow) {
      const RingSupport plane = FarthestSupport(pair, part, middle);
      if (SquaredNorm(plane.n) > 0 && Dot(plane.n, part.At(middle)) > plane.offset + radius) {
        for (const bool right : {true, false}) {
          RingSpan half = part;
          (right ? half.lower : half.upper) = middle;
          Shorten(pair, &half);
          if (half.empty) continue;
          lower[waiting] = half.lower;
          upper[waiting++] = half.upper;
        }
        continue;
      }
    }
    parts.lower[parts.count] = part.lower;
    parts.upper[parts.count++] = part.upper;
  }
  if (parts.count > 0) {
    parts.span.lower = parts.lower[0];
    parts.span.upper = parts.upper[parts.count - 1];
  }
  parts.span.empty = parts.count == 0;
  return parts;
}

/** (K10): a box around the part of the tube in a span, thin along the normal of the tangent plane
 nearest to its middle. Not valid where the span is long; `empty` where nothing is left. */
__attribute__((noinline)) INTERVOX_HD inline clip::ClipBox BoxOnTube(const LocalPair& pair,
                                                                     const RingSpan& span,
                                                                     bool* empty) {
  clip::ClipBox box;
  *empty = false;
  // Sine and 1 − cosine of the angles from the middle of the span to its ends.
  const double u = 0.5 * (span.lower + span.upper), half = 0.5 * (span.upper - span.lower);
  constexpr double kWide = 0.25;
  if (!(half < kWide)) return box;
  const double t = 1.000001 * half / (1 - half * half), sine = 2 * t / (1 + t * t);
  const double less = 2 * t * t / (1 + t * t);
  const double R = span.torus->e.x, a = span.torus->e.y + span.slack;
  const Vec3 at = span.At(u), out = at / R, along{-out.y, out.x, 0.0};
  const RingSupport plane = FarthestSupport(pair, span, u);
  const bool cut = SquaredNorm(plane.n) > 0;
  const Vec3 n = cut ? plane.n : out;
  Vec3 way = along - Dot(along, n) * n;
  way = SquaredNorm(way) > 0.01 ? Normalized(way) : AnyOrthogonal(n);
  const Mat3 F = Mat3::FromColumns(way, Cross(n, way), n);
  Vec3 lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 w = F.Col(axis);
    const double inward = R * Dot(w, out) * less, turned = R * std::fabs(Dot(w, along)) * sine;
    lower[axis] = -turned - std::fmax(inward, 0.0);
    upper[axis] = turned + std::fmax(-inward, 0.0);
  }
  // Of a ball beyond the plane there is a cap left.
  const double beyond = cut ? plane.offset + span.slack - Dot(n, at) : upper.z + a;
  const double depth = beyond - lower.z + a;
  const double cap = depth < a ? std::sqrt(std::fmax(depth * (2 * a - depth), 0.0)) : a;
  const Vec3 wide{cap, cap, a};
  box.p = span.torus->o + TransposeTimes(span.R, at);
  box.F = Transpose(span.R) * F;
  box.lower = lower - wide - span.slack * Vec3{1, 1, 1};
  box.upper = upper + wide + span.slack * Vec3{1, 1, 1};
  box.upper.z = std::fmin(box.upper.z, beyond);
  box.valid = box.lower.z < box.upper.z && clip::TightenByPair(pair, &box);
  *empty = !box.valid;
  return box;
}

}  // namespace intervox::cuda::internal::column
