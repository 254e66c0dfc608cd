/** @file Certified signs of curved surfaces over a convex polytope, and coincidence of surfaces. */
#pragma once

#include <cmath>

#include "cuda/numerics/scalar.h"
#include "cuda/surface/quadric.h"

namespace intervox::cuda {

namespace internal {

// x in the principal axes of the surface: y = Rᵀ(x − o).
INTERVOX_HD inline Vec3 ToPrincipal(const geometry::Surface& s, const Vec3& x) {
  return TransposeTimes(s.R, x - s.o);
}

INTERVOX_HD inline double QuadricLevel(const geometry::Surface& s, const Vec3& y) {
  return Dot(s.e, Scaled(y, y)) + 2 * Dot(s.l, y) + s.c;
}

INTERVOX_HD inline double TorusLevel(const geometry::Surface& s, const Vec3& y) {
  const double rho = std::sqrt(y.x * y.x + y.y * y.y) - s.e.x;
  return std::sqrt(rho * rho + y.z * y.z) - s.e.y;
}

// Convex level of the nappe y.z ≥ 0 of a cone; its sign agrees with f's there.
INTERVOX_HD inline double NappeLevel(const geometry::Surface& s, const Vec3& y) {
  return std::sqrt(s.e.x) * std::sqrt(y.x * y.x + y.y * y.y) - std::sqrt(-s.e.z) * y.z;
}

// Lower bound of a convex level over the polytope from its tangent plane at c.
template <class P>
INTERVOX_HD double TangentBound(const geometry::Surface& s, const Vec3& c, const P& polytope) {
  double f = 0;
  Vec3 g;
  if (s.kind == geometry::SurfaceKind::kCone) {
    const double rho = std::sqrt(c.x * c.x + c.y * c.y), k = std::sqrt(s.e.x);
    f = NappeLevel(s, c);
    g = rho > 0 ? Vec3{k * c.x / rho, k * c.y / rho, 0} : Vec3{};
    g.z = -std::sqrt(-s.e.z);
  } else {
    f = QuadricLevel(s, c);
    g = 2.0 * (Scaled(s.e, c) + s.l);
  }
  const Vec3 n = s.R * g;
  return f - Dot(g, c) - Dot(n, s.o) + polytope.Lowest(n);
}

INTERVOX_HD inline bool IsConvex(const geometry::Surface& s) {
  using geometry::SurfaceKind;
  return s.kind == SurfaceKind::kEllipsoid || s.kind == SurfaceKind::kCylinder ||
         s.kind == SurfaceKind::kCone ||
         (s.kind == SurfaceKind::kQuadric && s.e.x >= 0 && s.e.y >= 0 && s.e.z >= 0);
}

}  // namespace internal

/** −1 when f < 0 all over the polytope, +1 when f > 0 all over it, else 0 (or not proven).

 Convex levels are largest at a corner and lie above each tangent plane; other quadrics get the
 centred form with the exact quadratic remainder; a torus' level is a distance, so it is
 1-Lipschitz. */
template <class P>
INTERVOX_HD int SignOver(const geometry::Surface& s, const P& polytope) {
  using geometry::SurfaceKind;
  const bool convex = internal::IsConvex(s), cone = s.kind == SurfaceKind::kCone;
  Vec3 lower, upper, nearest;
  double highest = 0, lowest_corner = 0;
  for (int i = 0; i < polytope.corners(); ++i) {
    const Vec3 y = internal::ToPrincipal(s, polytope.Corner(i));
    lower = i == 0 ? y : Min(lower, y);
    upper = i == 0 ? y : Max(upper, y);
    if (!convex) continue;
    const double f = cone ? internal::NappeLevel(s, y) : internal::QuadricLevel(s, y);
    if (i == 0 || f > highest) highest = f;
    if (i == 0 || f < lowest_corner) {
      lowest_corner = f;
      nearest = y;
    }
  }
  const Vec3 middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower);
  if (s.kind == SurfaceKind::kTorus) {
    const double f = internal::TorusLevel(s, middle), reach = Norm(half);
    return f < -reach ? -1 : f > reach ? 1 : 0;
  }
  if (convex) {
    if (highest < 0) return -1;
    if (lowest_corner <= 0) return 0;
    if (internal::TangentBound(s, middle, polytope) > 0) return 1;
    return internal::TangentBound(s, nearest, polytope) > 0 ? 1 : 0;
  }
  const double f = internal::QuadricLevel(s, middle);
  const Vec3 slope = Abs(2.0 * (Scaled(s.e, middle) + s.l));
  const Vec3 square = Scaled(half, half);
  const double reach = Dot(slope, half);
  double below = 0, above = 0;
  for (int i = 0; i < 3; ++i) {
    const double r = s.e[i] * square[i];
    if (r < 0) below += r;
    if (r > 0) above += r;
  }
  return f + reach + above < 0 ? -1 : f - reach + below > 0 ? 1 : 0;
}

/** Whether two surfaces in one frame are the same: +1 with the same side, −1 with opposite sides,
 0 not the same. Levels may differ by `relative` times their largest term over `size` [m]. */
INTERVOX_HD inline int Coincidence(const geometry::Surface& a, const geometry::Surface& b,
                                   double relative, double size) {
  using geometry::SurfaceKind;
  if (a.kind != b.kind) return 0;
  const auto near = [](const Vec3& u, const Vec3& v, double tolerance) {
    const Vec3 d = Abs(u - v);
    return d.x <= tolerance && d.y <= tolerance && d.z <= tolerance;
  };
  const Vec3 reach_a = Abs(a.o), reach_b = Abs(b.o);
  const double reach = size + reach_a.x + reach_a.y + reach_a.z + reach_b.x + reach_b.y + reach_b.z;
  if (a.kind == SurfaceKind::kPlane) {
    const Vec3 n = a.R.Col(2), m = b.R.Col(2);
    const double sign = Dot(n, m) < 0 ? -1.0 : 1.0;
    const double d = Dot(n, a.o - b.o);
    if (!near(n, sign * m, 4 * relative) || d > relative * reach || d < -relative * reach) return 0;
    return a.side * b.side * (sign < 0 ? -1 : 1);
  }
  if (a.kind == SurfaceKind::kTorus) {
    const Vec3 n = a.R.Col(2), m = b.R.Col(2);
    const double sign = Dot(n, m) < 0 ? -1.0 : 1.0;
    if (!near(n, sign * m, 4 * relative) || !near(a.o, b.o, relative * reach) ||
        !near(a.e, b.e, relative * reach)) {
      return 0;
    }
    return a.side * b.side;
  }
  if (a.kind == SurfaceKind::kCone && Dot(a.R.Col(2), b.R.Col(2)) < 0) return 0;
  // Traces that differ by more than the nine elements may: the usual case.
  const double trace = a.e.x + a.e.y + a.e.z - (b.e.x + b.e.y + b.e.z);
  const Vec3 most = Max(Abs(a.e), Abs(b.e));
  if (std::fabs(trace) > 64 * relative * (most.x + most.y + most.z)) return 0;
  // By forms, which do not depend on how the axes were chosen.
  const QuadricForm f = MakeForm(a), g = MakeForm(b);
  const double largest = internal::Largest(most);
  const double t = relative * largest;
  for (int r = 0; r < 3; ++r) {
    if (!near(f.E.Row(r), g.E.Row(r), 8 * t)) return 0;
  }
  const double dk = f.c - g.c;
  if (!near(f.b, g.b, t * reach) || dk > t * reach * reach || dk < -t * reach * reach) return 0;
  return a.side * b.side;
}

}  // namespace intervox::cuda
