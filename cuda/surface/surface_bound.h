/** @file Certified signs of curved surfaces over a convex polytope, and coincidence of surfaces. */
#pragma once

#include <cmath>

#include "cuda/numerics/scalar.h"
#include "cuda/numerics/wide.h"
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

// The level of a convex surface, of a cone that of its nappe, and its gradient.
INTERVOX_HD inline double ConvexLevel(const geometry::Surface& s, const Vec3& y) {
  return s.kind == geometry::SurfaceKind::kCone ? NappeLevel(s, y) : QuadricLevel(s, y);
}
INTERVOX_HD inline Vec3 ConvexGradient(const geometry::Surface& s, const Vec3& y) {
  if (s.kind != geometry::SurfaceKind::kCone) return 2.0 * (Scaled(s.e, y) + s.l);
  const double rho = std::sqrt(y.x * y.x + y.y * y.y), k = std::sqrt(s.e.x);
  const Vec3 across = rho > 0 ? Vec3{k * y.x / rho, k * y.y / rho, 0.0} : Vec3{};
  return {across.x, across.y, -std::sqrt(-s.e.z)};
}

// What a convex surface's level is over the polytope's corners, a cone's that of its nappe, and the
// box around them in its principal axes.
struct CornerLevels {
  double lowest, highest;
  int at_lowest;  ///< the first corner of the lowest level
  Vec3 lower, upper;
};

// Without the level of surfaces that are not convex.
template <class P>
INTERVOX_HD CornerLevels LevelsOver(const geometry::Surface& s, bool convex, const P& polytope) {
  using S = Wide<kNumbersAtOnce>;
  const bool cone = s.kind == geometry::SurfaceKind::kCone;
  const Mat3& R = s.R;
  const double radial = cone ? std::sqrt(s.e.x) : 0.0, axial = cone ? std::sqrt(-s.e.z) : 0.0;
  const S zero = {};
  S lowest = zero + INFINITY, highest = zero - INFINITY, at_lowest = zero, index = zero, p[3];
  S low[3] = {lowest, lowest, lowest}, high[3] = {highest, highest, highest};
  for (int k = 0; k < kNumbersAtOnce; ++k) SetLane(&index, k, k);
  for (int i = 0; i < polytope.corners(); i += kNumbersAtOnce) {
    polytope.template CornersAt<kNumbersAtOnce>(i, p);
    // No number where there is no corner, which nothing below takes.
    const S u = p[0] - s.o.x, v = p[1] - s.o.y, w = p[2] - s.o.z;
    const S y[3] = {u * R.row0.x + v * R.row1.x + w * R.row2.x,
                    u * R.row0.y + v * R.row1.y + w * R.row2.y,
                    u * R.row0.z + v * R.row1.z + w * R.row2.z};
    for (int k = 0; k < 3; ++k) {
      low[k] = Smaller(y[k], low[k]);
      high[k] = Larger(y[k], high[k]);
    }
    if (convex) {
      const S f = cone ? radial * Root(y[0] * y[0] + y[1] * y[1]) - axial * y[2]
                       : y[0] * (s.e.x * y[0] + 2 * s.l.x) + y[1] * (s.e.y * y[1] + 2 * s.l.y) +
                             y[2] * (s.e.z * y[2] + 2 * s.l.z) + s.c;
      at_lowest = f < lowest ? index : at_lowest;
      lowest = Smaller(f, lowest);
      highest = Larger(f, highest);
    }
    index += kNumbersAtOnce;
  }
  CornerLevels out{Least(lowest),
                   Most(highest),
                   0,
                   {Least(low[0]), Least(low[1]), Least(low[2])},
                   {Most(high[0]), Most(high[1]), Most(high[2])}};
  double first = INFINITY;
  for (int k = 0; k < kNumbersAtOnce; ++k) {
    if (Lane(lowest, k) == out.lowest) first = std::fmin(first, Lane(at_lowest, k));
  }
  if (first < INFINITY) out.at_lowest = static_cast<int>(first);
  return out;
}

// Lower bound of a convex level over the polytope from its tangent plane at c.
template <class P>
INTERVOX_HD double TangentBound(const geometry::Surface& s, const Vec3& c, const P& polytope) {
  const Vec3 g = ConvexGradient(s, c), n = s.R * g;
  return ConvexLevel(s, c) - Dot(g, c) - Dot(n, s.o) + polytope.Lowest(n);
}

INTERVOX_HD inline bool IsRuled(const geometry::Surface& s) {
  return s.kind == geometry::SurfaceKind::kCylinder || s.kind == geometry::SurfaceKind::kCone;
}

// Whether flux's columns know the two as a convex peg and the wall of a round hole.
INTERVOX_HD inline bool ArePegAndWall(const geometry::Surface& peg, const geometry::Surface& wall) {
  return wall.side < 0 && peg.side > 0 && IsRuled(wall) &&
         (IsRuled(peg) || peg.kind == geometry::SurfaceKind::kEllipsoid);
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
  const bool convex = internal::IsConvex(s);
  const internal::CornerLevels at = internal::LevelsOver(s, convex, polytope);
  if (convex && at.highest < 0) return -1;
  if (convex && at.lowest <= 0) return 0;
  // Plus zero: of two zeros either sign may be found first.
  const Vec3 zero;
  const Vec3 middle = 0.5 * (at.lower + at.upper) + zero, half = 0.5 * (at.upper - at.lower);
  if (s.kind == SurfaceKind::kTorus) {
    const double f = internal::TorusLevel(s, middle), reach = Norm(half);
    return f < -reach ? -1 : f > reach ? 1 : 0;
  }
  if (convex) {
    if (internal::TangentBound(s, middle, polytope) > 0) return 1;
    const Vec3 nearest = internal::ToPrincipal(s, polytope.Corner(at.at_lowest));
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
  const auto reach_of = [&] {
    const Vec3 reach_a = Abs(a.o), reach_b = Abs(b.o);
    return size + reach_a.x + reach_a.y + reach_a.z + reach_b.x + reach_b.y + reach_b.z;
  };
  if (a.kind == SurfaceKind::kPlane || a.kind == SurfaceKind::kTorus) {
    const Vec3 n = a.R.Col(2), m = b.R.Col(2);
    const double sign = Dot(n, m) < 0 ? -1.0 : 1.0;
    if (!near(n, sign * m, 4 * relative)) return 0;
    const double d = Dot(n, a.o - b.o), most = relative * reach_of();
    if (a.kind == SurfaceKind::kTorus) {
      return near(a.o, b.o, most) && near(a.e, b.e, most) ? a.side * b.side : 0;
    }
    if (d > most || d < -most) return 0;
    return a.side * b.side * (sign < 0 ? -1 : 1);
  }
  const double reach = reach_of();
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
