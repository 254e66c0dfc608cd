/** @file The six tetrahedra that a voxel is divided into. */
#pragma once

#include "geometry/hd.h"

namespace intervox::geometry {

/** The axes along which a tetrahedron's edges go in turn, from the node whose numbers are even to
 the one whose numbers are odd (Kuhn 1960). */
struct TetrahedronSteps {
  int axis[3];
};

/** Tetrahedra of a voxel: one for each order of the axes. */
inline constexpr int kTetrahedra = 6;

/** The steps of tetrahedron t, in lexicographic order. Voxels next to each other are mirrored, so
 that no direction is preferred, and share the triangles of their faces. */
INTERVOX_HD constexpr TetrahedronSteps StepsOf(int t) {
  const int first = t / 2, low = first == 0 ? 1 : 0, high = first == 2 ? 1 : 2;
  return t % 2 == 0 ? TetrahedronSteps{{first, low, high}} : TetrahedronSteps{{first, high, low}};
}

}  // namespace intervox::geometry
