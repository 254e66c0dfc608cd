/** @file What the voxels of a tile count for, and what V changes with the sides. */
#pragma once

#include <cstring>

#include "cuda/numerics/wide.h"
#include "cuda/rules/grid/levels.h"

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

/** (G9): decides groups by each grid's field in their middle. */
INTERVOX_HD inline LeftGroups DecideGroups(const GridModel& model, const OwnNodes& own,
                                           const Tile& tile) {
  LeftGroups left;
  left.all = GroupsOf(tile.voxels);
  for (int slot = 0; slot < tile.count && left.all != 0; ++slot) {
    const int s = tile.side[slot];
    if (s >= model.grids) {
      left.cut = left.all;
      break;
    }
    const unsigned decided = DecideGroups(model.grid[s], s == 0 ? own : OwnNodes{}, tile, left.all);
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
        ReadLevels(model.grid[s], LiftOf(model.grid[s], *tile), nodes, tile, level);
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

/** Adds to S and T what the gains of one side are along its gradients: gradient_at(i, j, k), in
 axes that R turns to the lattice's. */
template <class GradientAt>
INTERVOX_HD void AddGainsOf(const Tile& tile, int slot, const NodeBits& nodes, const Mat3& R,
                            const GradientAt& gradient_at, clip::ClipSums* sums) {
  // Faces of all nodes, and by their numbers along each axis.
  Vec3 s, by_x, by_y, by_z;
  for (int i = 0; i < kTileSide; ++i) {
    Vec3 layer;
    for (int j = 0; j < kTileSide; ++j) {
      std::uint64_t row_nodes = nodes[i] >> 8 * j & 31;
      if (row_nodes == 0) continue;
      Vec3 row;
      for (; row_nodes != 0; row_nodes &= row_nodes - 1) {
        const int k = LowestBit(row_nodes);
        const double gain = tile.gain[slot][Tile::Node(i, j, k)];
        if (gain == 0) continue;
        const Vec3 face = gain * gradient_at(i, j, k);
        row += face;
        by_z += k * face;
      }
      layer += row;
      by_y += j * row;
    }
    s += layer;
    by_x += i * layer;
  }
  const Vec3 first = tile.At(0, 0, 0);
  const Mat3 t = {first.x * s + tile.edge * by_x, first.y * s + tile.edge * by_y,
                  first.z * s + tile.edge * by_z};
  const Mat3 turned = tile.turn[slot] * R;
  sums->s += turned * s;
  sums->t = sums->t + t * Transpose(turned);
}

/** (G5): adds to S and T what the nodes' gains are along the sides' gradients there. */
INTERVOX_HD inline void AddGains(const GridModel& model, const Tile& tile, clip::ClipSums* sums) {
  for (int slot = 0; slot < tile.count; ++slot) {
    if ((tile.cutting >> slot & 1) == 0 || tile.turn[slot] == 0) continue;
    VoxelBits cut;
    for (int i = 0; i < kTileEdge; ++i) cut[i] = tile.left[i] & tile.mixed[slot][i];
    NodeBits nodes;
    NodesOf(cut, &nodes);
    const int s = tile.side[slot];
    if (s >= model.grids) {
      const auto of_surface = [&](int i, int j, int k) {
        return LevelAndSlopeOf(model, s, tile.At(i, j, k)).gradient;
      };
      AddGainsOf(tile, slot, nodes, Mat3::Identity(), of_surface, sums);
      continue;
    }
    const auto of_grid = [&](int i, int j, int k) { return tile.gradient[Tile::Node(i, j, k)]; };
    AddGainsOf(tile, slot, nodes, model.grid[s].R, of_grid, sums);
  }
}

/** Adds the voxels of a filled tile: whole those that its nodes' signs decide; calls add(tile,
 voxels, mixed, sums) for the others, together for all that the same sides leave undecided. */
template <class Add>
INTERVOX_HD void AddVoxels(Tile* tile, clip::ClipSums* sums, const Add& add) {
  const double half = 0.5 * tile->edge;
  VoxelBits rest, alike;
  for (int i = 0; i < kTileEdge; ++i) rest[i] = tile->left[i];
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
    ForEachBit(alike, [&](int i, int j, int k) {
      clip::AddBox(tile->At(i, j, k) + Vec3{half, half, half}, {half, half, half}, sums);
    });
  }
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
 does. */
template <class Add>
INTERVOX_HD void AddTile(const GridModel& model, const OwnNodes& own, Tile* tile,
                         clip::ClipSums* sums, const Add& add) {
  const LeftGroups groups = DecideGroups(model, own, *tile);
  AddWhole(*tile, groups.all & ~groups.cut, sums);
  if (groups.cut == 0) return;
  VoxelsOf(groups.cut, &tile->left);
  for (int s = 0; s < 2; ++s) VoxelsOf(groups.open[s], &tile->open[s]);
  if (!Fill(model, own, tile)) return;
  AddVoxels(tile, sums, add);
  AddGains(model, *tile, sums);
}

/** What a block of voxels has in common with `edge`³ voxels from `first` on, with its active sides.
 @returns false where that is nothing */
INTERVOX_HD inline bool Meet(const center::VoxelBlock& block, const int (&first)[3], int edge,
                             center::VoxelBlock* common) {
  common->active = block.active;
  for (int axis = 0; axis < 3; ++axis) {
    const int begin = block.first[axis], end = begin + block.count[axis];
    const int last = first[axis] + edge;
    common->first[axis] = first[axis] > begin ? first[axis] : begin;
    common->count[axis] = (last < end ? last : end) - common->first[axis];
    if (common->count[axis] <= 0) return false;
  }
  return true;
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

/** Adds what a part of the lattice has of a block of its grid, tile by tile where bounds do not
 decide. @param place  of the block; @param first  its first voxel */
template <class Add>
INTERVOX_HD void AddBlock(const GridModel& model, const center::VoxelBlock& part, int place,
                          const int (&first)[3], double edge, Tile* tile, clip::ClipSums* sums,
                          const Add& add) {
  const geometry::GridView& view = model.grid[0].view;
  const geometry::Extent& extent = view.extents[place];
  center::VoxelBlock block;
  if (extent.lo > 0 || !Meet(part, first, geometry::kBlockEdge, &block)) return;
  block.active = AllSurfaces(model) & ~std::uint64_t{extent.hi < 0};
  if (!Decide(model, 1, edge, &block, sums)) return;
  static_assert(2 * kTileEdge == geometry::kBlockEdge);
  const std::int32_t of_block = view.places[place];
  std::uint64_t begun = 0;
  center::VoxelBlock& voxels = tile->voxels;
  for (int n = 0; n < geometry::kEighths; ++n) {
    std::uint64_t active = block.active;
    if (of_block >= 0) {
      const geometry::Extent& eighth =
          view.eighths[std::int64_t{of_block} * geometry::kEighths + n];
      if (eighth.lo > 0) continue;
      active &= ~std::uint64_t{eighth.hi <= 0};
    }
    const int in[3] = {kTileEdge * (n >> 2), kTileEdge * (n >> 1 & 1), kTileEdge * (n & 1)};
    if (!Meet(block, {first[0] + in[0], first[1] + in[1], first[2] + in[2]}, kTileEdge, &voxels)) {
      continue;
    }
    voxels.active = active;
    // The middles of its groups tell more of grids.
    if ((model.surfaces > 0 || active == 0) && !Decide(model, model.grids, edge, &voxels, sums)) {
      continue;
    }
    if (voxels.active != begun) Begin(model, begun = voxels.active, edge, tile);
    AddTile(model, OwnNodesAt(view, of_block, in, 1), tile, sums, add);
  }
}

/** Sums over a part of the lattice of a grid's own voxels, block by block of the grid. */
template <class Add>
INTERVOX_HD clip::ClipSums SumBlocks(const GridModel& model, const center::VoxelBlock& part,
                                     double edge, Tile* tile, const Add& add) {
  using geometry::kBlockEdge;
  const GridSide& own = model.grid[0];
  clip::ClipSums sums;
  int node[3], low[3], high[3], at[3];
  for (int axis = 0; axis < 3; ++axis) {
    node[axis] = NodeAtOrigin(own, axis);
    low[axis] = (node[axis] + part.first[axis]) / kBlockEdge;
    high[axis] = (node[axis] + part.first[axis] + part.count[axis] - 1) / kBlockEdge;
  }
  for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
    for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
      for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        const int place = (at[0] * own.view.size[1] + at[1]) * own.view.size[2] + at[2];
        const int first[3] = {kBlockEdge * at[0] - node[0], kBlockEdge * at[1] - node[1],
                              kBlockEdge * at[2] - node[2]};
        AddBlock(model, part, place, first, edge, tile, &sums, add);
      }
    }
  }
  return sums;
}

}  // namespace intervox::cuda::internal::grid
