/** @file The closed surface of the tetrahedra that lie in a solid. */
#pragma once

#include <vector>

#include "host/mesh/carve.h"

namespace intervox::host {

/** Triangles, counter-clockwise seen from outside, each on one side of one surface.

 Each edge has exactly two triangles, which pass it in opposite directions, and each vertex one ring
 of them: where parts of a solid touch along an edge or in a point, the vertices there are double.
 */
struct SurfaceMesh {
  std::vector<Vec3> p;
  SimplexMesh<3> triangles;  ///< the tag t is side +1 of surface t / 2, or −1 where t is odd

  /** The surface of a triangle. */
  int Surface(int triangle) const { return triangles[triangle].tag / 2; }
};

/** Takes the faces between tetrahedra inside and outside. */
SurfaceMesh TakeBoundary(const SurfaceSet& set, const Carving& carving);

}  // namespace intervox::host
