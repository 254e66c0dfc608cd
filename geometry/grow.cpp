#include "geometry/grow.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

enum class Moved { kYes, kClosed, kImpossible };

/** Moves a surface by `d` out of its cell; a hole may close. */
Moved MoveOutward(double d, Surface* surface) {
  const Surface s = *surface;
  const double out = s.side * d;  // away from where f < 0
  const Pose X{s.R, s.o};
  switch (s.kind) {
    case SurfaceKind::kPlane:
      surface->o += out * s.PlaneNormal();
      return Moved::kYes;
    case SurfaceKind::kEllipsoid: {
      // The ball of radius d lies in the ellipsoid scaled by d over its smallest semi-axis.
      const Vec3 radii{std::sqrt(-s.c / s.e.x), std::sqrt(-s.c / s.e.y), std::sqrt(-s.c / s.e.z)};
      const double scale = 1 + out / std::min({radii.x, radii.y, radii.z});
      if (!(scale > 0)) return Moved::kClosed;
      *surface = MakeEllipsoid(scale * radii, X);
      break;
    }
    case SurfaceKind::kCylinder: {
      const double radius = std::sqrt(-s.c / s.e.x) + out;
      if (!(radius > 0)) return Moved::kClosed;
      *surface = MakeCylinder(radius, X);
      break;
    }
    case SurfaceKind::kCone: {
      // Moved by d, the sides meet at an apex d/sin(half angle) away.
      const double sine = std::sqrt(-s.e.z / (s.e.x - s.e.z));
      surface->o -= (out / sine) * s.R.Col(2);
      return Moved::kYes;
    }
    case SurfaceKind::kTorus:
      if (s.e.y + out >= s.e.x) return Moved::kImpossible;
      if (!(s.e.y + out > 0)) return Moved::kClosed;
      surface->e.y += out;
      return Moved::kYes;
    case SurfaceKind::kQuadric:
      return Moved::kImpossible;
  }
  surface->side = s.side;
  surface->cut = s.cut;
  surface->node = s.node;
  return Moved::kYes;
}

}  // namespace

std::optional<Cell> Grow(const Cell& cell, double distance) {
  std::vector<Surface> surfaces;
  for (Surface surface : cell.surfaces) {
    switch (MoveOutward(distance, &surface)) {
      case Moved::kYes:
        surfaces.push_back(surface);
        break;
      case Moved::kClosed:
        break;  // all of space is near enough
      case Moved::kImpossible:
        return std::nullopt;
    }
  }
  if (surfaces.empty()) return std::nullopt;
  return MakeCell(std::move(surfaces), cell.name);
}

}  // namespace intervox::geometry
