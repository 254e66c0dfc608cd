/** @file Numbers that carry their derivatives with respect to what a friction law sees of the
 motion, so that a law's file is its equations and the solver has exact slopes. */
#pragma once

#include <cmath>

namespace intervox::host {

/** Four derivatives, computed with together. */
using Slopes [[gnu::vector_size(32)]] = double;

/** A value and its derivatives with respect to (v_t1, v_t2, w, f_n): the tangential velocity at the
 centroid, w = r_gyr ω_n, and the normal force. */
struct Dual {
  double v = 0.0;           ///< value
  Slopes d = {0, 0, 0, 0};  ///< derivatives

  Dual() = default;
  /** A constant. */
  Dual(double value) : v(value) {}  // NOLINT(google-explicit-constructor): formulas mix the two
  /** The independent variable number i. */
  static Dual Variable(double value, int i) {
    Dual x(value);
    x.d[i] = 1.0;
    return x;
  }
};

/** a + b. */
inline Dual operator+(const Dual& a, const Dual& b) {
  Dual r(a.v + b.v);
  r.d = a.d + b.d;
  return r;
}
/** a − b. */
inline Dual operator-(const Dual& a, const Dual& b) {
  Dual r(a.v - b.v);
  r.d = a.d - b.d;
  return r;
}
/** a b. */
inline Dual operator*(const Dual& a, const Dual& b) {
  Dual r(a.v * b.v);
  r.d = a.d * b.v + a.v * b.d;
  return r;
}
/** a b. */
inline Dual operator*(double a, const Dual& b) {
  Dual r(a * b.v);
  r.d = a * b.d;
  return r;
}
/** a / b. */
inline Dual operator/(const Dual& a, const Dual& b) {
  const double inverse = 1.0 / b.v;
  Dual r(a.v * inverse);
  r.d = (a.d - r.v * b.d) * inverse;
  return r;
}
/** max(a, b). */
inline Dual Max(const Dual& a, double b) { return a.v > b ? a : Dual(b); }

/** A vector in the contact plane. */
struct Dual2 {
  Dual x;
  Dual y;
};

/** a + b. */
inline Dual2 operator+(const Dual2& a, const Dual2& b) { return {a.x + b.x, a.y + b.y}; }
/** s a. */
inline Dual2 operator*(const Dual& s, const Dual2& a) { return {s * a.x, s * a.y}; }
/** s a. */
inline Dual2 operator*(double s, const Dual2& a) { return {s * a.x, s * a.y}; }

/** √(a² + b²); the derivative at 0 is taken as 0. */
inline Dual Hypot(const Dual& a, const Dual& b) {
  Dual r(std::sqrt(a.v * a.v + b.v * b.v));
  if (r.v > 0.0) {
    const double s = 1.0 / r.v;
    r.d = (a.v * a.d + b.v * b.d) * s;
  }
  return r;
}
/** |a|. */
inline Dual Norm(const Dual2& a) { return Hypot(a.x, a.y); }
/** |a|. */
inline Dual Norm(const Dual& a) { return a.v < 0.0 ? -1.0 * a : a; }

/** dir_ε: u/|u| beyond ε, (u/ε)(3/2 − |u|²/(2ε²)) below, which is C¹. */
template <class V>
V Direction(const V& u, double epsilon) {
  const Dual r = Norm(u);
  if (r.v >= epsilon) return (Dual(1.0) / r) * u;
  const double inverse = 1.0 / epsilon;
  return (inverse * (Dual(1.5) - (0.5 * inverse * inverse) * (r * r))) * u;
}

/** sat: u, shortened to length `limit` ≥ 0 where it is longer. */
template <class V>
V Saturate(const V& u, const Dual& limit) {
  const Dual r = Norm(u);
  return r.v > limit.v ? (limit / r) * u : u;
}

}  // namespace intervox::host
