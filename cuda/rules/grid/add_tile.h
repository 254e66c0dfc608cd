/** @file What the voxels of a tile count for, and what V changes with the sides. */
#pragma once

#include <cstring>

#include "cuda/numerics/wide.h"
#include "cuda/rules/grid/levels.h"

namespace intervox::cuda::internal::grid {

/** The bits of the five levels of a row that are above zero. */
INTERVOX_HD inline unsigned PositiveOf(const double* row) {
#if defined(__AVX__) && !defined(__CUDA_ARCH__)
  const auto four = static_cast<unsigned>(__builtin_ia32_movmskpd256(0.0 - LoadWide<4>(row)));
#else
  const unsigned four = unsigned{row[0] > 0} | unsigned{row[1] > 0} << 1 |
                        unsigned{row[2] > 0} << 2 | unsigned{row[3] > 0} << 3;
#endif
  return four | unsigned{row[4] > 0} << 4;
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
      positive |= std::uint64_t{PositiveOf(row)} << 8 * j;
    }
    out[i] = positive & nodes[i];
    cuts |= out[i];
  }
  if (cuts == 0) return false;
  for (int i = 0; i < kTileEdge; ++i) tile->left[i] &= ~VoxelsWithin(out[i], out[i + 1]);
  return true;
}

/** Makes the cutting sides ready to be summed: which of them each node is outside of, no gains. */
INTERVOX_HD inline void NoteSides(Tile* tile) {
  std::memset(tile->outside, 0, sizeof tile->outside);
  for (int slot = 0; slot < tile->count; ++slot) {
    const std::uint64_t bit = std::uint64_t{1} << slot;
    if ((tile->cutting & bit) == 0) continue;
    ForEachBit(tile->positive[slot],
               [&](int i, int j, int k) { tile->outside[Tile::Node(i, j, k)] |= bit; });
    if (tile->turn[slot] != 0) std::memset(tile->gain[slot], 0, sizeof tile->gain[slot]);
  }
}

/** Fills the tile with what bounds left undecided. @returns false where it is outside of a side.

 Each side is read only at nodes of voxels that the sides before it left, the other grid, which
 costs the most, at last. */
INTERVOX_HD inline bool Fill(const GridModel& model, const center::VoxelBlock& voxels, double edge,
                             Tile* tile) {
  tile->voxels = voxels;
  tile->edge = edge;
  tile->grids = model.grids;
  tile->count = 0;
  tile->cutting = 0;
  std::uint32_t layer = 0;
  for (int j = 0; j < voxels.count[1]; ++j) layer |= ((1U << voxels.count[2]) - 1) << 8 * j;
  for (int i = 0; i < kTileEdge; ++i) tile->left[i] = i < voxels.count[0] ? layer : 0;
  std::uint64_t rest = voxels.active;
  for (int s = 0; rest != 0; ++s, rest >>= 1) {
    if ((rest & 1) != 0) tile->side[tile->count++] = s;
  }
  const bool own = edge == model.grid[0].h || edge == 2 * model.grid[0].h;
  for (int turn = 0; turn < 2; ++turn) {
    const bool last = turn == 1;
    for (int slot = 0; slot < tile->count; ++slot) {
      const int s = tile->side[slot];
      if ((s < model.grids && !(own && s == 0)) != last) continue;
      double* level = tile->level[slot];
      NodeBits nodes;
      NodesOf(tile->left, &nodes);
      if (s >= model.grids) {
        ReadLevels(model.surface[s - model.grids], *tile, nodes, level);
      } else if (s > 0 || !ReadOwnLevels(model.grid[0], *tile, nodes, level)) {
        VoxelBits open;
        std::memcpy(open, tile->left, sizeof open);
        const double share = s == 0 ? 0.0 : LiftOf(model.grid[s], *tile);
        ReadLevels(model.grid[s], share, tile, &open, &nodes, level);
      }
      // Lifted levels are those of whole voxels, which no cells of planes stand beside.
      if (!tile->lifts) SnapToFace(nodes, kOnNode * model.grid[0].h, level);
      if (NoteOutside(slot, nodes, tile)) {
        tile->cutting |= std::uint64_t{1} << slot;
        // Side 0 is the lattice's own, and stands still. Weights are halves, one for each of two
        // bodies that move.
        tile->turn[slot] = s == 0 || !tile->faces ? 0.0 : 2 * WeightOf(model, s);
      }
      const VoxelBits& left = tile->left;
      if ((left[0] | left[1] | left[2] | left[3]) == 0) return false;
    }
  }
  NoteSides(tile);
  return true;
}

/** Adds to S and T what the gains of one side are along its gradients: gradient_at(i, j, k). */
template <class GradientAt>
INTERVOX_HD void AddGainsOf(const Tile& tile, int slot, const NodeBits& nodes,
                            const GradientAt& gradient_at, clip::ClipSums* sums) {
  ForEachBit(nodes, [&](int i, int j, int k) {
    const double gain = tile.gain[slot][Tile::Node(i, j, k)];
    if (gain == 0) return;
    const Vec3 face = (tile.turn[slot] * gain) * gradient_at(i, j, k);
    sums->s += face;
    sums->t = sums->t + Outer(tile.At(i, j, k), face);
  });
}

/** (G5): adds to S and T what the nodes' gains are along the sides' gradients there. */
INTERVOX_HD inline void AddGains(const GridModel& model, const Tile& tile, clip::ClipSums* sums) {
  NodeBits nodes;
  NodesOf(tile.left, &nodes);
  for (int slot = 0; slot < tile.count; ++slot) {
    if ((tile.cutting >> slot & 1) == 0 || tile.turn[slot] == 0) continue;
    const int s = tile.side[slot];
    if (s >= model.grids) {
      const auto of_surface = [&](int i, int j, int k) {
        return LevelAndSlopeOf(model, s, tile.At(i, j, k)).gradient;
      };
      AddGainsOf(tile, slot, nodes, of_surface, sums);
      continue;
    }
    const GridSide& side = model.grid[s];
    const GridReader reader(side, tile, LiftOf(side, tile));
    const auto of_grid = [&](int i, int j, int k) {
      return side.R * (tile.slopes ? tile.gradient[Tile::Node(i, j, k)]
                                   : reader.WithSlope(i, j, k).gradient);
    };
    AddGainsOf(tile, slot, nodes, of_grid, sums);
  }
}

/** Adds a block that bounds leave undecided, of at most kTileEdge voxels along each axis: calls
 add(tile, i, j, k, mixed, sums) for each voxel that its nodes' signs leave undecided, with the bits
 of the tile's sides. */
template <class Add>
INTERVOX_HD void AddTile(const GridModel& model, const center::VoxelBlock& block, double edge,
                         bool lifts, Tile* tile, clip::ClipSums* sums, const Add& add) {
  tile->lifts = lifts;
  if (!Fill(model, block, edge, tile)) return;
  const double half = 0.5 * edge;
  ForEachBit(tile->left, [&](int i, int j, int k) {
    std::uint64_t any = 0;
    for (int c = 0; c < 8; ++c) {
      any |= tile->outside[Tile::Node(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1))];
    }
    if (any == 0) {
      clip::AddBox(tile->At(i, j, k) + Vec3{half, half, half}, {half, half, half}, sums);
      return;
    }
    ++sums->leaves;
    add(tile, i, j, k, any, sums);
  });
  AddGains(model, *tile, sums);
}

}  // namespace intervox::cuda::internal::grid
