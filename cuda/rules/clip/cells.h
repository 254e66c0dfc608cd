/** @file Tangent planes of the clip rule's cells. */
#pragma once

#include "cuda/rules/clip/leaf.h"
#include "cuda/surface/mapped_surface.h"

namespace intervox::cuda::internal::clip {

/** (C4): the tangent half-space of g at the cell's centre, projected twice onto g = 0 in the metric
 of the cell, in which a tall cell is a cube. False when g has no slope there. */
INTERVOX_HD inline bool TangentCut(const MappedSurface& s, const Vec3& c, const Vec3& h,
                                   HalfSpaceCut* cut) {
  const Vec3 square{h.x * h.x, h.y * h.y, h.z * h.z};
  cut->weight = s.weight;
  if (s.kind == geometry::SurfaceKind::kPlane) {
    cut->n = 2.0 * s.b;
    cut->d = -s.c;
    return true;
  }
  if (s.kind == geometry::SurfaceKind::kCone) {
    // Along the generator at the centre's azimuth: good up to the apex.
    const Vec3 x = s.origin + s.M * c;
    const double rho = std::sqrt(x.x * x.x + x.y * x.y);
    if (!(rho > 0)) return false;
    const Vec3 n = s.sign * Vec3{x.x / rho, x.y / rho, -std::sqrt(-s.e.z / s.e.x)};
    cut->n = TransposeTimes(s.M, n);
    cut->d = -Dot(n, s.origin);
    const double turn = Dot(Abs(TransposeTimes(s.M, Vec3{-x.y, x.x, 0})), h) / rho;
    cut->sag = 0.5 * turn * turn / rho;
    return true;
  }
  Vec3 y = c;
  LevelAndSlope at = Evaluate(s, y);
  for (int i = 0; i < 2; ++i) {
    const Vec3 direction = Scaled(square, at.gradient);
    const double slope = Dot(at.gradient, direction);
    if (!(slope > 0)) break;
    double step = at.value / slope;
    // Two cells away at most: beyond that the plane misses the cell anyway.
    const double length = step * step * slope;
    if (length > 4) step *= 2 / std::sqrt(length);
    y -= step * direction;
    at = Evaluate(s, y);
  }
  cut->n = at.gradient;
  cut->d = Dot(at.gradient, y) - at.value;
  if (s.kind == geometry::SurfaceKind::kTorus) {
    cut->sag = 0.5 * SquaredNorm(Scaled(s.length, h)) / s.e.y;
  } else {
    cut->sag = Dot(Abs(s.E.diag), square) + 2 * Dot(Abs(s.E.off), Square(h).off);
  }
  return SquaredNorm(at.gradient) > 0;
}

}  // namespace intervox::cuda::internal::clip
