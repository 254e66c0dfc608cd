/** @file Points inside cells: whether one is, and how one gets there. */
#pragma once

#include "geometry/cell.h"
#include "geometry/surface_eval.h"

namespace intervox::host::distance {

/** Whether a point of a cell's frame lies within all of its surfaces by levels of `deep`, which
 rise by about one metre each metre. */
inline bool IsWithin(const geometry::Cell& cell, const Vec3& p, double deep) {
  for (const geometry::Surface& s : cell.surfaces) {
    const double level = s.kind == geometry::SurfaceKind::kPlane ? Dot(s.PlaneNormal(), p - s.o)
                                                                 : geometry::Level(s, p);
    if (!(level < -deep)) return false;
  }
  return true;
}

/** Moves a point of a cell's frame beyond the surfaces that it is outside of, one after the other.
 @param inside  levels that count as inside [m]
 @param beyond  how far to move it beyond a surface [m]
 @returns whether it was inside all of them */
inline bool MoveInside(const geometry::Cell& cell, double inside, double beyond, Vec3* p) {
  constexpr double kFlat = 1e-9;  // the square of a gradient that says nothing of the surface
  bool within = true;
  Vec3 x = *p;
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.kind == geometry::SurfaceKind::kPlane) {  // which keeps f ≤ 0
      const Vec3 n = s.PlaneNormal();
      const double level = Dot(n, x - s.o);
      if (level < -inside) continue;
      within = false;
      x -= (level + beyond) * n;
      continue;
    }
    const double level = geometry::Level(s, x);
    if (level < -inside) continue;
    within = false;
    const Vec3 g = geometry::Gradient(s, x);
    const double square = SquaredNorm(g);
    if (square > kFlat) x -= (s.side * (level + beyond) / square) * g;
  }
  *p = x;
  return within;
}

}  // namespace intervox::host::distance
