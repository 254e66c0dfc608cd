/** @file Which voxels of a tile are decided, what the others count for, and the blocks of a
 * lattice. */
#pragma once

#include <cstring>

#include "cuda/numerics/wide.h"
#include "cuda/rules/grid/levels.h"
#include "cuda/rules/grid/tile_sums.h"

namespace intervox::cuda::internal::grid {

/** The bits of so many numbers that are above zero. */
template <int kCount>
INTERVOX_HD unsigned PositiveOf(const double* x) {
  unsigned positive = 0;
  int k = 0;
  for (; k + kNumbersAtOnce <= kCount; k += kNumbersAtOnce) {
    positive |= PositiveLanes(LoadWide<kNumbersAtOnce>(x + k)) << k;
  }
  for (; k < kCount; ++k) positive |= PositiveLanes(x[k]) << k;
  return positive;
}

/** Notes the nodes that are outside of a side, and takes the voxels from `left` of which all nodes
 are. @returns whether there is a node outside. */
INTERVOX_HD inline bool NoteOutside(int slot, const NodeBits& nodes, Tile* tile) {
  const double* level = tile->level[slot];
  NodeBits& out = tile->positive[slot];
  std::uint64_t cuts = 0;
  for (int i = 0; i < kTileSide; ++i) {
    std::uint64_t positive = 0;
    const double* row = level + Tile::Node(i, 0, 0);
    for (int j = 0; j < kTileSide; ++j, row += kTileSide) {
      if ((nodes[i] >> 8 * j & 31) == 0) continue;
      positive |= std::uint64_t{PositiveOf<kTileSide>(row)} << 8 * j;
    }
    out[i] = positive & nodes[i];
    cuts |= out[i];
  }
  if (cuts == 0) return false;
  for (int i = 0; i < kTileEdge; ++i) tile->mixed[slot][i] = VoxelsWith(out[i], out[i + 1]);
  for (int i = 0; i < kTileEdge; ++i) tile->left[i] &= ~VoxelsWithin(out[i], out[i + 1]);
  return true;
}

/** Begins tiles with what bounds left undecided. */
INTERVOX_HD inline void Begin(const GridModel& model, std::uint64_t active, double edge,
                              Tile* tile) {
  tile->edge = edge;
  tile->lifts = model.lifted;
  tile->grids = model.grids;
  tile->count = 0;
  std::uint64_t rest = active;
  for (int s = 0; rest != 0; ++s, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    tile->unseen[tile->count] =
        s < model.grids ? 0.0 : UnseenIn(model.surface[s - model.grids], edge);
    tile->side[tile->count++] = s;
  }
}

/** Groups of a tile that bounds in their middle leave. */
struct LeftGroups {
  Groups all = 0;       ///< that are outside of no grid
  Groups open[2] = {};  ///< that a grid may cut
  Groups cut = 0;       ///< that some side may cut
};

/** (G9): decides groups by each grid's field in their middle. @param in_twos  of the other grid */
INTERVOX_HD inline LeftGroups DecideGroups(const GridModel& model, const OwnNodes& own,
                                           const Tile& tile, unsigned in_twos) {
  LeftGroups left;
  left.all = GroupsOf(tile.voxels) & ~in_twos;
  for (int slot = 0; slot < tile.count && left.all != 0; ++slot) {
    const int s = tile.side[slot];
    if (s >= model.grids) {
      left.cut = left.all;
      break;
    }
    const GridSide& side = model.grid[s];
    const unsigned known = s == 0 ? 0 : in_twos;
    const unsigned decided =
        s == 0 && own.stride != 0
            ? DecideGroups(side, own, left.all)
            : known | DecideGroups(side, tile.voxels, left.all & ~(known >> 8));
    left.all &= ~decided;
    left.open[s] = left.all & ~(decided >> 8);
  }
  left.cut |= (left.open[0] | left.open[1]) & left.all;
  return left;
}

/** Fills the tile with levels, in its voxels that are left and those that each grid may cut.
 @returns false where all is outside of a side

 Each side is read only at nodes of voxels that the sides before it left, the other grid, which
 costs the most, at last. */
INTERVOX_HD inline bool Fill(const GridModel& model, const OwnNodes& own, Tile* tile) {
  tile->cutting = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const bool last = turn == 1;
    for (int slot = 0; slot < tile->count; ++slot) {
      const int s = tile->side[slot];
      if ((s < model.grids && !(own.stride != 0 && s == 0)) != last) continue;
      double* level = tile->level[slot];
      VoxelBits voxels;
      for (int i = 0; i < kTileEdge; ++i) {
        voxels[i] = tile->left[i] & (s < model.grids ? tile->open[s][i] : ~0U);
      }
      NodeBits nodes;
      NodesOf(voxels, &nodes);
      if (s >= model.grids) {
        ReadLevels(model.surface[s - model.grids], *tile, nodes, level);
      } else if (s == 0 && own.stride != 0) {
        ReadLevels(own, model.grid[0].h, *tile, nodes, level);
      } else {
        ReadLevels(model.grid[s], nodes, tile, level);
      }
      // Lifted levels are those of whole voxels, which no cells of planes stand beside.
      if (!tile->lifts) SnapToFace(nodes, kOnNode * model.grid[0].h, level);
      if (NoteOutside(slot, nodes, tile)) {
        tile->cutting |= std::uint64_t{1} << slot;
        // Side 0 is the lattice's own, and stands still. Weights are halves, one for each of two
        // bodies that move.
        tile->turn[slot] = s == 0 ? 0.0 : 2 * WeightOf(model, s);
        if (tile->turn[slot] != 0) std::memset(tile->gain[slot], 0, sizeof tile->gain[slot]);
      }
      const VoxelBits& left = tile->left;
      if ((left[0] | left[1] | left[2] | left[3]) == 0) return false;
    }
  }
  return true;
}

/** Adds the voxels of a filled tile: whole those that its nodes' signs decide; calls add(tile,
 voxels, mixed, sums) for the others, together for all that the same sides leave undecided. */
template <class Add>
INTERVOX_HD void AddVoxels(Tile* tile, clip::ClipSums* sums, const Add& add) {
  const double half = 0.5 * tile->edge;
  VoxelBits rest, alike;
  for (int i = 0; i < kTileEdge; ++i) rest[i] = tile->left[i];
  std::memset(tile->share, 0, sizeof tile->share);
  for (int first = 0; first < kTileEdge;) {
    if (rest[first] == 0) {
      ++first;
      continue;
    }
    // Those of the first voxel's sides.
    const std::uint32_t bit = rest[first] & (0U - rest[first]);
    std::uint64_t mixed = 0;
    for (int i = first; i < kTileEdge; ++i) alike[i] = rest[i];
    for (std::uint64_t sides = tile->cutting; sides != 0; sides &= sides - 1) {
      const int slot = LowestBit(sides);
      const VoxelBits& of_side = tile->mixed[slot];
      const bool cuts = (of_side[first] & bit) != 0;
      if (cuts) mixed |= std::uint64_t{1} << slot;
      for (int i = first; i < kTileEdge; ++i) alike[i] &= cuts ? of_side[i] : ~of_side[i];
    }
    for (int i = 0; i < first; ++i) alike[i] = 0;
    for (int i = first; i < kTileEdge; ++i) rest[i] &= ~alike[i];
    if (mixed != 0) {
      int count = 0;
      ForEachBit(alike, [&](int, int, int) { ++count; });
      sums->leaves += count;
      if ((mixed & (mixed - 1)) != 0) sums->open += count * (8 * half * half * half);
      add(tile, alike, mixed, sums);
      continue;
    }
    ForEachBit(alike, [&](int i, int j, int k) { tile->share[Tile::Voxel(i, j, k)] = 1; });
  }
  AddMoments(*tile, sums);
}

/** Adds whole groups of a tile. */
INTERVOX_HD inline void AddWhole(const Tile& tile, Groups groups, clip::ClipSums* sums) {
  const double e = tile.edge;
  for (int n = 0; groups != 0; ++n, groups >>= 1) {
    if ((groups & 1U) == 0) continue;
    const Vec3 first = tile.At(2 * (n >> 2), n & 2, 2 * (n & 1));
    clip::AddBox(first + Vec3{e, e, e}, {e, e, e}, sums);
  }
}

/** Adds the tile that was begun, of two or kTileEdge voxels along each axis: calls add as AddVoxels
 does. @param in_twos  what is decided of its groups: DecideInTwos, or 0 */
template <class Add>
INTERVOX_HD void AddTile(const GridModel& model, const OwnNodes& own, unsigned in_twos, Tile* tile,
                         clip::ClipSums* sums, const Add& add) {
  const LeftGroups groups = DecideGroups(model, own, *tile, in_twos);
  AddWhole(*tile, groups.all & ~groups.cut, sums);
  if (groups.cut == 0) return;
  VoxelsOf(groups.cut, &tile->left);
  for (int s = 0; s < 2; ++s) VoxelsOf(groups.open[s], &tile->open[s]);
  if (!Fill(model, own, tile)) return;
  AddVoxels(tile, sums, add);
  AddGains(model, tile, sums);
}

/** Bounds the sides from `first` on over a block: false when nothing is left to be done, it being
 outside, or whole and added. */
INTERVOX_HD inline bool Decide(const GridModel& model, int first, double edge,
                               center::VoxelBlock* block, clip::ClipSums* sums) {
  clip::ClipCell cell = center::CellOf(*block, edge);
  ++sums->cells;
  if (!CullFrom(model, first, &cell)) return false;
  block->active = cell.active;
  if (cell.active == 0) clip::AddBox(cell.c, cell.h, sums);
  return cell.active != 0;
}

/** What a part of the lattice has of one of the grid's blocks. @param first  the block's first
 voxel
 @param voxels  that it has @returns the eighths that these are, which lie within them; or 0 */
INTERVOX_HD inline unsigned Meet(const center::VoxelBlock& part, const int (&first)[3],
                                 center::VoxelBlock* voxels) {
  using geometry::kBlockEdge;
  // Those of the lower half along each axis: bit 4x + 2y + z is of eighth (x, y, z).
  constexpr unsigned kLower[3] = {0x0fU, 0x33U, 0x55U};
  unsigned eighths = 0xffU;
  for (int axis = 0; axis < 3; ++axis) {
    const int begin = part.first[axis] - first[axis], end = begin + part.count[axis];
    const int low = begin > 0 ? begin : 0, high = end < kBlockEdge ? end : kBlockEdge;
    if (high <= low) return 0;
    voxels->first[axis] = first[axis] + low;
    voxels->count[axis] = high - low;
    if (low >= kTileEdge) eighths &= ~kLower[axis];
    if (high <= kTileEdge) eighths &= kLower[axis];
  }
  return eighths;
}

/** Adds what a part of the lattice has of a block of its grid, tile by tile where bounds do not
 decide. @param place  of the block; @param first  its first voxel */
template <class Add>
INTERVOX_HD void AddBlock(const GridModel& model, const center::VoxelBlock& part, int place,
                          const int (&first)[3], double edge, Tile* tile, clip::ClipSums* sums,
                          const Add& add) {
  const geometry::GridView& view = model.grid[0].view;
  const geometry::Extent& extent = view.extents[place];
  if (extent.lo > 0) return;
  center::VoxelBlock block;
  unsigned left = Meet(part, first, &block), inside = 0;
  block.active = AllSurfaces(model) & ~std::uint64_t{extent.hi < 0};
  if (left == 0 || !Decide(model, 1, edge, &block, sums)) return;
  static_assert(2 * kTileEdge == geometry::kBlockEdge);
  const std::int32_t of_block = view.places[place];
  if (of_block >= 0) {
    const geometry::Extent* of = view.eighths + std::int64_t{of_block} * geometry::kEighths;
    for (int n = 0; n < geometry::kEighths; ++n) {
      left &= ~(unsigned{of[n].lo > 0} << n);
      inside |= unsigned{of[n].hi <= 0} << n;
    }
  }
  // What the other grid decides of all tiles comes first, in one loop without a branch: what it
  // reads lies far apart.
  const bool other = (block.active >> 1 & 1) != 0 && model.grids == 2;
  unsigned in_twos[geometry::kEighths];
  int count = 0;
  center::VoxelBlock& voxels = tile->voxels;
  const auto place_tile = [&](int n) {
    voxels.first[0] = first[0] + kTileEdge * (n >> 2);
    voxels.first[1] = first[1] + kTileEdge * (n >> 1 & 1);
    voxels.first[2] = first[2] + kTileEdge * (n & 1);
    for (int& along : voxels.count) along = kTileEdge;
  };
  for (unsigned rest = left; rest != 0; rest &= rest - 1, ++count) {
    place_tile(LowestBit(rest));
    in_twos[count] = other ? DecideInTwos(model.grid[1], voxels) : 0;
  }
  std::uint64_t begun = 0;
  for (count = 0; left != 0; left &= left - 1, ++count) {
    if ((in_twos[count] & 255U) == 255U) continue;
    const int n = LowestBit(left);
    place_tile(n);
    voxels.active = block.active & ~std::uint64_t{inside >> n & 1U};
    // The middles of its groups tell more of grids.
    if ((model.surfaces > 0 || voxels.active == 0) &&
        !Decide(model, model.grids, edge, &voxels, sums)) {
      continue;
    }
    if (voxels.active != begun) Begin(model, begun = voxels.active, edge, tile);
    const int in[3] = {voxels.first[0] - first[0], voxels.first[1] - first[1],
                       voxels.first[2] - first[2]};
    AddTile(model, OwnNodesAt(view, of_block, in, 1), in_twos[count], tile, sums, add);
  }
}

/** Sums over a part of the lattice of a grid's own voxels, block by block of the grid. */
template <class Add>
INTERVOX_HD clip::ClipSums SumBlocks(const GridModel& model, const center::VoxelBlock& part,
                                     double edge, Tile* tile, const Add& add) {
  using geometry::kBlockEdge;
  const int(&size)[3] = model.grid[0].view.size;
  clip::ClipSums sums;
  int low[3], high[3], at[3], first[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto node = static_cast<unsigned>(model.at_origin[axis] + part.first[axis]);
    low[axis] = static_cast<int>(node / kBlockEdge);
    high[axis] =
        static_cast<int>((node + static_cast<unsigned>(part.count[axis] - 1)) / kBlockEdge);
  }
  for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
    first[0] = kBlockEdge * at[0] - model.at_origin[0];
    for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
      first[1] = kBlockEdge * at[1] - model.at_origin[1];
      for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        first[2] = kBlockEdge * at[2] - model.at_origin[2];
        const int place = (at[0] * size[1] + at[1]) * size[2] + at[2];
        AddBlock(model, part, place, first, edge, tile, &sums, add);
      }
    }
  }
  return sums;
}

}  // namespace intervox::cuda::internal::grid
