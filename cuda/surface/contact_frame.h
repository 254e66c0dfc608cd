/** @file The contact frame of two convex surfaces: deepest point, normal and an affine map that
 makes their overlap of order one in all directions. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/surface/quadric.h"

namespace intervox::cuda {

/** The point that minimises max(f_A, f_B), and the smallest ellipsoid of the pencil of A and B
 there.

 Every member f_λ = (1−λ) f_A + λ f_B, λ ∈ [0, 1], is negative on A ∩ B, and f_λ(x) = −depth +
 (x−p)ᵀH(x−p) about its own minimum, so {(x−p)ᵀH(x−p) ≤ depth} encloses the overlap. */
struct DeepestPoint {
  bool found = false;     ///< false: the pencil has no ellipsoid, or the search failed
  bool disjoint = false;  ///< proof that A ∩ B is empty
  double lambda = 0.0;    ///< weight of B; 0 or 1: the point is the centre of A or B
  Vec3 p;                 ///< in L [m]
  Mat3 H = Mat3::Zero();  ///< Hessian/2 of f_λ [1/m]
  Mat3 H_inverse = Mat3::Zero();
  double depth = 0.0;  ///< −f_λ(p) [m]
  double f_a = 0.0;    ///< f_A(p) [m]
  double f_b = 0.0;    ///< f_B(p) [m]
};

namespace internal {

/** H⁻¹ of a symmetric positive definite matrix; false when H is singular to rounding. */
INTERVOX_HD inline bool InvertPositive(const Mat3& H, Mat3* inverse) {
  const double det = Determinant(H);
  const double t = Trace(H);
  if (!(det > 1e-12 * t * t * t)) return false;
  *inverse = Inverse(H);
  return true;
}

/** Fills the members of the pencil at λ; false when H is singular. */
INTERVOX_HD inline bool AtPencil(const QuadricForm& a, const QuadricForm& b, double lambda,
                                 DeepestPoint* out) {
  out->lambda = lambda;
  out->H = (1 - lambda) * a.E + lambda * b.E;
  if (!InvertPositive(out->H, &out->H_inverse)) return false;
  out->p = -(out->H_inverse * ((1 - lambda) * a.b + lambda * b.b));
  out->f_a = a.Value(out->p);
  out->f_b = b.Value(out->p);
  out->depth = -((1 - lambda) * out->f_a + lambda * out->f_b);
  return true;
}

/** What rounding makes of f_A and f_B at p [m]: almost parallel cylinders have p far away. */
INTERVOX_HD inline double RoundingAt(const QuadricForm& a, const QuadricForm& b, const Vec3& p) {
  const double of_a = a.Rounding(p), of_b = b.Rounding(p);
  return of_a > of_b ? of_a : of_b;
}

/** The quadric A against the plane B: closed form along the conjugate diameter. */
INTERVOX_HD inline DeepestPoint DeepestOnPlane(const QuadricForm& a, const QuadricForm& plane) {
  DeepestPoint out;
  Mat3 inverse;
  if (!InvertPositive(a.E, &inverse)) return out;
  const Vec3 centre = -(inverse * a.b);
  const double c = a.Value(centre);
  const double d = plane.Value(centre);
  const Vec3 step = inverse * (2.0 * plane.b);
  const double kappa = 2 * Dot(plane.b, step);
  // On x = centre − μ step: f_A = c + μ²κ and f_B = d − μκ.
  double mu = 0;
  if (d > c) {
    const double q = (d - c) / kappa;
    mu = 2 * q / (1 + std::sqrt(1 + 4 * q));
  }
  out.lambda = 2 * mu / (1 + 2 * mu);
  out.p = centre - mu * step;
  out.f_a = a.Value(out.p);
  out.f_b = plane.Value(out.p);
  out.H = (1 - out.lambda) * a.E;
  out.H_inverse = (1 / (1 - out.lambda)) * inverse;
  out.depth = -((1 - out.lambda) * out.f_a + out.lambda * out.f_b);
  out.disjoint = out.depth <= 0;
  out.found = !out.disjoint;
  return out;
}

}  // namespace internal

/** Finds the deepest point of two convex forms; a plane must come second.

 Newton's method, kept in a bracket, on the dual: λ maximises min_x f_λ, whose derivative is f_B −
 f_A at the minimiser (the potential of Perram and Wertheim). Stops when f_A and f_B agree to a
 tenth, which is all that a centre of integration needs. Not found when the deepest point lies on
 the axis of a cylinder: then no member is an ellipsoid there. */
INTERVOX_HD inline DeepestPoint FindDeepest(const QuadricForm& a, const QuadricForm& b,
                                            bool b_is_plane) {
  if (b_is_plane) return internal::DeepestOnPlane(a, b);
  DeepestPoint out;
  double lo = 0, hi = 1, lambda = 0.5;
  bool lo_tried = false, hi_tried = false;
  const auto raise = [&](bool up) {
    (up ? lo : hi) = lambda;
    (up ? lo_tried : hi_tried) = true;
  };
  for (int i = 0; i < 60; ++i) {
    if (!internal::AtPencil(a, b, lambda, &out)) {
      // Near an end whose level has no ellipsoid, as a cylinder's: stay away from it.
      raise(lambda < 0.5);
      lambda = 0.5 * (lo + hi);
      continue;
    }
    if (out.depth <= 0) {
      out.disjoint = out.depth <= -internal::RoundingAt(a, b, out.p);
      return out;
    }
    const double slope_error = out.f_b - out.f_a;
    const double larger = out.f_b > out.f_a ? out.f_b : out.f_a;
    const bool at_end = (lambda == 0 && slope_error <= 0) || (lambda == 1 && slope_error >= 0);
    if (at_end || (larger < 0 && std::fabs(slope_error) <= -0.1 * larger)) {
      out.found = true;
      return out;
    }
    raise(slope_error > 0);
    const Vec3 d = b.HalfGradient(out.p) - a.HalfGradient(out.p);
    const double curvature = 2 * Dot(d, out.H_inverse * d);
    double next = curvature > 0 ? lambda + slope_error / curvature : 0.5 * (lo + hi);
    if (next <= lo) next = lo_tried ? 0.5 * (lo + lambda) : 0.0;
    if (next >= hi) next = hi_tried ? 0.5 * (hi + lambda) : 1.0;
    lambda = next;
  }
  return out;
}

/** Axes across the unit vector n in which the section of the enclosing ellipsoid by the plane
 through p is the unit circle. */
INTERVOX_HD inline void CircleAxes(const DeepestPoint& at, const Vec3& n, Vec3* c1, Vec3* c2) {
  const Vec3 t1 = AnyOrthogonal(n), h1 = at.H * t1;
  const double t1h = Dot(t1, h1);
  Vec3 t2 = Cross(n, t1);
  t2 -= Dot(t2, h1) / t1h * t1;
  *c1 = std::sqrt(at.depth / t1h) * t1;
  *c2 = std::sqrt(at.depth / Dot(t2, at.H * t2)) * t2;
}

/** True when f < 0 all over the ellipsoid that encloses the overlap: the surface is inactive.
 f ≤ f(p) + 2 √(depth · gᵀH⁻¹g) + depth · tr(H⁻¹E⁺), where the trace bounds the largest
 eigenvalue. */
INTERVOX_HD inline bool InsideEverywhere(const DeepestPoint& deepest, const QuadricForm& form) {
  const Vec3 g = form.HalfGradient(deepest.p);
  const Mat3 HE = deepest.H_inverse * form.E;
  double trace = Trace(HE);
  if (trace < 0) trace = 0;
  return form.Value(deepest.p) + 2 * std::sqrt(deepest.depth * Dot(g, deepest.H_inverse * g)) +
             deepest.depth * trace <
         0;
}

}  // namespace intervox::cuda
