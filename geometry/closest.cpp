#include "geometry/closest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/surface_eval.h"

namespace intervox::geometry::internal {
namespace {

constexpr int kMaxSteps = 40;
constexpr double kConverged = 1e-14;  // of the size of the problem

/** v · H v, H the Hessian of f at x. */
double Curvature(const Surface& S, const Vec3& x, const Vec3& v) {
  if (S.kind == SurfaceKind::kPlane) return 0;
  if (S.kind == SurfaceKind::kTorus) {
    const double h = 1e-5 * S.e.y;
    return Dot(v, Gradient(S, x + h * v) - Gradient(S, x - h * v)) / (2 * h);
  }
  const Vec3 u = TransposeTimes(S.R, v);
  return 2 * Dot(Scaled(S.e, u), u);
}

/** A direction in the xy plane; x when the vector has none. */
Vec3 RadialDirection(const Vec3& y) {
  const double rho = std::sqrt(y.x * y.x + y.y * y.y);
  return rho > 0 ? Vec3{y.x / rho, y.y / rho, 0} : Vec3{1, 0, 0};
}

/** Newton's method for the stationary point of |y − q|² on Σ e y² + 2 l y + c = 0 from *y. */
bool StationaryOnQuadric(const Surface& S, const Vec3& q, Vec3* y) {
  double lambda = 0;
  Vec3 g = Scaled(S.e, *y) + S.l;
  if (SquaredNorm(g) > 0) lambda = Dot(q - *y, g) / SquaredNorm(g);
  for (int step = 0; step < kMaxSteps; ++step) {
    g = Scaled(S.e, *y) + S.l;
    const Vec3 r = *y - q + lambda * g;
    const double f = Dot(Scaled(S.e, *y), *y) + 2 * Dot(S.l, *y) + S.c;
    double gg = 0;
    double gr = 0;
    Vec3 d;
    for (int k = 0; k < 3; ++k) {
      d[k] = 1 + lambda * S.e[k];
      if (std::fabs(d[k]) < 1e-12) return false;
      gg += g[k] * g[k] / d[k];
      gr += g[k] * r[k] / d[k];
    }
    if (!(std::fabs(gg) > 0)) return false;
    const double d_lambda = (0.5 * f - gr) / gg;
    Vec3 change;
    for (int k = 0; k < 3; ++k) change[k] = -(r[k] + d_lambda * g[k]) / d[k];
    *y += change;
    lambda += d_lambda;
    if (!std::isfinite(Dot(*y, *y))) return false;
    if (Norm(change) < kConverged * (1 + Norm(*y))) return true;
  }
  return false;
}

/** What the closest point y of a quadric f = Σ e y² + 2 l y + c to q solves, f(q) > 0:
 y_k (1 + λ e_k) = q_k − λ l_k with λ ≥ 0 and all 1 + λ e_k ≥ 0. There f(y) falls with λ. */
struct SecularEquation {
  Vec3 e, l, q;
  double c = 0.0;
  Vec3 y;
  double f = 0.0;      ///< f(y)
  double slope = 0.0;  ///< df/dλ

  /** From the middle of an axis' terms, −l/e, or from 0. */
  double Middle(int k) const { return e[k] != 0.0 ? -l[k] / e[k] : 0.0; }
  double Apart(int k) const { return q[k] - Middle(k); }
  /** @param d  1 + λ e_k */
  void Evaluate(double lambda, const Vec3& d) {
    f = c;
    slope = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double from = e[k] != 0.0 ? Apart(k) / d[k] : q[k] - lambda * l[k];
      y[k] = Middle(k) + from;
      f += e[k] != 0.0 ? e[k] * from * from + l[k] * Middle(k) : 2.0 * l[k] * y[k];
      const double g = e[k] != 0.0 ? e[k] * from : l[k];
      slope -= 2.0 * g * g / d[k];
    }
  }
};

constexpr int kMostSecularSteps = 200;
constexpr double kLastBits = 4e-16;

/** Solves from y = q. Where no e_k is negative f is convex in λ: Newton's method comes to its root
 from below. */
bool SolveWithoutPole(SecularEquation* at) {
  double lambda = 0.0;
  for (int step = 0; step < kMostSecularSteps; ++step) {
    at->Evaluate(lambda, Vec3{1, 1, 1} + lambda * at->e);
    if (!(at->f > 0.0)) return true;
    if (!(at->slope < 0.0)) return false;  // f is positive everywhere
    const double change = -at->f / at->slope;
    if (change <= kLastBits * lambda) return true;
    lambda += change;
  }
  return std::isfinite(lambda);
}

/** The same before the pole of the lowest coefficient E < 0, found in t = 1 + λ E, which keeps its
 digits near the pole; f rises with t. */
bool SolveBeforePole(double E, SecularEquation* at) {
  const auto evaluate = [&](double t) {
    Vec3 d;
    for (int k = 0; k < 3; ++k) d[k] = (1.0 - at->e[k] / E) + at->e[k] / E * t;
    at->Evaluate((t - 1.0) / E, d);
  };
  double pole = 0.0;  // what the axes of the pole take off f at q
  int axis = 0;
  for (int k = 0; k < 3; ++k) {
    if (at->e[k] != E) continue;
    pole -= E * at->Apart(k) * at->Apart(k);
    axis = k;
  }
  // The other terms are no larger than at q, so f < 0 below this t.
  double low = std::sqrt(pole / (at->f + pole)), high = 1.0;
  if (!(low > 0.0)) {  // q lies where these axes have their middle: up to t = 0 they add nothing
    const Vec3 q = at->q;
    for (int k = 0; k < 3; ++k) {
      if (at->e[k] == E) at->q[k] = at->Middle(k);
    }
    low = std::numeric_limits<double>::min();
    evaluate(low);
    if (at->f >= 0.0) {
      at->y[axis] += std::copysign(std::sqrt(at->f / -E), q[axis] - at->Middle(axis));
      return true;
    }
  }
  double t = low;
  for (int step = 0; step < kMostSecularSteps; ++step) {
    evaluate(t);
    if (at->f == 0.0) return true;
    (at->f < 0.0 ? low : high) = t;
    double next = t - at->f * E / at->slope;
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    if (std::fabs(next - t) <= kLastBits * t) return true;
    t = next;
  }
  return true;
}

/** The globally closest point on a quadric. */
bool ClosestOnQuadric(const Surface& S, const Vec3& q, Vec3* y) {
  const double f = Dot(Scaled(S.e, q), q) + 2 * Dot(S.l, q) + S.c;
  const double side = f < 0.0 ? -1.0 : 1.0;
  SecularEquation equation{side * S.e, side * S.l, q, side * S.c, q, side * f};
  const double least = std::min({equation.e.x, equation.e.y, equation.e.z});
  if (f != 0.0 &&
      !(least < 0.0 ? SolveBeforePole(least, &equation) : SolveWithoutPole(&equation))) {
    return false;
  }
  *y = equation.y;
  return true;
}

}  // namespace

ClosestPoints ClosestOnSurface(const Surface& S, const Vec3& p) {
  const Vec3 y = TransposeTimes(S.R, p - S.o);
  ClosestPoints out;
  const auto add = [&](const Vec3& v) {
    if (out.count < static_cast<int>(out.x.size())) out.x[out.count++] = S.o + S.R * v;
  };
  switch (S.kind) {
    case SurfaceKind::kPlane:
      add({y.x, y.y, 0});
      return out;
    case SurfaceKind::kCylinder: {
      const double radius = std::sqrt(-S.c / S.e.x);
      add(radius * RadialDirection(y) + Vec3{0, 0, y.z});
      return out;
    }
    case SurfaceKind::kCone: {
      // In the half-plane (ρ, z) the generator is ρ = k z, z ≥ 0; the apex is the rest.
      const double k = std::sqrt(-S.e.z / S.e.x);
      const double rho = std::sqrt(y.x * y.x + y.y * y.y);
      const double z = std::max(0.0, (k * rho + y.z) / (1 + k * k));
      add(k * z * RadialDirection(y) + Vec3{0, 0, z});
      return out;
    }
    case SurfaceKind::kTorus: {
      const Vec3 u = RadialDirection(y);
      const Vec3 centre = S.e.x * u;
      const Vec3 d = y - centre;
      const double length = Norm(d);
      add(centre + S.e.y * (length > 0 ? d / length : u));
      // A cell may keep only the other side of the tube.
      add(-centre + S.e.y * Normalized(y + centre));
      return out;
    }
    default:
      break;
  }
  if (IsSphere(S)) {
    const double length = Norm(y);
    add(std::sqrt(-S.c / S.e.x) * (length > 0 ? y / length : Vec3{0, 0, 1}));
    return out;
  }
  Vec3 v;
  if (!ClosestOnQuadric(S, y, &v)) return out;
  add(v);
  for (int k = 0; k < 3; ++k) {
    // The stationary point on the other side of a plane of symmetry: cells may keep only that side.
    if (S.e[k] == 0) continue;
    Vec3 w = v;
    w[k] = -2 * S.l[k] / S.e[k] - v[k];
    if (StationaryOnQuadric(S, y, &w)) add(w);
  }
  return out;
}

bool ClosestOnCurve(const Surface& a, const Surface& b, const Vec3& p, Vec3* x) {
  const double size = 1e-3 + Norm(*x - p);
  for (int step = 0; step < kMaxSteps; ++step) {
    // Back to the curve by the shortest way, to first order.
    const Vec3 ga = Gradient(a, *x);
    const Vec3 gb = Gradient(b, *x);
    const double aa = SquaredNorm(ga), bb = SquaredNorm(gb), ab = Dot(ga, gb);
    const double det = aa * bb - ab * ab;
    if (!(det > 1e-16 * aa * bb)) return false;
    const double fa = Value(a, *x), fb = Value(b, *x);
    const Vec3 back = ((ab * fb - bb * fa) / det) * ga + ((ab * fa - aa * fb) / det) * gb;
    // Along the curve by Newton's method for |x − p|²; κ is the curve's curvature vector.
    const Vec3 t = Normalized(Cross(ga, gb));
    const double ka = -Curvature(a, *x, t), kb = -Curvature(b, *x, t);
    const Vec3 kappa = ((bb * ka - ab * kb) / det) * ga + ((aa * kb - ab * ka) / det) * gb;
    const double slope = Dot(*x + back - p, t);
    const double bend = 1 + Dot(*x - p, kappa);
    double along = bend > 0.1 ? -slope / bend : -slope;
    const double bound = 0.5 / (1e-12 + Norm(kappa));
    along = std::clamp(along, -bound, bound);
    *x += back + along * t;
    if (!std::isfinite(Dot(*x, *x))) return false;
    if (std::fabs(along) + Norm(back) < 1e-13 * size) return true;
  }
  return std::fabs(Value(a, *x)) + std::fabs(Value(b, *x)) < 1e-10 * size;
}

bool FindCorner(const Surface& a, const Surface& b, const Surface& c, Vec3* x) {
  double size = 1e-3;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Mat3 G{Gradient(a, *x), Gradient(b, *x), Gradient(c, *x)};
    const double scale = Norm(G.row0) * Norm(G.row1) * Norm(G.row2);
    if (!(std::fabs(Determinant(G)) > 1e-10 * scale)) return false;
    const Vec3 change = Inverse(G) * Vec3{Value(a, *x), Value(b, *x), Value(c, *x)};
    *x -= change;
    if (!std::isfinite(Dot(*x, *x))) return false;
    size = std::max(size, Norm(change));
    if (Norm(change) < 1e-13 * size) return true;
  }
  return false;
}

}  // namespace intervox::geometry::internal
