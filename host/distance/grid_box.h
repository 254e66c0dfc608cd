/** @file Boxes of a grid's lattice, and a plane that cuts off nothing of the solid in one. */
#pragma once

#include <optional>

#include "geometry/cell.h"
#include "geometry/grid/level_set.h"

namespace intervox::host::distance {

/** A box of a grid's lattice [voxels]: whole voxels of one block, or within one voxel. */
struct NodeBox {
  Vec3 lower, upper;
};

/** A grid in a frame whose lengths are in any unit. */
struct PlacedGrid {
  geometry::GridView view;
  Pose X;          ///< of the lattice
  double h = 0.0;  ///< edge of a voxel
  NodeBox most;    ///< holds all that is looked at

  /** The point of the lattice [voxels]. */
  Vec3 NodeOf(const Vec3& x) const { return TransposeTimes(X.R, x - X.p) / h; }
  /** The point of the frame. */
  Vec3 PointOf(const Vec3& u) const { return X * (h * u); }
  /** The box in the frame. */
  geometry::OrientedBox BoxOf(const NodeBox& box) const;
};

/** What is known of a grid's solid, f ≤ 0, in a box. */
struct GridBound {
  NodeBox box;  ///< holds all of it: the voxels of which a node is inside
  /// Where its normal is not 0: normal · (u − middle) ≤ reach on all of the solid in the box.
  Vec3 normal;  ///< unit
  Vec3 middle;  ///< of the box
  double reach = 0.0;
  /// What the plane gives away, or the box where there is none, is due to the extent along each
  /// axis by so much [voxels]; 0: the box and the plane are the solid's.
  Vec3 slack;
};

/** Bounds a grid's solid in a box, with all rounding. Empty where there is none of it. */
std::optional<GridBound> BoundGrid(const geometry::GridView& grid, const NodeBox& box);

/** A lower bound of `along` · (u − middle) on a grid's solid in a box. */
double LeastAlong(const GridBound& bound, const Vec3& along);

/** Half of a box, cut across an axis between nodes, or within a voxel in the middle. */
NodeBox HalfOf(const NodeBox& box, int axis, bool upper);

/** A point of the solid next to u, within the grid's largest box; u itself where it is inside.
 Where the field's kinks lead nowhere it is no point of the solid. */
Vec3 IntoSolid(const PlacedGrid& grid, Vec3 u);

}  // namespace intervox::host::distance
