/** @file Surfaces in a mapped frame: levels, slopes and certified bounds over cells. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/surface/quadric.h"
#include "geometry/surface_eval.h"

namespace intervox::cuda::internal {

/** A surface in the mapped frame, x = p + F y, turned so that Ω has g ≤ 0. */
struct MappedSurface : MappedQuadric {
  geometry::SurfaceKind kind = geometry::SurfaceKind::kPlane;
  double weight = 0;
  double sign = 1;   ///< the side
  double slack = 0;  ///< rounding of g
  // Torus and cone: principal coordinates are origin + M y.
  Vec3 origin;
  Mat3 M;
  Vec3 e;
  Vec3 length;     ///< of M's columns
  Mat3 direction;  ///< M's columns, normalised
};

/** g and its gradient at a point. */
struct LevelAndSlope {
  double value = 0;
  Vec3 gradient;
};

/** Maps a surface of L. */
INTERVOX_HD inline MappedSurface MapSurface(const LocalSurface& local, const Vec3& p,
                                            const Mat3& F) {
  const geometry::Surface& s = local.surface;
  MappedSurface out;
  out.kind = s.kind;
  out.weight = local.weight;
  out.sign = s.side;
  out.e = s.e;
  const bool torus = s.kind == geometry::SurfaceKind::kTorus;
  if (torus || s.kind == geometry::SurfaceKind::kCone) {
    out.origin = TransposeTimes(s.R, p - s.o);
    out.M = Transpose(s.R) * F;
    const Vec3 m0 = out.M.Col(0), m1 = out.M.Col(1), m2 = out.M.Col(2);
    out.length = {Norm(m0), Norm(m1), Norm(m2)};
    out.direction = Mat3::FromColumns(m0 / out.length.x, m1 / out.length.y, m2 / out.length.z);
  }
  const Vec3 reach = Abs(s.o) + Abs(p);
  if (torus) {
    out.slack = kMappedRounding * (reach.x + reach.y + reach.z + s.e.x);
    return out;
  }
  const QuadricForm form = MakeForm(s);
  static_cast<MappedQuadric&>(out) = Mapped(form, p, F, form.Value(p), out.sign);
  out.slack = kMappedRounding * (form.size + std::fabs(out.c) + reach.x + reach.y + reach.z);
  return out;
}

/** Half of the quadric part's gradient, whose terms are added to b one by one. */
INTERVOX_HD inline Vec3 HalfGradient(const MappedSurface& s, const Vec3& y) {
  const Vec3 &d = s.E.diag, &o = s.E.off;
  return {s.b.x + d.x * y.x + o.x * y.y + o.y * y.z, s.b.y + o.x * y.x + d.y * y.y + o.z * y.z,
          s.b.z + o.y * y.x + o.z * y.y + d.z * y.z};
}

/** The quadric part's change on the side z < 0 of a cone, where z|z| replaces z². */
INTERVOX_HD inline double NappeTurn(const MappedSurface& s, double z) {
  return s.kind == geometry::SurfaceKind::kCone && z < 0 ? -2 * s.sign * s.e.z : 0.0;
}

/** g and ∇g at y. */
INTERVOX_HD inline LevelAndSlope Evaluate(const MappedSurface& s, const Vec3& y) {
  if (s.kind == geometry::SurfaceKind::kTorus) {
    const Vec3 x = s.origin + s.M * y;
    const double rho = std::sqrt(x.x * x.x + x.y * x.y);
    const double d = std::sqrt((rho - s.e.x) * (rho - s.e.x) + x.z * x.z);
    LevelAndSlope out;
    out.value = s.sign * (d - s.e.y);
    if (!(d > 0)) return out;
    const double radial = rho > 0 ? (rho - s.e.x) / (d * rho) : 0.0;
    out.gradient = s.sign * TransposeTimes(s.M, {radial * x.x, radial * x.y, x.z / d});
    return out;
  }
  const Vec3 half = HalfGradient(s, y);
  LevelAndSlope out{s.c + Dot(y, s.b + half), 2.0 * half};
  if (s.kind == geometry::SurfaceKind::kCone) {
    const double z = s.origin.z + Dot(s.M.row2, y);
    const double turn = NappeTurn(s, z);
    out.value += turn * z * z;
    out.gradient += 2 * turn * z * s.M.row2;
  }
  return out;
}

/** (C2) of the clip rule: certified bounds over the cell c ± h of a function with the sign of g:
 the centred form, whose quadratic remainder is exact along each axis, or a distance. */
INTERVOX_HD inline geometry::Bounds BoundsOver(const MappedSurface& s, const Vec3& c,
                                               const Vec3& h) {
  if (s.kind == geometry::SurfaceKind::kTorus) {
    // The level is a distance, which often decides.
    const Vec3 x = s.origin + s.M * c;
    const double rho = std::sqrt(x.x * x.x + x.y * x.y) - s.e.x;
    const double value = s.sign * (std::sqrt(rho * rho + x.z * x.z) - s.e.y);
    const Vec3 half = Scaled(s.length, h);
    const double reach = half.x + half.y + half.z + s.slack;
    if (value > reach || value < -reach) return {value - reach, value + reach};
    const geometry::Bounds f = geometry::internal::TorusRange(s.e.x, s.e.y, x, s.direction, half);
    return s.sign > 0 ? geometry::Bounds{f.lo - s.slack, f.hi + s.slack}
                      : geometry::Bounds{-f.hi - s.slack, -f.lo + s.slack};
  }
  if (s.kind == geometry::SurfaceKind::kCone) {
    // The distance to a generator has Lipschitz constant 1 and knows one nappe only.
    const Vec3 x = s.origin + s.M * c;
    const double k = std::sqrt(-s.e.z / s.e.x);
    const double value =
        s.sign * (std::sqrt(x.x * x.x + x.y * x.y) - k * x.z) / std::sqrt(1 + k * k);
    const double reach = Dot(s.length, h) + s.slack;
    const double lowest = x.z - Dot(Abs(s.M.row2), h);
    if (value > reach || value < -reach || lowest < 0) return {value - reach, value + reach};
  }
  const Vec3 half = HalfGradient(s, c);
  const double value = s.c + Dot(c, s.b + half);
  if (s.kind == geometry::SurfaceKind::kPlane) {
    const double reach = 2 * Dot(Abs(s.b), h) + s.slack;
    return {value - reach, value + reach};
  }
  const double cross = 2 * Dot(Abs(s.E.off), Square(h).off) + s.slack;
  geometry::Bounds f{value - cross, value + cross};
  for (int i = 0; i < 3; ++i) {
    const geometry::Bounds r = geometry::internal::QuadraticRange(s.E.diag[i], half[i], h[i]);
    f.lo += r.lo;
    f.hi += r.hi;
  }
  return f;
}

}  // namespace intervox::cuda::internal
