/** @file The cells of a solid in a tree of boxes, and how far boxes of two solids are apart. */
#pragma once

#include <span>
#include <vector>

#include "geometry/cell.h"
#include "host/distance/grid_box.h"

namespace intervox::host::distance {

/** A box around cells of one solid, in its frame. */
struct CellNode {
  geometry::OrientedBox box;             ///< of an unbounded cell: unused
  const geometry::Cell* cell = nullptr;  ///< of a leaf
  int left = -1, right = -1;             ///< children of an inner node
  NodeBox nodes = {};                    ///< of a grid's leaf: one block, or blocks that are full
  bool full = false;                     ///< of a grid's leaf: all of its box is inside
};

/** A balanced binary tree over the bounded cells of a solid; unbounded ones stand beside it. Of a
 grid each block that the surface crosses is a leaf, and so are the largest cubes of blocks that lie
 inside. The cells must outlive it. Immutable after construction; safe from all threads. */
struct CellTree {
  std::vector<CellNode> nodes;
  std::vector<int> roots;  ///< the tree's root, where there is one, and the unbounded cells
  double size = 0.0;       ///< radius of a ball that holds the bounded cells [m]; 0: there are none
};

/** Builds the tree of a solid's cells. O(n log² n). */
CellTree MakeCellTree(std::span<const geometry::Cell> cells);

/** A lower bound of the distance [m] of what two nodes hold, the second one's solid posed at X_AB
 in the frame of the first's: that of boxes around either in the other's axes, less what rounds; 0
 where both are unbounded. */
double NodeGap(const CellNode& a, const CellNode& b, const Pose& X_AB);

/** A lower bound of the distance of two boxes, the second one's frame posed at X_AB in that of the
 first: along the axes of either, less what rounds. */
double BoxGap(const geometry::OrientedBox& a, const geometry::OrientedBox& b, const Pose& X_AB);

/** The node's radius [m]; infinite for an unbounded cell. */
double RadiusOf(const CellNode& node);

}  // namespace intervox::host::distance
