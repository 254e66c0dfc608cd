/** @file The grid rules: center, fraction, clip and voxel on the lattice of a grid's own voxels. */
#pragma once

#include "cuda/numerics/lanes.h"
#include "cuda/rules/clip/rule.h"
#include "cuda/rules/grid/fraction.h"
#include "cuda/rules/grid/tetrahedra.h"

namespace intervox::cuda {

/** The voxels of a grid that an overlap may meet, with a corner of voxel (0, 0, 0) at the origin.
 Ranges are even, so that voxels of twice the edge fill them, too. */
struct GridDomain {
  internal::center::VoxelBlock voxels;
  double h = 0;  ///< edge of a voxel [m]
};

namespace internal::grid {

/** Most undecided cells of one level of the voxel rule. */
inline constexpr int kMostGridLeaves = 1000000;
/** Finest level of the voxel rule: 2¹⁰ cells along a voxel. */
inline constexpr int kFinestGridLevel = 10;
/** The last change is the error of the sums before it; theirs is smaller. Between random grids it
 was a fifth of it at most. */
inline constexpr double kShareOfChange = 1.0 / 3;
/** The voxel rule starts with at least so many cells along the domain's longest side. */
inline constexpr int kLeastCells = 8;

/** The sums at the cells of edge h/2^level; level −1 has cells of two voxels. */
inline clip::ClipSums SumLevel(const GridDomain& domain, int level, LeafRule rule, GridModel* model,
                               Tile* tile) {
  center::VoxelBlock cells = domain.voxels;
  for (int axis = 0; axis < 3; ++axis) {
    int &first = cells.first[axis], &count = cells.count[axis];
    first = level < 0 ? first / 2 : first * (1 << level);
    count = level < 0 ? count / 2 : count * (1 << level);
  }
  const double edge = level < 0 ? 2 * domain.h : domain.h / (1 << level);
  if (rule == LeafRule::kCenter) {
    // Bounds are taken one voxel wider, so that a decided block has no face of the overlap.
    return center::SumLattice(*model, cells, edge, edge,
                              [&](std::uint64_t active, const Vec3& c, clip::ClipSums* sums) {
                                center::AddVoxel(*model, active, c, edge, sums);
                              });
  }
  SubtractBias(edge, model);
  return SumTiles(*model, cells, edge, tile,
                  rule == LeafRule::kFraction ? AddShare : AddTetrahedra);
}

/** The coarsest level whose cells are kLeastCells along the domain's longest side. */
inline int FirstLevel(const GridDomain& domain) {
  int longest = 0, level = 0;
  for (const int count : domain.voxels.count) longest = count > longest ? count : longest;
  while (longest << level < kLeastCells) ++level;
  return level;
}

/** (G4): the clip rule's sums level by level, (4 F_k − F_{k−1})/3 of all of them, until the change
 is within the tolerance, or too many cells are left. */
inline RuleResult SumToTolerance(const GridDomain& domain, double tolerance, double floor,
                                 GridModel* model, Tile* tile, clip::ClipSums* sums) {
  RuleResult result;
  result.accepted = true;
  int level = FirstLevel(domain);
  clip::ClipSums coarse = SumLevel(domain, level, LeafRule::kClip, model, tile);
  *sums = coarse;
  result.work = coarse.leaves;
  if (coarse.leaves == 0) return result;  // whole blocks: exact
  for (++level; level <= kFinestGridLevel; ++level) {
    const clip::ClipSums fine = SumLevel(domain, level, LeafRule::kClip, model, tile);
    result.work += fine.leaves;
    clip::ClipSums next = clip::Times(4.0 / 3, fine);
    next += clip::Times(-1.0 / 3, coarse);
    const double v = next.v > 0 ? next.v : 0;
    result.error = fine.leaves == 0 ? 0 : kShareOfChange * clip::Difference(*sums, next) * v;
    *sums = next;
    coarse = fine;
    const bool small = result.error <= tolerance * v || result.error <= floor;
    if (small || fine.leaves > kMostGridLeaves / 4) break;
  }
  return result;
}

}  // namespace internal::grid

/** The metrics' sums of a grid's overlap, about the domain's origin.

 - center: voxels count whole where their centre is inside; faces of the staircase.
 - fraction: voxels count with their share by the means of their nodes' levels and
 differences.
 - clip: six tetrahedra of each voxel are clipped by levels that are linear in them; second order.
 - voxel: clip on halved cells, extrapolated, until the tolerance is met. The limit is the overlap
 of the trilinear fields themselves.
 @return error: of center half the undecided voxels' volume; of fraction the difference to voxels of
 twice the edge, of clip half of it; of voxel a third of
 the last change. Not accepted for other rules. */
inline RuleResult GridRule(const GridDomain& domain, LeafRule rule, double tolerance, double floor,
                           internal::grid::GridModel* model, internal::grid::Tile* tile,
                           internal::clip::ClipSums* sums) {
  RuleResult result;
  if (rule == LeafRule::kVoxel) {
    return internal::grid::SumToTolerance(domain, tolerance, floor, model, tile, sums);
  }
  if (rule != LeafRule::kCenter && rule != LeafRule::kFraction && rule != LeafRule::kClip) {
    return result;
  }
  *sums = internal::grid::SumLevel(domain, 0, rule, model, tile);
  result.accepted = true;
  result.work = sums->leaves;
  if (rule == LeafRule::kCenter) {
    result.error = 0.5 * domain.h * domain.h * domain.h * sums->leaves;
    return result;
  }
  const internal::clip::ClipSums coarse = internal::grid::SumLevel(domain, -1, rule, model, tile);
  result.work += coarse.leaves;
  result.error = (rule == LeafRule::kClip ? 0.5 : 1.0) * std::fabs(sums->v - coarse.v);
  return result;
}

}  // namespace intervox::cuda
