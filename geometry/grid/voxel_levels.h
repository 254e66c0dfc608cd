/** @file The levels of one voxel in double precision: what Evaluate subtracts in single, which
 rounds by 1e-8 voxels and more. */
#pragma once

#include <array>
#include <cmath>

#include "geometry/grid/level_set.h"

namespace intervox::geometry {

/** Component `axis` of a cube's corner k, 0 or 1: bit 4 is x, 2 is y, 1 is z. */
constexpr int CornerBit(int k, int axis) { return (k >> (2 - axis)) & 1; }

/** Corner k of the unit cube. */
inline Vec3 UnitCorner(int k) {
  return {static_cast<double>(CornerBit(k, 0)), static_cast<double>(CornerBit(k, 1)),
          static_cast<double>(CornerBit(k, 2))};
}

/** Levels at the corners of a voxel, or of a box within one. */
using CornerLevels = std::array<double, 8>;

/** Reads those of the voxel whose first node is given. */
inline CornerLevels LevelsAt(const float* node) {
  CornerLevels f;
  for (int k = 0; k < 8; ++k) {
    f[static_cast<std::size_t>(k)] =
        node[(CornerBit(k, 0) * kBlockSide + CornerBit(k, 1)) * kBlockSide + CornerBit(k, 2)];
  }
  return f;
}

/** Reads those of a voxel that was found; beyond the band they are all the same. */
inline CornerLevels LevelsAt(const VoxelAt& voxel) {
  if (voxel.node != nullptr) return LevelsAt(voxel.node);
  CornerLevels f;
  f.fill(voxel.beyond);
  return f;
}

/** The trilinear interpolant at t, 0 to 1 along each axis. */
inline double Interpolate(const CornerLevels& f, const Vec3& t) {
  double sum = 0.0;
  for (int k = 0; k < 8; ++k) {
    double weight = 1.0;
    for (int axis = 0; axis < 3; ++axis) weight *= CornerBit(k, axis) ? t[axis] : 1.0 - t[axis];
    sum += weight * f[static_cast<std::size_t>(k)];
  }
  return sum;
}

/** Its gradient at t: along an axis the interpolant is linear. */
inline Vec3 InterpolatedGradient(const CornerLevels& f, const Vec3& t) {
  Vec3 gradient;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 from = t, to = t;
    from[axis] = 0.0;
    to[axis] = 1.0;
    gradient[axis] = Interpolate(f, to) - Interpolate(f, from);
  }
  return gradient;
}

/** The field and its gradient at u [voxels]; beyond the band ±band with gradient 0. */
inline LevelAt EvaluateExactly(const GridView& grid, const Vec3& u) {
  const VoxelAt voxel = FindVoxel(grid, u);
  if (voxel.node == nullptr) return {voxel.beyond, {}};
  const CornerLevels f = LevelsAt(voxel.node);
  const Vec3 t{voxel.t[0], voxel.t[1], voxel.t[2]};
  return {Interpolate(f, t), InterpolatedGradient(f, t)};
}

}  // namespace intervox::geometry
