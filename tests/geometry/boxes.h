/** @file Boxes along the axes, as surfaces and as cells. */
#pragma once

#include <vector>

#include "geometry/cell.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {

/** The six planes of the box between two corners. */
inline std::vector<Surface> BoxSurfaces(const Vec3& lower, const Vec3& upper) {
  std::vector<Surface> out;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      Vec3 n;
      n[axis] = sign;
      out.push_back(MakePlane(n, sign > 0 ? upper[axis] : -lower[axis]));
    }
  }
  return out;
}

/** The six planes of a centred box. */
inline std::vector<Surface> BoxSurfaces(const Vec3& size) {
  return BoxSurfaces(-0.5 * size, 0.5 * size);
}

/** The box between two corners as a cell. */
inline Cell Block(const Vec3& lower, const Vec3& upper) {
  return MakeCell(BoxSurfaces(lower, upper), "block");
}

}  // namespace intervox::geometry
