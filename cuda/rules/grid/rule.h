/** @file The grid rules: center, fraction, clip and voxel on the lattice of a grid's own voxels. */
#pragma once

#include "cuda/numerics/lanes.h"
#include "cuda/rules/clip/rule.h"
#include "cuda/rules/grid/add_tile.h"
#include "cuda/rules/grid/fraction.h"
#include "cuda/rules/grid/tetrahedra.h"
#include "cuda/rules/grid/together.h"

namespace intervox::cuda {

/** The voxels of a grid that an overlap may meet, with a corner of voxel (0, 0, 0) at the origin.
 Ranges are even, so that voxels of twice the edge fill them, too. */
struct GridDomain {
  internal::center::VoxelBlock voxels = {};
  int block[3] = {};  ///< the first voxel of one of the grid's blocks
  double h = 0;       ///< edge of a voxel [m]
};

namespace internal::grid {

/** Most undecided cells of one level of the voxel rule. */
inline constexpr int kMostGridLeaves = 1000000;
/** Finest level of the voxel rule: 2¹⁰ cells along a voxel. */
inline constexpr int kFinestGridLevel = 10;
/** The voxel rule starts with at least so many cells along the domain's longest side. */
inline constexpr int kLeastCells = 8;

/** (G12): fraction and clip state so many volumes between planes and levels. Of 882 random pairs
 of three to twenty voxels one erred by 2.6, whose tube is a voxel thick, all others by less. */
inline constexpr double kTimesBetween = 2;
/** Where two sides cut a voxel an edge may pass between nodes, and hold as much of a voxel: of
 2,400 rims of cylinders on a face, 0.3 to 0.9 voxels deep, one errs by more, 1.02 of what is
 stated. */
inline constexpr double kBetweenNodes = 0.25;

/** Most undecided cells of a level at which the voxel rule looks on for a first overlap. */
inline constexpr int kMostUnseenLeaves = 1024;

/** What one level of a rule sums: cells of the lattice against all sides. */
struct GridLevel {
  GridModel model;
  center::VoxelBlock cells = {};
  /** How many of its parts' first cells along each axis are none of its cells. */
  int before[3] = {};
  double edge = 0;  ///< of a cell [m]
  LeafRule rule = LeafRule::kVoxel;
};

/** The first voxel of the block in which a voxel is, along an axis. */
INTERVOX_HD inline int BlockBegin(const GridDomain& domain, int axis, int voxel) {
  const int in = (voxel - domain.block[axis]) % geometry::kBlockEdge;
  return voxel - (in < 0 ? in + geometry::kBlockEdge : in);
}

/** Whether a rule takes the lattice's own voxels, block by block. */
INTERVOX_HD inline bool GoesByBlocks(LeafRule rule) {
  return rule == LeafRule::kFraction || rule == LeafRule::kClip;
}

/** The cells of edge h/2^level; level −1 has cells of two voxels. Parts begin where blocks do,
 where they are as large as these or tiles would lie in two of them. Not the model. */
INTERVOX_HD inline GridLevel LevelOfCells(const GridDomain& domain, int level, LeafRule rule) {
  GridLevel out;
  for (int axis = 0; axis < 3; ++axis) {
    const int first = domain.voxels.first[axis], count = domain.voxels.count[axis];
    out.cells.first[axis] = level < 0 ? first / 2 : first * (1 << level);
    out.cells.count[axis] = level < 0 ? count / 2 : count * (1 << level);
    const int before = first - BlockBegin(domain, axis, first);
    if (level < 0) out.before[axis] = before / 2;
    if (GoesByBlocks(rule) && count > geometry::kBlockEdge) out.before[axis] = before;
  }
  out.edge = level < 0 ? 2 * domain.h : domain.h / (1 << level);
  out.rule = rule;
  return out;
}

/** The parts of a level that lanes share. A part of the grid's own voxels begins at a tile, which
 lies in one of its blocks. */
INTERVOX_HD inline center::LatticeParts PartsOf(const GridLevel& level) {
  center::VoxelBlock all = level.cells;
  int most[3];
  for (int axis = 0; axis < 3; ++axis) {
    const bool blocks = GoesByBlocks(level.rule) && all.count[axis] > geometry::kBlockEdge;
    most[axis] = level.rule == LeafRule::kCenter ? 1 : blocks ? geometry::kBlockEdge : kTileEdge;
    all.count[axis] += level.before[axis];
  }
  return center::PartsOf(all, most);
}

/** Part i of a level: what it has of the level's cells. */
INTERVOX_HD inline center::VoxelBlock PartOf(const GridLevel& level,
                                             const center::LatticeParts& parts, int i) {
  center::VoxelBlock all = level.cells;
  for (int axis = 0; axis < 3; ++axis) {
    all.first[axis] -= level.before[axis];
    all.count[axis] += level.before[axis];
  }
  center::VoxelBlock part = center::PartOf(all, parts, i);
  for (int axis = 0; axis < 3; ++axis) {
    const int none = level.cells.first[axis] - part.first[axis];
    if (none <= 0) continue;
    part.first[axis] += none;
    part.count[axis] -= none;
  }
  return part;
}

/** The sums of part i of a level. */
INTERVOX_HD inline clip::ClipSums SumPart(const GridLevel& level, const center::LatticeParts& parts,
                                          int i, Tile* tile) {
  const GridModel& model = level.model;
  const double edge = level.edge;
  const center::VoxelBlock part = PartOf(level, parts, i);
  if (level.rule == LeafRule::kCenter) {
    // Bounds are taken one voxel wider, so that a decided block has no face of the overlap.
    return center::SumVoxels(model, part, edge, edge, &tile->blocks,
                             [&](std::uint64_t active, const Vec3& c, clip::ClipSums* sums) {
                               center::AddVoxel(model, active, c, edge, sums);
                             });
  }
  const auto add_shares = [](Tile* of, const VoxelBits& voxels, std::uint64_t mixed,
                             clip::ClipSums* to) { AddShares(of, voxels, mixed, to); };
  const auto add_tetrahedra = [](Tile* of, const VoxelBits& voxels, std::uint64_t mixed,
                                 clip::ClipSums* to) { AddTetrahedra(of, voxels, mixed, to); };
  if (level.rule == LeafRule::kFraction) return SumBlocks(model, part, edge, tile, add_shares);
  if (level.rule == LeafRule::kClip) return SumBlocks(model, part, edge, tile, add_tetrahedra);
  // Levels of the voxel rule are those of the fields, which no lift moves.
  return center::SumParts(
      CloseSides{model, &tile->polygon}, part, edge, 0.0, kTileEdge, &tile->blocks,
      [&](const center::VoxelBlock& block, const Vec3&, clip::ClipSums* sums) {
        Begin(model, block.active, edge, tile);
        tile->voxels = block;
        AddTile(model, FindOwnNodes(model, block, edge), 0, tile, sums, add_tetrahedra);
      });
}

/** The sums of one of kLanes lanes of a level, of those that have parts. A pair's lanes may be
 summed apart: AddLanes makes SumLevel of them. */
INTERVOX_HD inline void SumLaneOf(const GridLevel& level, int lane, Tile* tile,
                                  clip::ClipSums* sums) {
  const center::LatticeParts parts = PartsOf(level);
  const auto sum = [&](int i) { return SumPart(level, parts, i, tile); };
  SumLane(lane, parts.Count(), sum, sums);
}

/** How many lanes of a level have parts. */
INTERVOX_HD inline int LanesOf(const GridLevel& level) {
  const int parts = PartsOf(level).Count();
  return parts < kLanes ? parts : kLanes;
}

/** The sums of all lanes together. */
INTERVOX_HD inline clip::ClipSums AddLanes(const clip::ClipSums* lane, int lanes) {
  return SumInLanes<clip::ClipSums>(lanes, [&](int i) { return lane[i]; });
}

/** The sums of a level. */
INTERVOX_HD inline clip::ClipSums SumLevel(const GridLevel& level, Tile* tile) {
  const center::LatticeParts parts = PartsOf(level);
  return SumInLanes<clip::ClipSums>(parts.Count(),
                                    [&](int i) { return SumPart(level, parts, i, tile); });
}

/** The coarsest level whose cells are kLeastCells along the domain's longest side. */
INTERVOX_HD inline int FirstLevel(const GridDomain& domain) {
  int longest = 0, level = 0;
  for (const int count : domain.voxels.count) longest = count > longest ? count : longest;
  while (longest << level < kLeastCells) ++level;
  return level - 1;
}

/** (G4): the error of the last of so many sums, relative.
 @param change        the last changes of the sums, the latest first
 @param leaves        undecided cells of the last level
 @param extrapolated  whether the sums are */
INTERVOX_HD inline double ErrorAfter(int changes, const double (&change)[3], int leaves,
                                     bool extrapolated) {
  // Two sums over few cells may agree by chance.
  constexpr int kFew = 200;
  if (changes < 2) return changes == 1 && leaves >= kFew ? 2 * change[0] : 1.0;
  double error = change[0] > change[1] / 8 ? change[0] : change[1] / 8;
  const double luck = changes == 2 ? 0 : change[2] / (extrapolated ? 32 : 64);
  return error > luck ? error : luck;
}

}  // namespace internal::grid

/** A pair's sums level by level: what is known, and whether another level is to be summed.

 - center: voxels count whole where their centre is inside; faces of the staircase.
 - fraction: voxels count with their share by the means of their nodes' levels and differences.
 - clip: six tetrahedra of each voxel are clipped by levels that are linear in them; second order.
 - voxel: clip on halved cells, F_k or (4 F_k − F_{k−1})/3 of all sums (G4), until the tolerance is
 met or too many cells are left. The limit is the overlap of the trilinear fields themselves.

 Errors: of center half the undecided voxels' volume; of fraction and clip (G12), and a quarter of
 a voxel where two sides cut one; of voxel what ErrorAfter makes of the last changes. */
struct GridProgress {
  LeafRule rule = LeafRule::kVoxel;
  int level = 0;      ///< the next to be summed
  bool open = false;  ///< whether there is a next one
  /** Of voxel: whether a side bends between the lattice's nodes, and no lift says how. */
  bool extrapolates = false;
  RuleResult result;
  internal::clip::ClipSums sums;    ///< about the domain's origin, so far
  internal::clip::ClipSums coarse;  ///< of the level before, by themselves
  int changes = 0;                  ///< of sums, since there is an overlap
  double change[3] = {};            ///< the last of them, relative, the latest first
};

/** Before the first level. Not accepted, and not open, for other rules. */
INTERVOX_HD inline GridProgress BeginLevels(const GridDomain& domain, LeafRule rule) {
  GridProgress progress;
  progress.rule = rule;
  progress.open = rule == LeafRule::kVoxel || rule == LeafRule::kCenter ||
                  rule == LeafRule::kFraction || rule == LeafRule::kClip;
  if (rule == LeafRule::kVoxel) progress.level = internal::grid::FirstLevel(domain);
  return progress;
}

/** Takes the sums of the next level. */
INTERVOX_HD inline void TakeLevel(const GridDomain& domain, double tolerance, double floor,
                                  const internal::clip::ClipSums& next, GridProgress* progress) {
  namespace clip = internal::clip;
  namespace grid = internal::grid;
  RuleResult& result = progress->result;
  result.work += next.leaves;
  if (!result.accepted) {
    result.accepted = true;
    progress->sums = progress->coarse = next;
    if (progress->rule == LeafRule::kCenter) {
      result.error = 0.5 * domain.h * domain.h * domain.h * next.leaves;
      progress->open = false;
    } else if (progress->rule == LeafRule::kVoxel) {
      ++progress->level;
      progress->open = next.leaves != 0;  // whole blocks: exact
    } else {
      const double voxel = domain.h * domain.h * domain.h;
      result.error = grid::kTimesBetween * next.between;
      if (next.open > 0) result.error += grid::kBetweenNodes * voxel;
      progress->open = false;
    }
    return;
  }
  clip::ClipSums fine = next;
  if (progress->extrapolates) {
    fine = clip::Times(4.0 / 3, next);
    fine += clip::Times(-1.0 / 3, progress->coarse);
  }
  const double v = fine.v > 0 ? fine.v : 0;
  double(&change)[3] = progress->change;
  change[2] = change[1];
  change[1] = change[0];
  change[0] = clip::Difference(progress->sums, fine);
  progress->changes = progress->coarse.v > 0 ? progress->changes + 1 : 0;
  result.error = std::sqrt(next.rough);
  if (next.leaves != 0) {
    result.error +=
        grid::ErrorAfter(progress->changes, change, next.leaves, progress->extrapolates) * v;
  }
  progress->sums = fine;
  progress->coarse = next;
  // Nothing in two levels is no nothing: a sliver may lie between all nodes.
  const bool unseen = !(v > 0) && next.leaves != 0 && next.leaves <= grid::kMostUnseenLeaves;
  const bool small = !unseen && (result.error <= tolerance * v || result.error <= floor);
  ++progress->level;
  progress->open = !small && next.leaves <= grid::kMostGridLeaves / 4 &&
                   progress->level <= grid::kFinestGridLevel;
}

}  // namespace intervox::cuda
