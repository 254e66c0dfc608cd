/** @file Linear forms below the levels of surfaces over a box. */
#pragma once

#include <cmath>

#include "geometry/surface.h"
#include "host/distance/triple.h"

namespace intervox::host::distance {

/** A box in the frame of some surfaces. */
struct PlacedBox {
  Triple center;  ///< [m]
  Triples axes;   ///< unit vectors
  Triple half;    ///< half extents along them [m]
};

/** A surface as the axes of a box see it, which start at the box' middle. */
struct PlacedSurface {
  const geometry::Surface* surface;
  Triples axes;     ///< in the surface's frame; of a plane x is its normal as the axes see it
  Triple middle;    ///< in the surface's frame; of a plane x is the level there [m]
  double position;  ///< what coordinates are at most in the box [m]: rounding is a share of it
};

/** Places a surface of the box' frame.
 @param rows  of the matrix whose columns are the box' axes */
inline PlacedSurface Place(const geometry::Surface& s, const PlacedBox& box, const Triples& rows) {
  const Triple o = Following(&s.R.row2.z), from = box.center - o;
  const Triple sizes = Magnitudes(box.center) + Magnitudes(o) + box.half;
  const double position = sizes[0] + sizes[1] + sizes[2];
  if (s.kind == geometry::SurfaceKind::kPlane) {
    const Triple n = AllOf(s.side) * Triple{s.R.row0.z, s.R.row1.z, s.R.row2.z, 0.0};
    return {&s, {Combined(rows, n), Triple{}, Triple{}}, AllOf(Dot(n, from)), position};
  }
  const Triples of_s = RowsOf(s.R);
  return {&s, Combined(of_s, box.axes), Combined(of_s, from), position};
}

/** Below a level within a box: level + gradient · (x − the box' middle). */
struct LowerForm {
  double level;
  Triple gradient;
};

namespace internal {

/** Rounding of sums of numbers of magnitude 1. */
inline constexpr double kFormRounding = 32 * 2.3e-16;

/** In its own frame, of an ellipsoid, a cylinder or another quadric: its tangent, less the squares
 that bend down. */
inline LowerForm BelowQuadric(const geometry::Surface& s, const Triple& y, const Triple& reach,
                              double position) {
  const Triple side = AllOf(s.side), e = side * ToTriple(s.e), l = side * ToTriple(s.l);
  const Triple ey = e * y, slope = ey + l, steep = Magnitudes(ey) + Magnitudes(l);
  const Triple down = Smaller(e, Triple{}) * reach * reach;
  const double lost = down[0] + down[1] + down[2];
  const double level = Dot(ey + l + l, y) + s.side * s.c + lost;
  const double size = Dot(steep + steep, Magnitudes(y) + AllOf(position)) + std::fabs(s.c) - lost;
  return {level - kFormRounding * size, slope + slope};
}

/** In its own frame, of a cone whose inside is kept: the tangent of (ρ − k z)/√(1 + k²). */
inline LowerForm BelowCone(const geometry::Surface& s, const Triple& y, double position) {
  const double k = std::sqrt(-s.e.z / s.e.x), scale = 1.0 / std::sqrt(1.0 + k * k);
  const double rho = std::sqrt(y[0] * y[0] + y[1] * y[1]);
  const double along = rho > 0.0 ? scale / rho : 0.0;
  return {scale * (rho - k * y[2]) - kFormRounding * position,
          Triple{along * y[0], along * y[1], -scale * k, 0.0}};
}

/** In its own frame, of a cone whose inside is left out. Of z|z| the tangent at t is taken, which
 is below it where z ≥ −(1 + √2) t. */
inline LowerForm BelowAroundCone(const geometry::Surface& s, const Triple& y, const Triple& reach,
                                 double position) {
  constexpr double kRatio = 2.4142135623730951;  // 1 + √2
  const double down = -s.e.x, up = -s.e.z;
  const double t = std::fmax(y[2], (reach[2] - y[2]) / kRatio);
  const double lost = down * (reach[0] * reach[0] + reach[1] * reach[1]);
  const double level = down * (y[0] * y[0] + y[1] * y[1]) + lost + up * t * (y[2] + y[2] - t);
  const Triple gradient{2.0 * down * y[0], 2.0 * down * y[1], 2.0 * up * t, 0.0};
  const Triple steep = Magnitudes(gradient);
  const double size = (steep[0] + steep[1] + steep[2]) * position - lost;
  return {level - kFormRounding * size, gradient};
}

/** In its own frame, of a torus whose inside is kept. Its level is convex in the distance ρ from
 the axis and z; within its circle it falls with ρ, and for any m > 0, ρ ≤ (ρ² + m²)/2m. */
inline LowerForm BelowTorus(const geometry::Surface& s, const Triple& y, const Triple& reach,
                            double position) {
  const double square = y[0] * y[0] + y[1] * y[1], rho = std::sqrt(square), in = rho - s.e.x;
  const double d = std::sqrt(in * in + y[2] * y[2]);
  const double out = d > 0.0 ? in / d : 0.0, up = d > 0.0 ? y[2] / d : 0.0;
  const double m = in > 0.0 ? rho : std::sqrt(square + reach[0] * reach[0] + reach[1] * reach[1]);
  const double along = m > 0.0 ? out / m : 0.0;
  return {d - s.e.y + out * (m - rho) - kFormRounding * (position + s.e.x + s.e.y),
          Triple{along * y[0], along * y[1], up, 0.0}};
}

/** In its own frame, around a torus: minus the distance d from its circle, d ≤ (d² + m²)/2m, and
 ρ is not below its tangent. */
inline LowerForm BelowAroundTorus(const geometry::Surface& s, const Triple& y, double reach_square,
                                  double position) {
  const double rho = std::sqrt(y[0] * y[0] + y[1] * y[1]), in = rho - s.e.x;
  const double m = std::sqrt(in * in + y[2] * y[2] + reach_square);
  const double scale = m > 0.0 ? -1.0 / m : 0.0, along = rho > 0.0 ? scale * in / rho : 0.0;
  return {s.e.y - m - kFormRounding * (position + s.e.x + s.e.y),
          Triple{along * y[0], along * y[1], scale * y[2], 0.0}};
}

}  // namespace internal

/** A linear form below the level of a surface's kept side over a box, along its axes: of convex
 levels the tangent at the box' middle, of others as much less as they bend down in the box.
 @param at    the box' middle as the axes see it
 @param half  its half extents */
inline LowerForm FormBelow(const PlacedSurface& placed, const Triple& at, const Triple& half) {
  using geometry::SurfaceKind;
  const geometry::Surface& s = *placed.surface;
  const Triples& axes = placed.axes;
  const double position = placed.position;
  if (s.kind == SurfaceKind::kPlane) {
    const Triple& n = axes.x;
    return {placed.middle[0] + Dot(n, at) - internal::kFormRounding * position, n};
  }
  const Triple y = placed.middle + Combined(axes, at);
  const auto below = [&]() -> LowerForm {
    const bool inside = s.side > 0;
    if (s.kind == SurfaceKind::kCone && inside) return internal::BelowCone(s, y, position);
    if (s.kind == SurfaceKind::kTorus && !inside) {
      return internal::BelowAroundTorus(s, y, Dot(half, half), position);
    }
    const Triple reach = Combined(Magnitudes(axes), half);
    if (s.kind == SurfaceKind::kCone) return internal::BelowAroundCone(s, y, reach, position);
    if (s.kind == SurfaceKind::kTorus) return internal::BelowTorus(s, y, reach, position);
    return internal::BelowQuadric(s, y, reach, position);
  };
  LowerForm form = below();
  form.gradient = Combined(Transposed(axes), form.gradient);
  return form;
}

}  // namespace intervox::host::distance
