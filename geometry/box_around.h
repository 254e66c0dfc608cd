/** @file Boxes around boxes and points. */
#pragma once

#include <span>

#include "geometry/bounds.h"

namespace intervox::geometry {

/** The box around two. */
inline Aabb BoxAround(const Aabb& a, const Aabb& b) {
  return {Min(a.lower, b.lower), Max(a.upper, b.upper)};
}

/** The box around points, of which there is one at least. */
inline Aabb BoxAround(std::span<const Vec3> points) {
  Aabb box{points.front(), points.front()};
  for (const Vec3& p : points) box = BoxAround(box, Aabb{p, p});
  return box;
}

}  // namespace intervox::geometry
