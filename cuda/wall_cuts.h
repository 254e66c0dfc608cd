/** @file Tangent cuts: how a peg is shown to hang free in its hole before any rule runs. */
#pragma once

#include "cuda/polyhedron.h"
#include "cuda/surface_bound.h"

namespace intervox::cuda {

namespace internal {

INTERVOX_HD inline double ConvexLevel(const geometry::Surface& s, const Vec3& y) {
  return s.kind == geometry::SurfaceKind::kCone ? NappeLevel(s, y) : QuadricLevel(s, y);
}

/** A plane that keeps all of the convex solid f ≤ 0 and cuts off x, tangent where that is cheap. */
INTERVOX_HD inline bool TangentTowards(const geometry::Surface& s, const Vec3& x,
                                       ClipPlane* plane) {
  using geometry::SurfaceKind;
  Vec3 y = ToPrincipal(s, x), g;
  double f = 0;
  if (s.kind == SurfaceKind::kCone) {
    const double rho = std::sqrt(y.x * y.x + y.y * y.y), k = std::sqrt(s.e.x);
    if (!(rho > 0)) return false;
    g = {k * y.x / rho, k * y.y / rho, -std::sqrt(-s.e.z)};
    y = {};
  } else {
    const double q = Dot(s.e, Scaled(y, y));
    if (s.kind != SurfaceKind::kQuadric && q > 0) {
      // The ray from the centre or the axis meets the surface here.
      const double t = std::sqrt(-s.c / q);
      y = {t * y.x, t * y.y, s.kind == SurfaceKind::kCylinder ? y.z : t * y.z};
    } else {
      f = QuadricLevel(s, y);
    }
    g = 2.0 * (Scaled(s.e, y) + s.l);
  }
  const double steep = Norm(g);
  if (!(steep > 0)) return false;
  const Vec3 n = (1.0 / steep) * (s.R * g);
  *plane = {n, Dot(n, s.R * y + s.o) - f / steep, 0.0, 0};
  return true;
}

// Slopes (s, t) of s ρ − t z + c, the convex level that a cylinder's or cone's wall has along its
// radius and axis; ρ and z are of y.
struct WallLevel {
  double s = 0, t = 0, c = 0;
  INTERVOX_HD double At(const Vec3& y) const {
    return s * std::sqrt(y.x * y.x + y.y * y.y) - t * y.z + c;
  }
};

INTERVOX_HD inline bool MakeWallLevel(const geometry::Surface& s, WallLevel* wall) {
  using geometry::SurfaceKind;
  if (s.kind == SurfaceKind::kCone) {
    *wall = {std::sqrt(s.e.x), std::sqrt(-s.e.z), 0.0};
    return true;
  }
  if (s.kind != SurfaceKind::kCylinder) return false;
  *wall = {1.0, 0.0, -std::sqrt(-s.c / s.e.x)};
  return true;
}

// Whether the part of a round peg beside the polyhedron lies inside a round hole: it is the hull of
// two circles about the peg's axis, and the hole's level is convex.
template <class P>
INTERVOX_HD bool HangsFree(const geometry::Surface& peg, const geometry::Surface& hole,
                           const P& polyhedron) {
  WallLevel around, wall;
  if (!MakeWallLevel(peg, &around) || !MakeWallLevel(hole, &wall)) return false;
  const Vec3 axis = peg.R.Col(2);
  double low = 0, high = 0;
  for (int i = 0; i < polyhedron.corners(); ++i) {
    const double z = Dot(axis, polyhedron.Corner(i) - peg.o);
    if (i == 0 || z < low) low = z;
    if (i == 0 || z > high) high = z;
  }
  if (peg.kind == geometry::SurfaceKind::kCone && low < 0) low = 0;
  // Steepest rise of the hole's level across the peg's axis.
  const double tilt = std::sqrt(SquaredNorm(Cross(axis, hole.R.Col(2))));
  const double rise = wall.s + wall.t * tilt;
  for (int end = 0; end < 2; ++end) {
    const double z = end == 0 ? low : high;
    const double radius = (around.t * z - around.c) / around.s;
    if (wall.At(ToPrincipal(hole, peg.o + z * axis)) + rise * radius >= 0) return false;
  }
  return true;
}

}  // namespace internal

/** Cuts a polyhedron around Ω with tangent planes of the convex curved sides where it reaches
 farthest past a hole's wall, until it lies inside the hole or reaches past the wall for good.
 @param surfaces  all surfaces of both cells in the polyhedron's frame, `count` of them.
 @param on        corners this close count as on a plane [m].
 @return kEmpty when there is no overlap. */
template <class P>
INTERVOX_HD Cut CutBeyondWalls(const geometry::Surface* surfaces, int count, double on,
                               P* polyhedron) {
  constexpr int kMostCuts = 8;
  for (int h = 0; h < count; ++h) {
    const geometry::Surface& hole = surfaces[h];
    if (hole.side > 0 || !internal::IsConvex(hole)) continue;
    for (int k = 0; k < count; ++k) {
      if (surfaces[k].side > 0 && internal::HangsFree(surfaces[k], hole, *polyhedron)) {
        return Cut::kEmpty;
      }
    }
    for (int cuts = 0; cuts <= kMostCuts; ++cuts) {
      Vec3 farthest;
      double level = 0;
      for (int i = 0; i < polyhedron->corners(); ++i) {
        const Vec3 x = polyhedron->Corner(i);
        const double f = internal::ConvexLevel(hole, internal::ToPrincipal(hole, x));
        if (i == 0 || f > level) {
          level = f;
          farthest = x;
        }
      }
      // All corners in a convex hole: so is everything between them.
      if (level < 0) return Cut::kEmpty;
      if (cuts == kMostCuts) break;
      int best = -1;
      double excess = on;
      for (int k = 0; k < count; ++k) {
        const geometry::Surface& s = surfaces[k];
        if (s.side < 0 || !internal::IsConvex(s)) continue;
        const double f = internal::ConvexLevel(s, internal::ToPrincipal(s, farthest));
        if (f > excess) {
          excess = f;
          best = k;
        }
      }
      ClipPlane plane;
      if (best < 0 || !internal::TangentTowards(surfaces[best], farthest, &plane)) break;
      const Cut cut = polyhedron->Clip(plane, on, 0.0);
      if (cut == Cut::kEmpty || cut == Cut::kFull) return cut;
      if (cut == Cut::kNone) break;
    }
  }
  return Cut::kCut;
}

}  // namespace intervox::cuda
