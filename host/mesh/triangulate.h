/** @file Triangles of exact solids, for programs that know triangles only. */
#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/cell.h"
#include "host/mesh/triangle_mesh.h"
#include "host/told.h"

namespace intervox::host {

/** A closed surface of triangles around a solid, in the solid's frame.

 Vertices lie on the exact surface. Each edge has two triangles, which pass it in opposite
 directions. Corners on a crease have a
 normal for each side, so `normal` goes with the corners of triangles. */
struct Triangles : TriangleMesh {
  std::vector<std::array<Vec3, 3>> normals;  ///< exact outward unit normals at the corners
  std::vector<int> faces;                    ///< by triangle: equal on one side of one surface
  std::vector<std::pair<int, int>> creases;  ///< edges between triangles of different faces
  double deviation = 0.0;  ///< largest distance found between a triangle and its surface [m]
};

/** Triangulates disjoint bounded cells of one body, as ToCells makes them.
 @param deviation  [m], > 0: no triangle is farther from the exact surface. A grid has those of its
 voxels, whatever it is.
 @throws std::invalid_argument for a solid that is not bounded, for a deviation that is not
 positive, and for a solid that needs more triangles than memory should hold. */
Triangles Triangulate(std::span<const geometry::Cell> cells, double deviation,
                      const Told& told = {});

}  // namespace intervox::host
