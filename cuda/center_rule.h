/** @file The center rule: the plain voxel count, for the study of accuracy against voxel size. */
#pragma once

#include "cuda/clip/rule.h"

namespace intervox::cuda {

namespace internal {

/** Most voxels along an axis, and most that may be looked at one by one in one block row. */
inline constexpr double kMaxVoxelsPerAxis = 1 << 20;

/** Voxels [first, first + count) along each axis; voxel i has its centre at (i + ½) h. */
struct VoxelBlock {
  int first[3] = {};
  int count[3] = {};
  std::uint64_t active = 0;
};

/** The signs at one point: inside, or the mean weight of the surfaces that it violates. */
struct VoxelState {
  bool inside = true;
  double weight = 0;
};

/** Tests the centre of a voxel against the active surfaces. */
INTERVOX_HD inline VoxelState StateAt(const ClipModel& model, std::uint64_t active, const Vec3& x) {
  VoxelState state;
  int violated = 0;
  for (int i = 0; active != 0; ++i, active >>= 1) {
    if ((active & 1) == 0 || Evaluate(model.surface[i], x).value <= 0) continue;
    state.weight += model.surface[i].weight;
    ++violated;
  }
  state.inside = violated == 0;
  if (violated > 0) state.weight /= violated;
  return state;
}

/** Adds a voxel near the boundary, and its faces towards voxels outside. */
INTERVOX_HD inline void AddVoxel(const ClipModel& model, std::uint64_t active, const Vec3& c,
                                 double h, ClipSums* sums) {
  ++sums->leaves;
  if (!StateAt(model, active, c).inside) return;
  AddBox(c, 0.5 * Vec3{h, h, h}, sums);
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      Vec3 n;
      n[axis] = sign;
      const VoxelState next = StateAt(model, active, c + h * n);
      if (next.inside || next.weight == 0) continue;
      const Vec3 area = (next.weight * h * h) * n;
      sums->s += area;
      sums->t = sums->t + Outer(c + 0.5 * h * n, area);
    }
  }
}

/** All voxels of a block: whole sub-blocks where bounds decide, else voxel by voxel. Bounds are
 taken one voxel wider, so that a decided block has no face of the overlap. */
INTERVOX_HD inline ClipSums CountBlock(const ClipModel& model, const VoxelBlock& all, double h) {
  ClipSums sums;
  VoxelBlock stack[3 * 21 + 8];
  int top = 0;
  stack[top++] = all;
  while (top > 0) {
    VoxelBlock block = stack[--top];
    ClipCell cell;
    Vec3 half;
    int longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      half[axis] = 0.5 * h * block.count[axis];
      cell.c[axis] = h * block.first[axis] + half[axis];
      cell.h[axis] = half[axis] + h;
      if (block.count[axis] > block.count[longest]) longest = axis;
    }
    cell.active = block.active;
    ++sums.cells;
    if (!Cull(model, &cell)) continue;
    block.active = cell.active;
    if (block.active == 0) {
      AddBox(cell.c, half, &sums);
      continue;
    }
    if (block.count[longest] == 1) {
      AddVoxel(model, block.active, cell.c, h, &sums);
      continue;
    }
    VoxelBlock upper = block;
    const int low = block.count[longest] / 2;
    block.count[longest] = low;
    upper.first[longest] += low;
    upper.count[longest] -= low;
    stack[top++] = upper;
    stack[top++] = block;
  }
  return sums;
}

}  // namespace internal

/** The voxel count of an overlap: every voxel whose centre is inside counts whole.

 The lattice has the world's axes and a corner at the pair-local origin L; voxels are cubes of edge
 voxel_size [m] (≤ 0: a 64th of the longest side of the pair's box). Moments are those of the union
 of the counted voxels, each one's own second moment included. S and G are those of the staircase:
 the faces between a counted voxel and a neighbour outside, weighted by the surfaces that the
 neighbour's centre violates. Blocks of voxels that certified bounds decide are counted at once, so
 that the work follows the boundary.
 @return error: half the volume of the voxels that bounds leave undecided [m³]; not accepted when
 the lattice has more than 2²⁰ voxels along an axis. First order in the voxel size. */
template <class Team>
INTERVOX_HD RuleResult CenterRule(const Team& team, const LocalPair& pair, double voxel_size,
                                  Moments* moments) {
  RuleResult result;
  *moments = {};
  const Vec3 extent = pair.upper - pair.lower;
  double longest = extent.x > extent.y ? extent.x : extent.y;
  longest = longest > extent.z ? longest : extent.z;
  const double h = voxel_size > 0 ? voxel_size : longest / 64;
  if (!(h > 0) || !(longest < internal::kMaxVoxelsPerAxis * h)) return result;
  internal::ClipModel model;
  model.box.F = Mat3::Identity();
  internal::MapSurfaces(pair, &model);
  // The lattice is cut into blocks of whole voxels, at most 8 along an axis.
  int first[3], count[3], size[3], blocks[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double low = pair.lower[axis] / h, high = pair.upper[axis] / h;
    if (!(low > -2e9) || !(high < 2e9)) return result;
    first[axis] = static_cast<int>(low) - 1;
    count[axis] = static_cast<int>(high) + 2 - first[axis];
    size[axis] = (count[axis] + 7) / 8;
    blocks[axis] = (count[axis] + size[axis] - 1) / size[axis];
  }
  const internal::ClipSums sums =
      team.template Sum<internal::ClipSums>(blocks[0] * blocks[1] * blocks[2], [&](int i) {
        const int at[3] = {i % blocks[0], i / blocks[0] % blocks[1], i / (blocks[0] * blocks[1])};
        internal::VoxelBlock block;
        for (int axis = 0; axis < 3; ++axis) {
          const int begin = at[axis] * size[axis];
          block.first[axis] = first[axis] + begin;
          block.count[axis] = begin + size[axis] < count[axis] ? size[axis] : count[axis] - begin;
        }
        block.active = internal::AllSurfaces(model);
        return internal::CountBlock(model, block, h);
      });
  *moments = internal::MapBack(model.box, sums);
  result.error = 0.5 * h * h * h * sums.leaves;
  result.work = sums.leaves;
  result.accepted = true;
  return result;
}

}  // namespace intervox::cuda
