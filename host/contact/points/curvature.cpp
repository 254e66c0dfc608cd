#include "host/contact/points/curvature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "geometry/surface_eval.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/** Share of a cell's size by which a witness point may lie beside its surfaces. */
constexpr double kOnSurface = 1e-7;
/** Squared sine between the normals of two surfaces below which they are one smooth face. */
constexpr double kSmooth = 1e-12;

/** ∇∇f of a torus: f is the distance from its centre circle, less a constant. */
Mat3 TorusHessian(const Surface& s, const Vec3& y) {
  const double rho = std::hypot(y.x, y.y), d = std::hypot(rho - s.e.x, y.z);
  if (!(rho > 0.0) || !(d > 0.0)) return Mat3::Zero();
  const Vec3 around{-y.y / rho, y.x / rho, 0.0};
  const double c = (rho - s.e.x) / d;
  const Vec3 g{c * y.x / rho, c * y.y / rho, y.z / d};
  const Mat3 ring = Outer(around, around);
  return (1.0 / d) * (Mat3::Identity() - Outer(g, g) - ring) + (c / rho) * ring;
}

/** ∇∇f in the surface's own axes. */
Mat3 LocalHessian(const Surface& s, const Vec3& y) {
  switch (s.kind) {
    case SurfaceKind::kPlane:
      return Mat3::Zero();
    case SurfaceKind::kTorus:
      return TorusHessian(s, y);
    default: {
      const double sign = s.kind == SurfaceKind::kCone && y.z < 0.0 ? -1.0 : 1.0;
      return {{2.0 * s.e.x, 0.0, 0.0}, {0.0, 2.0 * s.e.y, 0.0}, {0.0, 0.0, 2.0 * sign * s.e.z}};
    }
  }
}

/** The symmetric tensor of a bend across n, from its values in two orthogonal directions. */
Mat3 TensorOf(const Curvatures& c) {
  return c.k_1 * Outer(c.d_1, c.d_1) + c.k_2 * Outer(c.d_2, c.d_2);
}

/** Principal values and directions of a symmetric tensor across n. */
Curvatures PrincipalOf(const Mat3& W, const Vec3& n) {
  const Vec3 t = AnyOrthogonal(n), u = Cross(n, t);
  const double a = Dot(t, W * t), b = Dot(t, W * u), c = Dot(u, W * u);
  const double angle = 0.5 * std::atan2(2.0 * b, a - c);
  const double mean = 0.5 * (a + c), apart = std::hypot(0.5 * (a - c), b);
  Curvatures out{mean + apart, mean - apart, std::cos(angle) * t + std::sin(angle) * u, {}};
  out.d_2 = Cross(n, out.d_1);
  return out;
}

Curvatures SharpAt(const Vec3& n) {
  const Vec3 t = AnyOrthogonal(n);
  return {kInfinite, kInfinite, t, Cross(n, t)};
}

/** Of the edge of two surfaces. The curve's bend b is across it and has b·n_k = −κ_k with the
 normals n_k of the two and their curvatures κ_k along the edge. */
Curvatures EdgeOf(const Surface& first, const Surface& second, const Vec3& p, const Vec3& n) {
  const Vec3 n_1 = OutwardNormal(first, p), n_2 = OutwardNormal(second, p);
  const Vec3 across = Cross(n_1, n_2);
  const double square = SquaredNorm(across);
  const Vec3 t = across / std::sqrt(square);
  const double c_1 = -Dot(t, TensorOf(CurvaturesOf(first, p)) * t);
  const double c_2 = -Dot(t, TensorOf(CurvaturesOf(second, p)) * t);
  const double dot = Dot(n_1, n_2);
  const Vec3 bend = ((c_1 - dot * c_2) * n_1 + (c_2 - dot * c_1) * n_2) / square;
  // d_1 is across the edge and across n.
  return {kInfinite, -Dot(bend, n), Cross(t, n), t};
}

}  // namespace

Mat3 Hessian(const Surface& s, const Vec3& p) {
  return s.R * LocalHessian(s, TransposeTimes(s.R, p - s.o)) * Transpose(s.R);
}

Curvatures CurvaturesOf(const Surface& s, const Vec3& p) {
  const Vec3 gradient = geometry::Gradient(s, p);
  const double size = Norm(gradient);
  if (!(size > 0.0)) return SharpAt(s.R.Col(2));
  const Mat3 H = Hessian(s, p);
  const double side = s.side;
  return PrincipalOf((side / size) * H, (side / size) * gradient);
}

Curvatures CurvaturesOf(const Cell& cell, const Vec3& p, const Vec3& n) {
  const double room = kOnSurface * (cell.bounded ? Norm(cell.bounds.half) : 1.0);
  const Surface* found[2] = {nullptr, nullptr};
  const Surface* nearest = nullptr;
  for (const Surface& s : cell.surfaces) {
    if (s.cut) continue;
    const double off = std::fabs(geometry::Level(s, p));
    if (nearest == nullptr || off < std::fabs(geometry::Level(*nearest, p))) nearest = &s;
    if (off > room) continue;
    const Vec3 normal = OutwardNormal(s, p);
    if (SquaredNorm(normal) == 0.0) return SharpAt(n);
    if (found[0] == nullptr) {
      found[0] = &s;
    } else if (SquaredNorm(Cross(OutwardNormal(*found[0], p), normal)) > kSmooth) {
      if (found[1] != nullptr) return SharpAt(n);
      found[1] = &s;
    }
  }
  if (found[0] == nullptr) found[0] = nearest;
  if (found[0] == nullptr) return SharpAt(n);
  return found[1] == nullptr ? CurvaturesOf(*found[0], p) : EdgeOf(*found[0], *found[1], p, n);
}

Curvatures CurvaturesOf(std::span<const Cell> cells, const Pose& X_WB, const Vec3& p_W,
                        const Vec3& n_W) {
  const Vec3 p = TransposeTimes(X_WB.R, p_W - X_WB.p), n = TransposeTimes(X_WB.R, n_W);
  const Cell* nearest = nullptr;
  double least = kInfinite;
  for (const Cell& cell : cells) {
    double level = -kInfinite;
    for (const Surface& s : cell.surfaces) level = std::max(level, geometry::Level(s, p));
    if (nearest != nullptr && std::fabs(level) >= least) continue;
    least = std::fabs(level);
    nearest = &cell;
  }
  Curvatures c = nearest != nullptr ? CurvaturesOf(*nearest, p, n) : SharpAt(n);
  c.d_1 = X_WB.R * c.d_1;
  c.d_2 = X_WB.R * c.d_2;
  return c;
}

Curvatures RelativeCurvatures(const Curvatures& a, const Curvatures& b, const Vec3& n) {
  const bool sharp_a = std::isinf(a.k_1), sharp_b = std::isinf(b.k_1);
  if (std::isinf(a.k_2) || std::isinf(b.k_2)) return SharpAt(n);
  if (!sharp_a && !sharp_b) return PrincipalOf(TensorOf(a) + TensorOf(b), n);
  const Curvatures &edge = sharp_a ? a : b, &other = sharp_a ? b : a;
  if (sharp_a && sharp_b && SquaredNorm(Cross(a.d_2, b.d_2)) > kSmooth) return SharpAt(n);
  // Along the edge both bend; of two parallel edges only what is finite counts.
  const double along =
      edge.k_2 + (std::isinf(other.k_1) ? other.k_2 : Dot(edge.d_2, TensorOf(other) * edge.d_2));
  return {kInfinite, along, Cross(edge.d_2, n), edge.d_2};
}

Curvatures CurvaturesOfGap(const PairQuery& query, const PointContact& point) {
  const Curvatures a = CurvaturesOf({query.a, 1}, query.X_WA, point.p_WA, -point.n);
  const Curvatures b = CurvaturesOf({query.b, 1}, query.X_WB, point.p_WB, point.n);
  return RelativeCurvatures(a, b, point.n);
}

namespace {

/** The bend, in world axes, of a cell's only face that looks along n_W; none where there is not
 * one.
 */
std::optional<Mat3> BendOfFace(const Cell& cell, const Pose& X_WC, const Vec3& p_W,
                               const Vec3& n_W) {
  constexpr double kTowards = 0.9;  // cosine of 25°
  if (cell.grid.field) return std::nullopt;
  const Vec3 p = TransposeTimes(X_WC.R, p_W - X_WC.p), n = TransposeTimes(X_WC.R, n_W);
  const Surface* face = nullptr;
  for (const Surface& s : cell.surfaces) {
    if (s.cut) continue;
    const Vec3 gradient = s.side * geometry::Gradient(s, p);
    if (!(Dot(gradient, n) > kTowards * Norm(gradient))) continue;
    if (face != nullptr) return std::nullopt;
    face = &s;
  }
  if (face == nullptr) return std::nullopt;
  if (face->kind == SurfaceKind::kPlane) return Mat3::Zero();
  const Curvatures c = CurvaturesOf(*face, p);
  if (!std::isfinite(c.k_1)) return std::nullopt;
  return X_WC.R * TensorOf(c) * Transpose(X_WC.R);
}

}  // namespace

Curvatures CurvaturesOfFaces(const PairQuery& query, const Vec3& p_W, const Vec3& n) {
  const std::optional<Mat3> a = BendOfFace(*query.a, query.X_WA, p_W, -n);
  if (!a) return SharpAt(n);
  const std::optional<Mat3> b = BendOfFace(*query.b, query.X_WB, p_W, n);
  return b ? PrincipalOf(*a + *b, n) : SharpAt(n);
}

double HertzForm(double k_1, double k_2) {
  if (!(k_2 > 0.0) || !std::isfinite(k_1)) return 0.0;
  // The ratio k_2/k_1 falls from 1 to 0 while m = 1 − (b/a)² grows from 0 to 1.
  const double ratio = k_2 / k_1;
  double log_low = std::log(1e-14), log_high = 0.0;  // of (b/a)²
  const auto integrals = [](double square) {
    const double e = std::sqrt(1.0 - square);
    return std::pair(std::comp_ellint_1(e), std::comp_ellint_2(e));
  };
  const auto ratio_of = [&](double square) {
    const auto [K, E] = integrals(square);
    const double excess = E / square - K;
    return excess > 1e-9 * K ? (K - E) / excess : 1.0;
  };
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (log_low + log_high);
    (ratio_of(std::exp(middle)) < ratio ? log_low : log_high) = middle;
  }
  const double square = std::min(1.0, std::exp(0.5 * (log_low + log_high)));
  const auto [K, E] = integrals(square);
  return 2.0 * std::numbers::pi / 3.0 * std::sqrt(E / (square * 0.5 * (k_1 + k_2))) /
         std::pow(K, 1.5);
}

}  // namespace intervox::host::points
