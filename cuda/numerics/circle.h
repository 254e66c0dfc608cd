/** @file Directions of a plane by half-angle tangents about the middles of four quadrants, and
 where levels change their sign around a circle.

 The middle of quadrant 0 is +x, that of quadrant 1 is +y. In a quadrant u ∈ [−kT, kT] stands for
 the direction (1 − u², 2u)/(1 + u²) from its middle, so that +, −, ×, ÷ and √ suffice. */
#pragma once

#include <cmath>

#include "cuda/numerics/roots.h"
#include "cuda/numerics/wide.h"

namespace intervox::cuda::internal {

/** tan(π/8): half-angle tangents of a quadrant about its middle lie in [−kT, kT]. */
inline constexpr double kT = 0.41421356237309504880;

/** A direction as its quadrant and the half-angle tangent from the quadrant's middle. */
struct QuadrantAngle {
  int quadrant = 0;
  double u = 0.0;
};

/** The angle of (x, y), which need not be a unit vector. */
INTERVOX_HD inline QuadrantAngle AngleOf(double x, double y) {
  const bool wide = std::fabs(x) >= std::fabs(y);
  const int quadrant = wide ? (x > 0 ? 0 : 2) : (y > 0 ? 1 : 3);
  const double c = wide ? std::fabs(x) : std::fabs(y);
  const double s = quadrant == 0 ? y : quadrant == 1 ? -x : quadrant == 2 ? -y : x;
  return {quadrant, s / (c + std::sqrt(c * c + s * s))};
}

/** Turns (x, y) by as many quarter turns. */
INTERVOX_HD constexpr void TurnByQuadrant(int quadrant, double* x, double* y) {
  const double a = *x, b = *y;
  *x = quadrant == 0 ? a : quadrant == 1 ? -b : quadrant == 2 ? -a : b;
  *y = quadrant == 0 ? b : quadrant == 1 ? a : quadrant == 2 ? -b : -a;
}

/** The unit vector (c, s) of an angle; returns 1/(1 + u²), half of dφ/du. */
INTERVOX_HD inline double DirectionOf(const QuadrantAngle& angle, double* c, double* s) {
  const double u = angle.u, ig = 1.0 / (1.0 + u * u);
  *c = (1.0 - u * u) * ig;
  *s = 2.0 * u * ig;
  TurnByQuadrant(angle.quadrant, c, s);
  return ig;
}

/** A trigonometric polynomial of second degree: cc c² + cs c s + ss s² + c c + s s + k of a unit
 vector (c, s). */
struct CircleLevel {
  double cc = 0.0, cs = 0.0, ss = 0.0, c = 0.0, s = 0.0, k = 0.0;
};

/** `scale` times the level (|y|² + R² − a²)² − 4 R² (|y|² − (n·y)²) of a torus with the unit axis n
 about the origin around the circle y = p + c u + s v, u and v orthogonal and as long as its radius.
 @param major  R
 @param minor  a */
INTERVOX_HD inline CircleLevel TorusAround(const Vec3& p, const Vec3& u, const Vec3& v,
                                           const Vec3& n, double major, double minor,
                                           double scale) {
  const double square = major * major, q = 4 * square, h0 = Dot(n, p);
  const double hc = Dot(n, u), hs = Dot(n, v), gc = 2 * Dot(p, u), gs = 2 * Dot(p, v);
  const double g0 = SquaredNorm(p) + SquaredNorm(u), k = g0 + square - minor * minor;
  return {scale * (gc * gc + q * hc * hc),
          2 * scale * (gc * gs + q * hc * hs),
          scale * (gs * gs + q * hs * hs),
          scale * (2 * k * gc - q * gc + 2 * q * h0 * hc),
          scale * (2 * k * gs - q * gs + 2 * q * h0 * hs),
          scale * (k * k - q * g0 + q * h0 * h0)};
}

/** Calls found(turn, c, s) for every change of sign around a circle, ascending: the direction, and
 the sum of its quadrant and its place in it, 0 to 1. Times (1 + u²)² the level is a quartic in each
 quadrant. */
template <class Found>
INTERVOX_HD inline void ForRootsAround(const CircleLevel& f, const Found& found) {
  constexpr int M = kNumbersAtOnce;
  using S = Wide<M>;
  double begin = 0.0, last = 0.0;
  for (int first = 0; first < 4; first += M) {
    // The same polynomial by the angle about each quadrant's middle.
    S gc = {}, gs = {}, gcc = {}, gss = {}, gcs = {};
    for (int k = 0; k < M; ++k) {
      const int quadrant = first + k;
      const bool odd = quadrant % 2 == 1;
      const double way = quadrant < 2 ? 1.0 : -1.0;
      SetLane(&gc, k, way * (odd ? f.s : f.c));
      SetLane(&gs, k, way * (odd ? -f.c : f.s));
      SetLane(&gcc, k, odd ? f.ss : f.cc);
      SetLane(&gss, k, odd ? f.cc : f.ss);
      SetLane(&gcs, k, odd ? -f.cs : f.cs);
    }
    S sample[5];
    for (int k = 0; k < 5; ++k) {
      const double u = kT * (0.5 * k - 1.0);
      const double w = 1.0 + u * u, c = 1.0 - u * u, s = 2.0 * u;
      sample[k] = w * (f.k * w + gc * c + gs * s) + c * (gcc * c + gcs * s) + gss * s * s;
    }
    for (int k = 0; k < M; ++k) {
      // Neighbours share an end, so that no root falls between them.
      if (first + k == 0) begin = Lane(sample[0], k);
      if (first + k > 0) SetLane(&sample[0], k, last);
      if (first + k == 3) SetLane(&sample[4], k, begin);
      last = Lane(sample[4], k);
    }
    const QuarticForms<S> forms = FormsOf(sample);
    const S changes = SignChanges(sample, forms), one_root = OneRootOf(sample, forms, changes);
    for (int k = 0; k < M; ++k) {
      const double count = Lane(changes, k);
      if (count == 0) continue;
      double root[8] = {Lane(one_root, k)};
      int n = 1;
      if (count > 1) {
        double own[5];
        for (int i = 0; i < 5; ++i) own[i] = Lane(sample[i], k);
        n = QuarticRoots(own, 0.0, root);
      }
      for (int i = 0; i < n; ++i) {
        double c, s;
        DirectionOf({first + k, (2.0 * root[i] - 1.0) * kT}, &c, &s);
        found(first + k + root[i], c, s);
      }
    }
  }
}

}  // namespace intervox::cuda::internal
