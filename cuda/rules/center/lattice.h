/** @file Voxels of a lattice: blocks that certified bounds decide are taken whole, the rest one by
 one. What is visited is a Model: surfaces with Cull, LevelAndSlopeOf and WeightOf. */
#pragma once

#include "cuda/numerics/lanes.h"
#include "cuda/rules/clip/tree.h"

namespace intervox::cuda::internal::center {

/** Most voxels along an axis. */
inline constexpr double kMaxVoxelsPerAxis = 1 << 20;

/** Voxels [first, first + count) along each axis; voxel i has its centre at (i + ½) h. */
struct VoxelBlock {
  int first[3];
  int count[3];
  std::uint64_t active;
};

/** Blocks that wait to be halved, depth first. */
struct BlockStack {
  VoxelBlock block[3 * 21 + 8];
};

/** The signs at one point: inside, or the mean weight of the surfaces that it violates, cuts inside
 a body left out. */
struct VoxelState {
  bool inside = true;
  double weight = 0;
};

/** g of surface i of a mapped pair, with its gradient, at y. */
INTERVOX_HD inline LevelAndSlope LevelAndSlopeOf(const clip::ClipModel& model, int i,
                                                 const Vec3& y) {
  return Evaluate(model.surface[i], y);
}

/** The weight of surface i's face in S and G. */
INTERVOX_HD inline double WeightOf(const clip::ClipModel& model, int i) {
  return model.surface[i].weight;
}

/** Tests a point against the active surfaces. */
template <class Model>
INTERVOX_HD VoxelState StateAt(const Model& model, std::uint64_t active, const Vec3& x) {
  VoxelState state;
  int faces = 0;
  for (int i = 0; active != 0; ++i, active >>= 1) {
    if ((active & 1) == 0 || LevelAndSlopeOf(model, i, x).value <= 0) continue;
    const double weight = WeightOf(model, i);
    state.inside = false;
    state.weight += weight;
    faces += weight != 0;
  }
  if (faces > 0) state.weight /= faces;
  return state;
}

/** (N1), (N3): adds a voxel near the boundary if its centre is inside, with its faces towards
 voxels outside.
 */
template <class Model>
INTERVOX_HD void AddVoxel(const Model& model, std::uint64_t active, const Vec3& c, double h,
                          clip::ClipSums* sums) {
  if (!StateAt(model, active, c).inside) return;
  clip::AddBox(c, 0.5 * Vec3{h, h, h}, sums);
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

/** Adds an undecided cell by itself where its model has a way. @returns whether it did. */
template <class Model>
INTERVOX_HD bool AddLinear(const Model& /*model*/, const clip::ClipCell& /*cell*/,
                           clip::ClipSums* /*sums*/) {
  return false;
}

/** The cell of a block of voxels of edge h. */
INTERVOX_HD inline clip::ClipCell CellOf(const VoxelBlock& block, double h) {
  clip::ClipCell cell;
  for (int axis = 0; axis < 3; ++axis) {
    cell.h[axis] = 0.5 * h * block.count[axis];
    cell.c[axis] = h * block.first[axis] + cell.h[axis];
  }
  cell.active = block.active;
  return cell;
}

/** (N2): sums over all voxels of a block: whole sub-blocks where bounds decide, else add(part, c,
 sums) for parts about c of at most `most` voxels along each axis, with the surfaces that bounds
 leave undecided. Parts begin at multiples of `most` from the block's first voxel.
 @param margin  bounds are taken that much wider than the block, so that it has no face of the
 overlap within that distance where they decide. */
template <class Model, class Add>
INTERVOX_HD clip::ClipSums SumParts(const Model& model, const VoxelBlock& all, double h,
                                    double margin, int most, BlockStack* room, const Add& add) {
  clip::ClipSums sums;
  VoxelBlock* const stack = room->block;
  int top = 0;
  stack[top++] = all;
  stack[0].active = AllSurfaces(model);
  while (top > 0) {
    VoxelBlock block = stack[--top];
    clip::ClipCell cell = CellOf(block, h);
    const Vec3 half = cell.h;
    cell.h += Vec3{margin, margin, margin};
    int longest = 0;
    for (int axis = 1; axis < 3; ++axis) {
      if (block.count[axis] > block.count[longest]) longest = axis;
    }
    ++sums.cells;
    if (!Cull(model, &cell)) continue;
    block.active = cell.active;
    if (block.active == 0) {
      clip::AddBox(cell.c, half, &sums);
      continue;
    }
    if (AddLinear(model, cell, &sums)) continue;
    if (block.count[longest] <= most) {
      add(block, cell.c, &sums);
      continue;
    }
    VoxelBlock upper = block;
    const int low = (block.count[longest] / 2 + most - 1) / most * most;
    block.count[longest] = low;
    upper.first[longest] += low;
    upper.count[longest] -= low;
    stack[top++] = upper;
    stack[top++] = block;
  }
  return sums;
}

/** The voxels that meet the box [lower, upper], and one more on either side. False for lattices of
 more than 2²⁰ voxels along an axis. */
INTERVOX_HD inline bool VoxelsOf(const Vec3& lower, const Vec3& upper, double h,
                                 VoxelBlock* voxels) {
  for (int axis = 0; axis < 3; ++axis) {
    const double low = lower[axis] / h, high = upper[axis] / h;
    if (!(high - low < kMaxVoxelsPerAxis) || !(low > -2e9) || !(high < 2e9)) return false;
    voxels->first[axis] = static_cast<int>(low) - 1;
    voxels->count[axis] = static_cast<int>(high) + 2 - voxels->first[axis];
  }
  return true;
}

/** The parts of a block that lanes share: at most 8 along each axis, of equal size but for the
 last. */
struct LatticeParts {
  int size[3], count[3];

  /** How many there are. */
  INTERVOX_HD int Count() const { return count[0] * count[1] * count[2]; }
};

/** The parts of a block, whose sizes are multiples of `most` along each axis [voxels]. */
INTERVOX_HD inline LatticeParts PartsOf(const VoxelBlock& voxels, const int (&most)[3]) {
  LatticeParts parts;
  for (int axis = 0; axis < 3; ++axis) {
    const int least = (voxels.count[axis] + 7) / 8;
    parts.size[axis] = (least + most[axis] - 1) / most[axis] * most[axis];
    parts.count[axis] = (voxels.count[axis] + parts.size[axis] - 1) / parts.size[axis];
  }
  return parts;
}

/** Part i of a block. */
INTERVOX_HD inline VoxelBlock PartOf(const VoxelBlock& voxels, const LatticeParts& parts, int i) {
  const int at[3] = {i % parts.count[0], i / parts.count[0] % parts.count[1],
                     i / (parts.count[0] * parts.count[1])};
  VoxelBlock block;
  block.active = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int begin = at[axis] * parts.size[axis], rest = voxels.count[axis] - begin;
    block.first[axis] = voxels.first[axis] + begin;
    block.count[axis] = parts.size[axis] < rest ? parts.size[axis] : rest;
  }
  return block;
}

/** Sums over the voxels of a part: whole blocks where bounds decide, else add(active, c, sums) for
 a voxel about c, which counts as a leaf. */
template <class Model, class Add>
INTERVOX_HD clip::ClipSums SumVoxels(const Model& model, const VoxelBlock& part, double h,
                                     double margin, BlockStack* room, const Add& add) {
  return SumParts(model, part, h, margin, 1, room,
                  [&](const VoxelBlock& voxel, const Vec3& c, clip::ClipSums* sums) {
                    ++sums->leaves;
                    add(voxel.active, c, sums);
                  });
}

/** Sums over all voxels, in parts which lanes share: SumVoxels. */
template <class Model, class Add>
INTERVOX_HD clip::ClipSums SumLattice(const Model& model, const VoxelBlock& voxels, double h,
                                      double margin, BlockStack* room,
                                      LaneSums<clip::ClipSums>* lanes, const Add& add) {
  const LatticeParts parts = PartsOf(voxels, {1, 1, 1});
  return SumInLanes<clip::ClipSums>(
      parts.Count(),
      [&](int i) { return SumVoxels(model, PartOf(voxels, parts, i), h, margin, room, add); },
      lanes);
}

}  // namespace intervox::cuda::internal::center
