/** @file Triangles of grids: where levels that are linear between nodes vanish. */
#pragma once

#include "host/mesh/triangulate.h"

namespace intervox::host {

/** The closed surface of a grid's blocks by the tetrahedra of the clip rule: six of each voxel,
 mirrored from voxel to voxel. Vertices lie on the lattice's edges, faces and diagonals, and the
 surface encloses the volume that the clip rule finds. Normals are those of the field, and a
 triangle's own beyond 30° of it.
 @param part  a whole grid */
Triangles TrianglesOfGrid(const geometry::GridPart& part);

}  // namespace intervox::host
