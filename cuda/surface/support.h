/** @file How far the kept side of a surface reaches along a direction. */
#pragma once

#include <cmath>

#include "geometry/surface.h"

namespace intervox::cuda::internal {

/** Half the extent of a bounded convex side along the unit vector u, or −1 where it is infinite: of
 a cylinder, the part within `reach` along its axis. */
INTERVOX_HD inline double HalfExtent(const geometry::Surface& s, const Vec3& u, double reach) {
  const Vec3 n = TransposeTimes(s.R, u);
  if (s.side < 0) return -1;
  if (s.kind == geometry::SurfaceKind::kTorus) {
    return s.e.x * std::sqrt(n.x * n.x + n.y * n.y) + s.e.y;
  }
  if (s.kind == geometry::SurfaceKind::kEllipsoid) {
    return std::sqrt(-s.c * (n.x * n.x / s.e.x + n.y * n.y / s.e.y + n.z * n.z / s.e.z));
  }
  if (s.kind == geometry::SurfaceKind::kCylinder) {
    const double radius = std::sqrt(-s.c * (n.x * n.x + n.y * n.y) / s.e.x);
    return n.z == 0 ? radius : radius + std::fabs(n.z) * reach;
  }
  return -1;
}

}  // namespace intervox::cuda::internal
