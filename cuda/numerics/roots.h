/** @file Roots of quadratics, and all roots of a quartic on an interval, found through the roots of
 its derivatives.

 A second-degree trigonometric polynomial is, times (1 + u²)², a quartic in the half-angle tangent
 u, so that five samples on an arc determine it and no coefficient is ever formed from small
 differences of large ones. Between neighbouring roots of the derivative a polynomial is monotone:
 no root is missed. */
#pragma once

#include <cmath>

#include "cuda/numerics/scalar.h"
#include "cuda/numerics/wide.h"

namespace intervox::cuda::internal {

/** The roots of αt² + 2βt + γ, ascending; `by_c` is the one that α = 0 leaves, γ/q. */
template <class S>
struct RootPair {
  S first, second, by_c;
};

/** The roots from that of the discriminant β² − αγ, without cancellation: q = −(β ± √), q/α and
 γ/q. Where α = 0 one of them is ±kFar. S is a double or a Wide. No branches: loops over lanes
 become vector instructions. */
template <class S>
INTERVOX_HD inline RootPair<S> QuadraticRoots(const S& alpha, const S& beta, const S& gamma,
                                              const S& root) {
  const S one = S{} + 1.0, infinite = S{} + kFar;
  const S q = -(beta + (beta > 0 ? root : -root));
  const S far = q > 0 ? infinite : -infinite;
  const S by_alpha = q / (alpha == 0 ? one : alpha), by_q = gamma / (q == 0 ? one : q);
  const S r0 = alpha == 0 ? far : by_alpha;
  const S r1 = q == 0 ? r0 : by_q;
  return {r0 < r1 ? r0 : r1, r0 < r1 ? r1 : r0, r1};
}

/** 1/ρ where the ray ρd leaves 2βρ + αρ² ≤ 1, inside which it begins; −1 when it never does. */
INTERVOX_HD inline double InverseExit(double beta, double alpha) {
  const double disc = beta * beta + alpha;
  return disc < 0 ? -1.0 : beta + std::sqrt(disc);
}

/** The value of Σ c_k x^k. */
INTERVOX_HD inline double Horner(const double* c, int degree, double x) {
  double v = c[degree];
  for (int k = degree - 1; k >= 0; --k) v = v * x + c[k];
  return v;
}

/** The root of a monotone polynomial between a and b, where its signs differ, to about `accuracy`:
 Newton's steps, kept in the bracket by bisection, until the next one would be that small. */
INTERVOX_HD inline double MonotoneRoot(const double* c, int degree, double a, double b,
                                       double value_a, double accuracy) {
  double x = 0.5 * (a + b), last = 0.0;
  for (int i = 0; i < 80; ++i) {
    double v = c[degree], slope = 0.0;
    for (int k = degree - 1; k >= 0; --k) {
      slope = slope * x + v;
      v = v * x + c[k];
    }
    ((v > 0) == (value_a > 0) ? a : b) = x;
    const double step = x - v / slope;
    const bool newton = step > a && step < b;
    const double next = newton ? step : 0.5 * (a + b);
    const double way = std::fabs(next - x);
    if (way <= accuracy || b - a <= accuracy) return next;
    // Steps s, s' are followed by one of about s' (s'/s)².
    if (newton && way * way * way <= accuracy * last * last) return next;
    last = newton ? way : 0.0;
    x = next;
  }
  return x;
}

/** The roots in (lo, hi) of a cubic Σ c_k x^k with a change of sign, ascending: at most 3. */
INTERVOX_HD inline int CubicRoots(const double* c, double lo, double hi, double* roots) {
  double knots[4];
  int count = 0;
  knots[count++] = lo;
  const double disc = c[2] * c[2] - 3 * c[1] * c[3];
  if (disc > 0) {
    const RootPair<double> r = QuadraticRoots(3 * c[3], c[2], c[1], std::sqrt(disc));
    if (r.first > lo && r.first < hi) knots[count++] = r.first;
    if (r.second > lo && r.second < hi) knots[count++] = r.second;
  }
  knots[count++] = hi;
  int n = 0;
  double value = Horner(c, 3, lo);
  for (int i = 0; i + 1 < count; ++i) {
    const double next = Horner(c, 3, knots[i + 1]);
    if ((value > 0) != (next > 0))
      roots[n++] = MonotoneRoot(c, 3, knots[i], knots[i + 1], value, 1e-11);
    value = next;
  }
  return n;
}

/** A quartic by its monomials in z = 4s − 2 and its inner Bernstein coefficients on [−2, 2], for
 its values p at s = 0, ¼, ½, ¾, 1. */
template <class S>
struct QuarticForms {
  S c[5];
  S b1, b2, b3;
};

/** The forms of the quartic with these values. */
template <class S>
INTERVOX_HD inline QuarticForms<S> FormsOf(const S* p) {
  // Even and odd parts apart.
  const S o1 = 0.5 * (p[3] - p[1]), o2 = 0.5 * (p[4] - p[0]);
  const S e1 = 0.5 * (p[3] + p[1]) - p[2], e2 = 0.5 * (p[4] + p[0]) - p[2];
  QuarticForms<S> q;
  S(&c)[5] = q.c;
  c[0] = p[2];
  c[3] = (o2 - 2 * o1) / 6;
  c[1] = o1 - c[3];
  c[4] = (e2 - 4 * e1) / 12;
  c[2] = e1 - c[4];
  const S a1 = 2 * c[1], a2 = 4 * c[2], a3 = 8 * c[3], a4 = 16 * c[4];
  q.b1 = c[0] - 0.5 * a1 + 0.5 * a3 - a4;
  q.b2 = c[0] - a2 / 3 + a4;
  q.b3 = c[0] + 0.5 * a1 - 0.5 * a3 - a4;
  return q;
}

/** How often the Bernstein coefficients of the quartic with the values p change their sign: no root
 where they do not, one root where they do once. */
template <class S>
INTERVOX_HD inline S SignChanges(const S* p, const QuarticForms<S>& q) {
  const S zero = {}, one = zero + 1.0;
  const S b[5] = {p[0], q.b1, q.b2, q.b3, p[4]};
  S before = b[0] > 0 ? one : zero, changes = zero;
  for (int k = 1; k < 5; ++k) {
    const S now = b[k] > 0 ? one : zero;
    changes += now == before ? zero : one;
    before = now;
  }
  return changes;
}

/** In each lane with one change of sign the root s in (0, 1) of the quartic with the values p; the
 steps, and so the bits, are MonotoneRoot's. */
template <class S>
INTERVOX_HD inline S OneRootOf(const S* p, const QuarticForms<S>& q, const S& changes) {
  constexpr double kAccuracy = 4e-16;
  const S zero = {}, one = zero + 1.0;
  S a = zero - 2.0, b = zero + 2.0, x = zero, last = zero, root = zero;
  S done = changes == 1 ? zero : one;
  for (int i = 0; i < 80 && Least(done) == 0; ++i) {
    S v = q.c[4], slope = zero;
    for (int k = 3; k >= 0; --k) {
      slope = slope * x + v;
      v = v * x + q.c[k];
    }
    const S up = v > 0 ? one : zero, up_a = p[0] > 0 ? one : zero;
    a = up == up_a ? x : a;
    b = up == up_a ? b : x;
    const S step = x - v / slope;
    const S above = step > a ? one : zero, newton = step < b ? above : zero;
    const S next = newton > 0 ? step : 0.5 * (a + b);
    const S way = Magnitude(next - x);
    const S near = way <= kAccuracy ? one : b - a <= kAccuracy ? one : zero;
    const S square = way * way * way <= kAccuracy * last * last ? newton : zero;
    root = done > 0 ? root : next;
    done = near + square > 0 ? one : done;
    last = newton > 0 ? way : zero;
    x = next;
  }
  return 0.25 * (root + 2.0);
}

/** Roots s in (0, 1) of the quartic that takes the values p at s = 0, ¼, ½, ¾, 1, ascending, and
 its extrema below `soft` times the largest sample. At most 7. */
INTERVOX_HD inline int QuarticRoots(const double* p, double soft, double* roots) {
  const QuarticForms<double> q = FormsOf(p);
  const double(&c)[5] = q.c;
  const double b1 = q.b1, b2 = q.b2, b3 = q.b3;
  // One sign means no root.
  if (p[0] > 0 && b1 > 0 && b2 > 0 && b3 > 0 && p[4] > 0) return 0;
  if (p[0] < 0 && b1 < 0 && b2 < 0 && b3 < 0 && p[4] < 0) return 0;
  if (soft == 0 && SignChanges(p, q) == 1) {
    roots[0] = 0.25 * (MonotoneRoot(c, 4, -2.0, 2.0, p[0], 4e-16) + 2.0);
    return 1;
  }
  double scale = 0.0;
  for (int k = 0; k < 5; ++k) scale = std::fabs(p[k]) > scale ? std::fabs(p[k]) : scale;
  const double slope[4] = {c[1], 2 * c[2], 3 * c[3], 4 * c[4]};
  double knots[4];
  const int count = CubicRoots(slope, -2.0, 2.0, knots);
  knots[count] = 2.0;
  int n = 0;
  double from = -2.0, value = p[0];
  for (int i = 0; i <= count; ++i) {
    const double next = i < count ? Horner(c, 4, knots[i]) : p[4];
    if ((value > 0) != (next > 0)) {
      roots[n++] = 0.25 * (MonotoneRoot(c, 4, from, knots[i], value, 4e-16) + 2.0);
    }
    if (i < count && std::fabs(next) < soft * scale) roots[n++] = 0.25 * (knots[i] + 2.0);
    from = knots[i];
    value = next;
  }
  return n;
}

}  // namespace intervox::cuda::internal
