/** @file Exact intervals of a ray inside the kept side of one surface.

 Roots of quadrics come from a discriminant without cancellation about the ray's point nearest to
 the surface's origin; those of the torus from bracketing between the extrema of the quartic,
 polished on the torus' own equation. Only + − × ÷, fma and sqrt; no allocation. */
#pragma once

#include "geometry/surface_eval.h"

namespace intervox::geometry {

/** Up to three ascending disjoint ranges of the ray parameter. */
struct Intervals {
  double lo[3];
  double hi[3];
  int count = 0;
};

namespace internal {

/** "Beyond any scene": stands for infinity in ray parameters. */
inline constexpr double kFar = 1e300;

/** Ascending parameters at which the ray crosses f = 0. */
struct Crossings {
  double t[4];
  int count = 0;
  bool inside_first = false;  ///< f ≤ 0 before the first crossing
};

/** a b − c d with one rounding error of the result (Kahan). */
INTERVOX_HD inline double DifferenceOfProducts(double a, double b, double c, double d) {
  const double cd = c * d;
  const double error = std::fma(-c, d, cd);
  return std::fma(a, b, -cd) + error;
}

/** Roots of a t² + 2 b t + c, ascending, without cancellation. */
INTERVOX_HD inline Crossings QuadraticCrossings(double a, double b, double c) {
  Crossings r;
  if (a == 0) {
    r.inside_first = b > 0 || (b == 0 && c <= 0);
    if (b != 0) r.t[r.count++] = -0.5 * c / b;
    return r;
  }
  const double discriminant = DifferenceOfProducts(b, b, a, c);
  r.inside_first = a < 0;
  if (discriminant <= 0) return r;
  const double root = std::sqrt(discriminant);
  const double q = b >= 0 ? -(b + root) : root - b;
  const double t0 = q / a, t1 = c / q;
  r.t[0] = MinOf(t0, t1);
  r.t[1] = MaxOf(t0, t1);
  r.count = 2;
  return r;
}

/** The nappe z ≥ 0 of a circular cone: of the double cone's crossings those on that nappe. */
INTERVOX_HD inline Crossings ConeCrossings(const Surface& S, const Vec3& p, const Vec3& d) {
  const Vec3 ed = Scaled(S.e, d), ep = Scaled(S.e, p);
  const double a = Dot(ed, d);
  const Crossings all = QuadraticCrossings(a, Dot(ed, p), Dot(ep, p));
  Crossings r;
  if (a > 0) {  // outside, in, outside: all of it on one nappe
    const bool hit = all.count == 2 && p.z + 0.5 * (all.t[0] + all.t[1]) * d.z > 0;
    return hit ? all : r;
  }
  r.inside_first = d.z < 0;  // once inside, it stays inside where z grows
  if (a < 0) {               // one crossing on each nappe, both the apex when they coincide
    const bool second = all.count == 2 && d.z > 0;
    r.t[0] = all.count == 2 ? all.t[second ? 1 : 0] : -p.z / d.z;
    r.count = 1;
    return r;
  }
  const bool hit = all.count == 1 && all.inside_first == r.inside_first;  // along a generator
  return hit ? all : Crossings{};
}

/** The torus' equation along a ray in its frame, (ρ − R)² + z² − r², and its derivative. */
struct TorusAlongRay {
  Vec3 p;
  Vec3 d;
  double major;
  double minor;

  INTERVOX_HD double Value(double t) const {
    const Vec3 x = p + t * d;
    const double rho = Hypotenuse(x.x, x.y);
    return (rho - major) * (rho - major) + x.z * x.z - minor * minor;
  }
};

/** Signs of a polynomial's derivative pieces split [lo, hi]; a root of the continuous function g in
 a bracket with a sign change, by bisection and secants (Illinois). */
template <typename Function>
INTERVOX_HD double BracketedRoot(const Function& g, double lo, double hi, double g_lo,
                                 double g_hi) {
  int side = 0;
  for (int k = 0; k < 200; ++k) {
    const double width = hi - lo;
    double t = hi - g_hi * width / (g_hi - g_lo);
    if (k % 3 == 2 || !(t > lo && t < hi)) t = lo + 0.5 * width;
    if (!(t > lo && t < hi)) break;  // neighbouring numbers
    const double g_t = g(t);
    if (g_t == 0) return t;
    if ((g_t > 0) == (g_hi > 0)) {
      hi = t;
      g_hi = g_t;
      if (side == 1) g_lo *= 0.5;
      side = 1;
    } else {
      lo = t;
      g_lo = g_t;
      if (side == -1) g_hi *= 0.5;
      side = -1;
    }
  }
  return lo + 0.5 * (hi - lo);
}

/** Roots of g between its ascending extrema `cut`, with end values; appends to `roots`. */
template <typename Function>
INTERVOX_HD int RootsBetween(const Function& g, const double* cut, int cuts, double* roots) {
  int count = 0;
  double g_lo = g(cut[0]);
  for (int k = 0; k + 1 < cuts; ++k) {
    const double g_hi = g(cut[k + 1]);
    if ((g_lo > 0) != (g_hi > 0)) roots[count++] = BracketedRoot(g, cut[k], cut[k + 1], g_lo, g_hi);
    g_lo = g_hi;
  }
  return count;
}

/** Crossings with the torus. About the ray's point nearest to the centre the quartic has no cubic
 term; it is scaled so that the enclosing ball is |u| ≤ 1. */
INTERVOX_HD inline Crossings TorusCrossings(const Surface& S, const Vec3& p, const Vec3& d) {
  Crossings r;
  const double dd = SquaredNorm(d);
  const double nearest = -Dot(p, d) / dd;
  const Vec3 c = p + nearest * d;
  const double reach = S.e.x + S.e.y;
  const double room = reach * reach - SquaredNorm(c);
  if (!(room > 0)) return r;
  const double half = std::sqrt(room / dd);
  const Vec3 P = c / reach, D = (half / reach) * d;
  const double major = S.e.x / reach, minor = S.e.y / reach;
  const double DD = SquaredNorm(D);
  const double k = SquaredNorm(P) + major * major - minor * minor;
  const double m = 4 * major * major;
  // (DD u² + k)² − m((P_x + u D_x)² + (P_y + u D_y)²) = c4 u⁴ + c2 u² + c1 u + c0
  const double c4 = DD * DD;
  const double c2 = 2 * k * DD - m * (D.x * D.x + D.y * D.y);
  const double c1 = -2 * m * (P.x * D.x + P.y * D.y);
  double bends[4] = {-1.001, 0, 0, 0};
  int count = 1;
  const double square = -c2 / (6 * c4);
  if (square > 0) {
    const double u = std::sqrt(square);
    if (u < 1.001) {
      bends[count++] = -u;
      bends[count++] = u;
    }
  }
  bends[count++] = 1.001;
  const auto slope = [&](double u) { return (4 * c4 * u * u + 2 * c2) * u + c1; };
  double extrema[5];
  extrema[0] = -1.001;
  const int inner = RootsBetween(slope, bends, count, extrema + 1);
  extrema[1 + inner] = 1.001;
  const TorusAlongRay torus{P, D, major, minor};
  const auto value = [&](double u) { return torus.Value(u); };
  r.count = RootsBetween(value, extrema, inner + 2, r.t);
  for (int i = 0; i < r.count; ++i) r.t[i] = nearest + half * r.t[i];
  return r;
}

/** Crossings of the ray with f = 0. */
INTERVOX_HD inline Crossings CrossingsOf(const Surface& S, const Vec3& origin,
                                         const Vec3& direction) {
  const Vec3 d = TransposeTimes(S.R, direction);
  Vec3 p = TransposeTimes(S.R, origin - S.o);
  if (S.kind == SurfaceKind::kPlane) return QuadraticCrossings(0, 0.5 * d.z, p.z);
  if (S.kind == SurfaceKind::kTorus) return TorusCrossings(S, p, d);
  const double shift = -Dot(p, d) / SquaredNorm(d);  // near the surface the digits are kept
  p += shift * d;
  Crossings r;
  if (S.kind == SurfaceKind::kCone) {
    r = ConeCrossings(S, p, d);
  } else {
    const Vec3 ed = Scaled(S.e, d);
    r = QuadraticCrossings(Dot(ed, d), Dot(ed, p) + Dot(S.l, d),
                           Dot(Scaled(S.e, p), p) + 2 * Dot(S.l, p) + S.c);
  }
  for (int k = 0; k < r.count; ++k) r.t[k] += shift;
  return r;
}

}  // namespace internal

/** The parts of t_min ≤ t ≤ t_max, t_min < t_max, in which origin + t direction lies on the kept
 side of S: at most two, three for the complement of a torus. Parts of zero length are left out.
 @param direction  any finite length but 0. */
INTERVOX_HD inline Intervals RayIntervals(const Surface& S, const Vec3& origin,
                                          const Vec3& direction, double t_min, double t_max) {
  const internal::Crossings x = internal::CrossingsOf(S, origin, direction);
  Intervals r;
  bool inside = x.inside_first == (S.side > 0);
  double from = -internal::kFar;
  for (int k = 0; k <= x.count; ++k) {
    const double to = k < x.count ? x.t[k] : internal::kFar;
    if (inside) {
      const double lo = internal::MaxOf(from, t_min), hi = internal::MinOf(to, t_max);
      if (lo < hi && r.count < 3) {
        r.lo[r.count] = lo;
        r.hi[r.count] = hi;
        ++r.count;
      }
    }
    from = to;
    inside = !inside;
  }
  return r;
}

}  // namespace intervox::geometry
