/** @file A cell: the intersection of sides of surfaces, with bounds, a name and neighbours. */
#pragma once

#include <string>
#include <vector>

#include "geometry/surface.h"

namespace intervox::geometry {

/** An oriented box: centre X.p, axes X.R, half extents [m]; infinite extents for unbounded cells.
 */
struct OrientedBox {
  Pose X;
  Vec3 half;
};

/** The polygon of one plane surface of a cell: the plane cut by all other planes of the cell, and
 by the bounds where that leaves it infinite. Counter-clockwise seen from outside. */
struct FacePolygon {
  int surface = 0;        ///< index into Cell::surfaces
  std::vector<Vec3> p_C;  ///< vertices in the cell's frame [m]
};

/** An intersection of sides of surfaces, in the frame C of its body.

 Invariant: at least one surface; `bounds` encloses the cell; `faces` holds one polygon for each
 plane whose polygon is not empty. Plain data: build it with MakeCell. */
struct Cell {
  std::vector<Surface> surfaces;
  OrientedBox bounds;
  bool bounded = true;
  bool polytope = false;  ///< bounded by planes only
  std::vector<FacePolygon> faces;
  std::string name;             ///< traces back to the CSG node, for example "socket/0"
  int node = -1;                ///< index of the CSG node
  std::vector<int> neighbours;  ///< cells of the same body across a cut face, ascending
};

/** Makes a cell of surfaces and computes its bounds and face polygons.
 @throws std::invalid_argument when there is no surface. */
Cell MakeCell(std::vector<Surface> surfaces, std::string name);

}  // namespace intervox::geometry
