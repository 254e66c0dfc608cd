/** @file Evaluators of one surface: value, gradient, certified bounds over a box, restriction.

 Everything here is plain arithmetic and sqrt, allocates nothing and runs on the device. The level
 function f is that of surface.h, except for the circular cone: only its nappe z ≥ 0 bounds a cell,
 so f = s(x² + y² − k² z|z|), which is C¹, equals the quadric on z ≥ 0 and is positive on z < 0. */
#pragma once

#include "geometry/surface.h"

namespace intervox::geometry {

/** Whether a surface is a sphere, kept on either side. */
INTERVOX_HD constexpr bool IsSphere(const Surface& s) {
  return s.kind == SurfaceKind::kEllipsoid && s.e.x == s.e.y && s.e.y == s.e.z;
}

/** A closed range lo ≤ f ≤ hi. */
struct Bounds {
  double lo = 0.0;
  double hi = 0.0;
};

/** What a box knows of a surface's kept side. */
enum class Restriction : std::uint8_t {
  kInside,   ///< the whole box is on the kept side
  kOutside,  ///< no point of the box is strictly on the kept side
  kActive,   ///< the bounds do not decide
};

namespace internal {

INTERVOX_HD constexpr double AbsOf(double v) { return v < 0 ? -v : v; }
INTERVOX_HD constexpr double MinOf(double a, double b) { return a < b ? a : b; }
INTERVOX_HD constexpr double MaxOf(double a, double b) { return a > b ? a : b; }
INTERVOX_HD constexpr Bounds Intersect(const Bounds& a, const Bounds& b) {
  return {MaxOf(a.lo, b.lo), MinOf(a.hi, b.hi)};
}

/** Rounding allowance per unit of magnitude of the terms that a bound adds up: 16 ulp. */
inline constexpr double kBoundSlack = 16 * 2.3e-16;

/** The exact range of a u² + 2 b u over |u| ≤ h. */
INTERVOX_HD constexpr Bounds QuadraticRange(double a, double b, double h) {
  const double square = a * h * h;
  const double linear = 2 * AbsOf(b) * h;
  Bounds r{square - linear, square + linear};
  if (AbsOf(b) < AbsOf(a) * h) {  // the vertex lies inside
    const double vertex = -b * b / a;
    r.lo = MinOf(r.lo, vertex);
    r.hi = MaxOf(r.hi, vertex);
  }
  return r;
}

/** Range of Σ e_k y_k² + 2 l_k y_k + c over y = y0 + M u, |u_i| ≤ half_i: the tighter of the
 centred form, whose quadratic remainder is exact along each axis, and of the box enclosing y. */
INTERVOX_HD inline Bounds QuadricRange(const Vec3& e, const Vec3& l, double c, const Vec3& y0,
                                       const Mat3& M, const Vec3& half) {
  const Vec3 b = Scaled(e, y0) + l;  // half the gradient in y
  const double f0 = Dot(Scaled(e, y0), y0) + 2 * Dot(l, y0) + c;
  const Vec3 b_u = TransposeTimes(M, b);
  Bounds centred{f0, f0};
  Bounds rotated{f0, f0};
  for (int i = 0; i < 3; ++i) {
    const Vec3 m = M.Col(i);
    const Bounds r = QuadraticRange(Dot(Scaled(e, m), m), b_u[i], half[i]);
    centred.lo += r.lo;
    centred.hi += r.hi;
    for (int j = i + 1; j < 3; ++j) {
      const double cross = 2 * AbsOf(Dot(Scaled(e, m), M.Col(j))) * half[i] * half[j];
      centred.lo -= cross;
      centred.hi += cross;
    }
    const double width = Dot(Abs(M.Row(i)), half);
    const Bounds q = QuadraticRange(e[i], b[i], width);
    rotated.lo += q.lo;
    rotated.hi += q.hi;
  }
  return Intersect(centred, rotated);
}

/** Magnitude of the terms of a quadric over a box, for the rounding allowance; `reach` bounds |y_k|
 and `position` the coordinates that were subtracted to get y. */
INTERVOX_HD constexpr double QuadricMagnitude(const Vec3& e, const Vec3& l, double c,
                                              const Vec3& reach, double position) {
  const Vec3 slope = Scaled(Abs(e), reach) + Abs(l);
  return Dot(slope, reach) + 2 * position * (slope.x + slope.y + slope.z) + AbsOf(c);
}

/** √(a²+b²). */
INTERVOX_HD inline double Hypotenuse(double a, double b) { return std::sqrt(a * a + b * b); }

/** The range of |v| for lo ≤ v ≤ hi. */
INTERVOX_HD constexpr Bounds AbsRange(double lo, double hi) {
  const double a = AbsOf(lo), b = AbsOf(hi);
  return {lo <= 0 && hi >= 0 ? 0.0 : MinOf(a, b), MaxOf(a, b)};
}

/** Range of the torus' level function: its interval extension in (ρ, z), its Lipschitz constant 1,
 and the centred form with the Hessian bound max(1/d, |1/d − R/(ρ d)|), d the distance to the
 centre circle. */
INTERVOX_HD inline Bounds TorusRange(double major, double minor, const Vec3& y0, const Mat3& M,
                                     const Vec3& half) {
  const Vec3 width{Dot(Abs(M.row0), half), Dot(Abs(M.row1), half), Dot(Abs(M.row2), half)};
  const double radius = Norm(half);
  const double rho0 = Hypotenuse(y0.x, y0.y);
  const double d0 = Hypotenuse(rho0 - major, y0.z);
  const Bounds ax = AbsRange(y0.x - width.x, y0.x + width.x);
  const Bounds ay = AbsRange(y0.y - width.y, y0.y + width.y);
  const Bounds rho = Intersect({Hypotenuse(ax.lo, ay.lo), Hypotenuse(ax.hi, ay.hi)},
                               {MaxOf(0, rho0 - radius), rho0 + radius});
  const Bounds ar = AbsRange(rho.lo - major, rho.hi - major);
  const Bounds az = AbsRange(y0.z - width.z, y0.z + width.z);
  Bounds d = Intersect({Hypotenuse(ar.lo, az.lo), Hypotenuse(ar.hi, az.hi)},
                       {MaxOf(0, d0 - radius), d0 + radius});
  if (d.lo > 0 && rho.lo > 0) {
    const double in_meridian = 1 / d.lo;
    const double around = MaxOf(AbsOf(rho.lo - major), AbsOf(rho.hi - major)) / (d.lo * rho.lo);
    const double remainder = 0.5 * MaxOf(in_meridian, around) * radius * radius;
    const double s = (rho0 - major) / (d0 * rho0);
    const Vec3 g_u = TransposeTimes(M, Vec3{s * y0.x, s * y0.y, y0.z / d0});
    const double linear = Dot(Abs(g_u), half);
    d = Intersect(d, {d0 - linear - remainder, d0 + linear + remainder});
  }
  return {d.lo - minor, d.hi - minor};
}

}  // namespace internal

/** The level function f(x) [m], x in the frame that holds S. Not multiplied by the side. */
INTERVOX_HD inline double Value(const Surface& S, const Vec3& x) {
  const Vec3 y = TransposeTimes(S.R, x - S.o);
  switch (S.kind) {
    case SurfaceKind::kPlane:
      return y.z;
    case SurfaceKind::kTorus:
      return internal::Hypotenuse(internal::Hypotenuse(y.x, y.y) - S.e.x, y.z) - S.e.y;
    case SurfaceKind::kCone:
      return S.e.x * y.x * y.x + S.e.y * y.y * y.y + S.e.z * y.z * internal::AbsOf(y.z);
    default:
      return Dot(Scaled(S.e, y), y) + 2 * Dot(S.l, y) + S.c;
  }
}

/** ∇f(x) [–], not multiplied by the side. On the torus' axis, where f has a crease, the radial part
 is 0; on its centre circle the gradient is 0. */
INTERVOX_HD inline Vec3 Gradient(const Surface& S, const Vec3& x) {
  const Vec3 y = TransposeTimes(S.R, x - S.o);
  switch (S.kind) {
    case SurfaceKind::kPlane:
      return S.R.Col(2);
    case SurfaceKind::kTorus: {
      const double rho = internal::Hypotenuse(y.x, y.y);
      const double d = internal::Hypotenuse(rho - S.e.x, y.z);
      if (!(d > 0)) return {};
      const double s = rho > 0 ? (rho - S.e.x) / (d * rho) : 0.0;
      return S.R * Vec3{s * y.x, s * y.y, y.z / d};
    }
    case SurfaceKind::kCone:
      return S.R * Vec3{2 * S.e.x * y.x, 2 * S.e.y * y.y, 2 * S.e.z * internal::AbsOf(y.z)};
    default:
      return S.R * (2 * (Scaled(S.e, y) + S.l));
  }
}

/** side · f(x): at most 0 exactly on the kept side. */
INTERVOX_HD inline double Level(const Surface& S, const Vec3& x) { return S.side * Value(S, x); }

/** The unit normal at x that points out of the kept side; x near the surface. Zero where the
 gradient vanishes (a cone's apex). */
INTERVOX_HD inline Vec3 OutwardNormal(const Surface& S, const Vec3& x) {
  const Vec3 g = Gradient(S, x);
  const double n = Norm(g);
  return n > 0 ? (S.side / n) * g : Vec3{};
}

/** Certified bounds of f over the oriented box of centre c, axes the columns of R_box and finite
 half extents; f is not multiplied by the side. Rounding is allowed for. Error: of the order of the
 box' size squared times the curvature. */
INTERVOX_HD inline Bounds BoundsOverBox(const Surface& S, const Vec3& c, const Mat3& R_box,
                                        const Vec3& half) {
  using internal::AbsOf;
  const Mat3 M = Transpose(S.R) * R_box;
  const Vec3 y0 = TransposeTimes(S.R, c - S.o);
  const Vec3 ac = Abs(c), ao = Abs(S.o);
  const double position = ac.x + ac.y + ac.z + ao.x + ao.y + ao.z;
  Bounds f;
  double magnitude = 0;
  if (S.kind == SurfaceKind::kPlane) {
    const double width = Dot(Abs(M.row2), half);
    f = {y0.z - width, y0.z + width};
    magnitude = position + width;
  } else if (S.kind == SurfaceKind::kTorus) {
    f = internal::TorusRange(S.e.x, S.e.y, y0, M, half);
    magnitude = position + half.x + half.y + half.z + S.e.x + S.e.y;
  } else {
    const Vec3 width{Dot(Abs(M.row0), half), Dot(Abs(M.row1), half), Dot(Abs(M.row2), half)};
    magnitude = internal::QuadricMagnitude(S.e, S.l, S.c, Abs(y0) + width, position);
    const double z_lo = y0.z - width.z, z_hi = y0.z + width.z;
    if (S.kind != SurfaceKind::kCone || z_lo >= 0) {
      f = internal::QuadricRange(S.e, S.l, S.c, y0, M, half);
    } else if (z_hi <= 0) {
      f = internal::QuadricRange({S.e.x, S.e.y, -S.e.z}, S.l, S.c, y0, M, half);
    } else {
      f = internal::QuadricRange({S.e.x, S.e.y, 0}, S.l, S.c, y0, M, half);
      f.lo += S.e.z * z_hi * AbsOf(z_hi);  // e_z < 0 and z|z| ascends
      f.hi += S.e.z * z_lo * AbsOf(z_lo);
    }
  }
  const double slack = internal::kBoundSlack * magnitude;
  return {f.lo - slack, f.hi + slack};
}

/** Certified bounds of f over the axis-aligned box of centre c and finite half extents. */
INTERVOX_HD inline Bounds BoundsOverBox(const Surface& S, const Vec3& c, const Vec3& half) {
  return BoundsOverBox(S, c, Mat3::Identity(), half);
}

/** Restricts a surface to an oriented box: whether its kept side holds all of it, none of it, or
 the bounds do not decide. */
INTERVOX_HD inline Restriction Restrict(const Surface& S, const Vec3& c, const Mat3& R_box,
                                        const Vec3& half) {
  const Bounds f = BoundsOverBox(S, c, R_box, half);
  const double lo = S.side > 0 ? f.lo : -f.hi;
  const double hi = S.side > 0 ? f.hi : -f.lo;
  return hi <= 0 ? Restriction::kInside : lo >= 0 ? Restriction::kOutside : Restriction::kActive;
}

}  // namespace intervox::geometry
