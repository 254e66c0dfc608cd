/** @file Closes the holes of triangles. */
#pragma once

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** Holes that were closed. */
struct ClosedHoles {
  int holes = 0;
  int triangles = 0;    ///< that were added
  double widest = 0.0;  ///< largest extent of a hole [the mesh's unit]
  Vec3 where;           ///< the middle of that hole's edges
};

/** Longest hole that is closed by triangles between its own vertices; longer ones get a vertex in
 their middle. */
inline constexpr int kMostHoleEdges = 400;

/** Adds triangles until as many pass each edge one way as the other. What is missing are closed
 loops of edges, whatever the triangles are, because the boundary of a boundary is empty; each loop
 is filled with the triangles of least area, so that a flat hole gets a flat lid. */
ClosedHoles CloseHoles(TriangleMesh* mesh);

}  // namespace intervox::host
