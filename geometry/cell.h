/** @file A cell: the intersection of sides of surfaces, with bounds, a name and neighbours. */
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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

struct LevelSet;

/** Blocks of a grid that bound a cell: the cell keeps f ≤ 0 of the grid's trilinear field within
 them. The field is shared and never changes. */
struct GridPart {
  std::shared_ptr<const LevelSet> field;  ///< null: the cell has no grid
  Pose X_CG;                              ///< the grid's frame in the cell's
  double voxel_size = 0.0;                ///< edge of a voxel in the cell's frame [m]
  std::array<int, 3> lower{};             ///< first block along each axis
  std::array<int, 3> upper{};             ///< one beyond the last
};

/** The polygon of one plane surface of a cell: the plane cut by all other planes of the cell, and
 by the bounds where that leaves it infinite. Counter-clockwise seen from outside. */
struct FacePolygon {
  int surface = 0;        ///< index into Cell::surfaces
  std::vector<Vec3> p_C;  ///< vertices in the cell's frame [m]
};

/** One direction of an edge of a closed surface: half-edges 2e and 2e + 1 are those of edge e. */
struct HalfEdge {
  std::uint16_t origin;  ///< the corner that it starts from
  std::uint16_t next;    ///< the half-edge that follows, counter-clockwise seen from outside
  std::uint16_t face;    ///< the face whose loop it belongs to
};

/** A face of a closed surface. */
struct CornerFace {
  std::int32_t surface;    ///< index into Cell::surfaces
  std::int32_t half_edge;  ///< one of its loop
};

/** The closed surface of a bounded polytope.

 Empty where the face polygons do not close: unbounded or curved cells. */
struct Corners {
  std::vector<Vec3> p_C;            ///< corners in the cell's frame, no two the same [m]
  std::vector<std::int32_t> loop;   ///< corners of each face in turn
  std::vector<std::int32_t> begin;  ///< face f owns loop[begin[f] … begin[f+1])
  std::vector<CornerFace> faces;    ///< those of Cell::faces that have three corners, in order
  std::vector<HalfEdge> half_edges;
  std::vector<bool> extreme;  ///< of each corner: the body's, too; empty: all are
};

/** An intersection of sides of surfaces, in the frame C of its body.

 Invariant: at least one surface; `bounds` encloses the cell; `faces` holds one polygon for each
 plane whose polygon is not empty. Plain data: build it with MakeCell. */
struct Cell {
  std::vector<Surface> surfaces;
  OrientedBox bounds;
  bool bounded = true;
  bool polytope = false;  ///< bounded by planes only
  bool filled = true;     ///< the bounds hold what it would be without its holes, too
  GridPart grid;          ///< where it has a field, `surfaces` are the planes around its blocks
  std::vector<FacePolygon> faces;
  Corners corners;              ///< of a bounded polytope, or of the hull: IndexCornersOfHull
  std::string name;             ///< traces back to the CSG node, for example "socket/0"
  int node = -1;                ///< index of the CSG node
  std::vector<int> neighbours;  ///< cells of the same body across a cut face, ascending
};

/** Sets `corners` from `faces`: corners within 1e-11 of the cell's size are one. Leaves it empty
 where the loops do not close; the engine then clips the bounds instead, which is slower. MakeCell
 calls it.
 */
void IndexCorners(Cell* cell);

/** Sets `corners` of a cell with hollow faces, a box with a hole or a dimple, to those of the
 polytope that its planes bound, where all of these lie in the cell: the polytope is the cell's
 convex hull then. Leaves other cells as they are. */
void IndexCornersOfHull(Cell* cell);

/** Makes a cell of surfaces and computes its bounds and face polygons.
 @throws std::invalid_argument when there is no surface. */
Cell MakeCell(std::vector<Surface> surfaces, std::string name);

}  // namespace intervox::geometry
