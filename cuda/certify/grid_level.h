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

/** Levels of which a grid's is the greatest. */
struct GridLevels {
  BoxLevel level[2];
  int count = 1;
};

/** (G4): of a level over a box the two that it is the greater of, where they are known better.

 Where two voxels meet in a box and nothing else ends there their levels differ by J (y − end), J
 bilinear across. Where J ≥ 0 the field is the greater of both, elsewhere less by so much at most:
 so it is of whatever is convex. */
GridLevels Divided(const GridField& field, const Vec3& c, const Vec3& h, const BoxLevel& level);

}  // namespace intervox::cuda::internal::certify
