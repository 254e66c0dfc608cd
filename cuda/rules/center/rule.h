/** @file The center rule: the plain voxel count, for the study of accuracy against voxel size. */
#pragma once

#include "cuda/rules/center/lattice.h"
#include "cuda/rules/clip/rule.h"

namespace intervox::cuda {

namespace internal::center {

/** What is summed of a pair: its model, the blocks that wait, and the lanes' sums. It is too large
 for the stack of a device's thread. */
struct CenterMemory {
  Place<clip::ClipModel> model;
  BlockStack blocks;
  LaneSums<clip::ClipSums> lanes;
};

}  // namespace internal::center

/** The voxel count of an overlap: every voxel whose centre is inside counts whole.

 The lattice has the world's axes and a corner at the pair-local origin L; voxels are cubes of edge
 voxel_size [m] (≤ 0: a 64th of the longest side of the pair's box). Moments are those of the union
 of the counted voxels, each one's own second moment included. S and G are those of the staircase:
 the faces between a counted voxel and a neighbour outside, weighted by the surfaces that the
 neighbour's centre violates. Blocks of voxels that certified bounds decide are counted at once, so
 that the work follows the boundary.
 @param memory  whatever it holds is lost
 @return (N4) error: half the volume of the voxels that bounds leave undecided [m³]; not accepted
 when the lattice has more than 2²⁰ voxels along an axis. First order in the voxel size. */
INTERVOX_HD inline RuleResult CenterRule(const LocalPair& pair, double voxel_size, Moments* moments,
                                         internal::center::CenterMemory* memory) {
  RuleResult result;
  *moments = {};
  const Vec3 extent = pair.upper - pair.lower;
  double longest = extent.x > extent.y ? extent.x : extent.y;
  longest = longest > extent.z ? longest : extent.z;
  const double h = voxel_size > 0 ? voxel_size : longest / 64;
  if (!(h > 0)) return result;
  internal::clip::ClipModel& model = memory->model.Make();
  model.box.F = Mat3::Identity();
  internal::clip::MapSurfaces(pair, &model);
  internal::center::VoxelBlock voxels;
  if (!internal::center::VoxelsOf(pair.lower, pair.upper, h, &voxels)) return result;
  // Bounds are taken one voxel wider, so that a decided block has no face of the overlap.
  const internal::clip::ClipSums sums = internal::center::SumLattice(
      model, voxels, h, h, &memory->blocks, &memory->lanes,
      [&](std::uint64_t active, const Vec3& c, internal::clip::ClipSums* sums) {
        internal::center::AddVoxel(model, active, c, h, sums);
      });
  *moments = Mapped(model.box.F, model.box.p, sums, sums.s, sums.t);
  result.error = 0.5 * h * h * h * sums.leaves;
  result.work = sums.leaves;
  result.accepted = true;
  return result;
}

/** The same with its memory on the stack. Out of line: it would be the stack of every pair. */
__attribute__((noinline)) inline RuleResult CenterRule(const LocalPair& pair, double voxel_size,
                                                       Moments* moments) {
  internal::center::CenterMemory memory;
  return CenterRule(pair, voxel_size, moments, &memory);
}

}  // namespace intervox::cuda
