/** @file The level of a grid over a box, as a quadratic form and what is certainly left of it. */
#pragma once

#include "cuda/certify/level.h"
#include "geometry/cell.h"
#include "geometry/grid/level_set.h"

namespace intervox::cuda::internal::certify {

/** A grid's field in the coordinates u of a frame, x = p + F u with |u_i| ≤ 1: that at y = m + M u
 [voxels]. */
struct GridField {
  geometry::GridView view;
  Vec3 m;
  Mat3 M;
  double off = 0;  ///< what each component of y may be off by
};

/** Maps a grid. @param X_LG  pose of its lattice in the frame of p and F; its position may be
 rounded */
GridField MapGrid(const geometry::GridPart& part, const Pose& X_LG, const Vec3& p, const Mat3& F);

/** (G1)–(G3): the level [voxels] over the box c ± h within the frame. */
BoxLevel LevelOver(const GridField& field, const Vec3& c, const Vec3& h);

}  // namespace intervox::cuda::internal::certify
