/** @file Tetrahedra cut along the surfaces of a solid's cells. */
#pragma once

#include <vector>

#include "host/mesh/simplex_mesh.h"
#include "host/mesh/surface_set.h"
#include "host/told.h"

namespace intervox::host {

/** A vertex: where it is, and the surfaces on which it lies to rounding. */
struct MeshVertex {
  Vec3 p;
  std::vector<int> on;  ///< ascending
};

/** A box full of tetrahedra. One that lies in a cell has that cell's number as its tag, else −1. */
struct Carving {
  std::vector<MeshVertex> vertices;
  SimplexMesh<4> tets;
};

/** Fills a cube around the solid with tetrahedra, finer near surfaces that bend more, and cuts them
 along the surfaces of each cell in turn, so that each lies on one side of every cell.

 A cut goes through edges only: where the ends lie on two sides of a surface, the edge is bisected
 at the surface, and the new vertex is moved to where all surfaces of the edge meet. So vertices are
 exact, and the tetrahedra inside and outside share whole faces whatever the rounding. What rises
 out of another surface by less than the deviation [m] may be missed.
 @throws std::invalid_argument where the solid needs more than some millions of tetrahedra. */
Carving Carve(const SurfaceSet& set, double deviation, const Told& told = {});

}  // namespace intervox::host
