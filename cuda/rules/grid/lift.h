/** @file (G6) of a grid: levels less what interpolation between a lattice's nodes adds.

 The sum of second differences at a point is the trilinear mean of those at its voxel's nodes: they
 are found once for the level and its gradient. */
#pragma once

#include "cuda/rules/grid/model.h"

namespace intervox::cuda::internal::grid {

/** Values at the eight nodes of a voxel: of node (x, y, z) at 4x + 2y + z. */
struct AtNodes {
  double of[8];
};

/** Adds the nodes beyond a voxel's end along an axis to the sums of the nodes at that end. */
template <int kAxis, bool kUpper>
INTERVOX_HD inline void AddBeyond(const GridSide& side, const geometry::VoxelAt& voxel,
                                  AtNodes* sums) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  constexpr int kAlong = kAxis == 0 ? kX : kAxis == 1 ? kY : 1;
  constexpr int kP = kAxis == 0 ? kY : kX, kQ = kAxis == 2 ? kY : 1;
  // Of the nodes at that end.
  constexpr int kEnd = kUpper ? 4 >> kAxis : 0;
  constexpr int kAtP = kAxis == 0 ? 2 : 4, kAtQ = kAxis == 2 ? 2 : 1;
  double* const s = sums->of + kEnd;
  const float* f = voxel.node;
  if (voxel.in[kAxis] != (kUpper ? geometry::kBlockEdge - 1 : 0)) {
    f += kUpper ? 2 * kAlong : -kAlong;
  } else {
    const geometry::GridView& grid = side.view;
    int place[3] = {voxel.place[0], voxel.place[1], voxel.place[2]};
    place[kAxis] += kUpper ? 1 : -1;
    const bool beyond = place[kAxis] < 0 || place[kAxis] == grid.size[kAxis];
    const std::int32_t block =
        beyond ? geometry::kAbsentOutside : geometry::BlockAt(grid, place[0], place[1], place[2]);
    if (block < 0) {
      const double all = block == geometry::kAbsentInside ? -grid.band : grid.band;
      s[0] += all;
      s[kAtQ] += all;
      s[kAtP] += all;
      s[kAtP + kAtQ] += all;
      return;
    }
    // Along the axis the block begins, or ends, where this one ends.
    f = grid.nodes + static_cast<std::int64_t>(block) * geometry::kBlockNodes +
        (voxel.in[0] * kX + voxel.in[1] * kY + voxel.in[2]) +
        (kUpper ? 2 - geometry::kBlockEdge : geometry::kBlockEdge - 1) * kAlong;
  }
  s[0] += f[0];
  s[kAtQ] += f[kQ];
  s[kAtP] += f[kP];
  s[kAtP + kAtQ] += f[kP + kQ];
}

/** The sums of second differences at the nodes of a voxel. */
INTERVOX_HD inline void FindBends(const GridSide& side, const geometry::VoxelAt& voxel,
                                  AtNodes* bends) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  const float* f = voxel.node;
  const double f0 = f[0], f1 = f[1], f2 = f[kY], f3 = f[kY + 1], f4 = f[kX], f5 = f[kX + 1],
               f6 = f[kX + kY], f7 = f[kX + kY + 1];
  double* const s = bends->of;
  s[0] = f4 + f2 + f1 - 6 * f0;
  s[1] = f5 + f3 + f0 - 6 * f1;
  s[2] = f6 + f0 + f3 - 6 * f2;
  s[3] = f7 + f1 + f2 - 6 * f3;
  s[4] = f0 + f6 + f5 - 6 * f4;
  s[5] = f1 + f7 + f4 - 6 * f5;
  s[6] = f2 + f4 + f7 - 6 * f6;
  s[7] = f3 + f5 + f6 - 6 * f7;
  AddBeyond<0, false>(side, voxel, bends);
  AddBeyond<0, true>(side, voxel, bends);
  AddBeyond<1, false>(side, voxel, bends);
  AddBeyond<1, true>(side, voxel, bends);
  AddBeyond<2, false>(side, voxel, bends);
  AddBeyond<2, true>(side, voxel, bends);
}

/** The trilinear mean of values at the nodes, with its gradient. */
INTERVOX_HD inline geometry::LevelAt Between(const AtNodes& nodes, const double (&t)[3]) {
  const double* s = nodes.of;
  const double z0 = s[1] - s[0], z1 = s[3] - s[2], z2 = s[5] - s[4], z3 = s[7] - s[6];
  const double s0 = s[0] + t[2] * z0, s1 = s[2] + t[2] * z1, s2 = s[4] + t[2] * z2,
               s3 = s[6] + t[2] * z3;
  const double low = s0 + t[1] * (s1 - s0), high = s2 + t[1] * (s3 - s2);
  const double y0 = s1 - s0, y1 = s3 - s2;
  const double zl = z0 + t[1] * (z1 - z0), zh = z2 + t[1] * (z3 - z2);
  return {low + t[0] * (high - low), {high - low, y0 + t[0] * (y1 - y0), zl + t[0] * (zh - zl)}};
}

/** The lifted level of a grid at u in its voxels; f itself where share is 0 [voxels]. */
INTERVOX_HD inline double LiftedLevelOf(const GridSide& side, const Vec3& u, double share) {
  const geometry::VoxelAt voxel = geometry::FindVoxel(side.view, u);
  if (voxel.node == nullptr) return voxel.beyond;
  const double f = geometry::LevelIn(voxel.node, voxel.t);
  if (share == 0 || !HasNeighbours(side, f)) return f;
  AtNodes bends;
  FindBends(side, voxel, &bends);
  return Lifted(f, Between(bends, voxel.t).value, share).value;
}

/** The lifted level of a grid at u in its voxels with its gradient, in the grid's axes. Where u
 lies between two voxels, the field's part of the gradient is the mean of theirs: V may have a kink
 there, and S is then the mean of its derivatives on both sides.
 @param apart  what is beside u, in the voxels on both of its sides */
INTERVOX_HD inline geometry::LevelAt LiftedOf(const GridSide& side, const Vec3& u,
                                              const Vec3& apart, double share) {
  const geometry::VoxelAt voxel = geometry::FindVoxel(side.view, u);
  geometry::LevelAt out;
  out.value = voxel.beyond;
  bool within = voxel.node != nullptr;
  if (within) {
    out = geometry::SlopeIn(voxel.node, voxel.t);
    for (int axis = 0; axis < 3; ++axis) {
      const double room = std::fabs(apart[axis]);
      within = within && voxel.t[axis] > room && voxel.t[axis] < 1 - room;
    }
  }
  if (!within) {
    out.gradient = 0.5 * (geometry::Evaluate(side.view, u + apart).gradient +
                          geometry::Evaluate(side.view, u - apart).gradient);
  }
  if (share == 0 || voxel.node == nullptr || !HasNeighbours(side, out.value)) return out;
  AtNodes bends;
  FindBends(side, voxel, &bends);
  const geometry::LevelAt L = Between(bends, voxel.t);
  const LiftedLevel lifted = Lifted(out.value, L.value, share);
  return {lifted.value, out.gradient - lifted.slope * L.gradient};
}

}  // namespace intervox::cuda::internal::grid
