/** @file Tiles: a few voxels of a lattice with the levels of the sides at their nodes.

 The lattice stands still in its grid, and all other sides move through it. A rule that sees of them
 nothing but their levels at the lattice's nodes has a V that is a continuous function of the pose;
 with w = −∂V/∂level at each node, Σ w ∇level is then V's gradient, to rounding. */
#pragma once

#include "cuda/rules/grid/model.h"

namespace intervox::cuda::internal::grid {

inline constexpr int kTileEdge = 4;              ///< most voxels along a tile's edge
inline constexpr int kTileSide = kTileEdge + 1;  ///< most nodes along it
/** Most nodes of a tile. */
inline constexpr int kTileNodes = kTileSide * kTileSide * kTileSide;
/** Most sides that a tile has undecided. */
inline constexpr int kTileSides = kMaxSurfaces + 2;

/** The common share of two sides of a voxel, with its derivatives by theirs and by the cosine. */
struct CommonShare {
  double share = 0, by_a = 0, by_b = 0, by_c = 0;
};

/** What a side keeps of a voxel by the fraction rule. */
struct SideShare {
  int side = 0;      ///< of the tile
  double slope = 0;  ///< of its level [m per voxel]
  Vec3 n;            ///< its unit normal
  double share = 0;
  double area = 0;  ///< of its plane in the unit cube
  Vec3 centre;      ///< of that area, from the cube's
  double cosine = 0;
  CommonShare both;  ///< with the sides before it
};

/** Levels at the nodes of some voxels, and what V changes with them. */
struct Tile {
  center::VoxelBlock voxels;
  double edge = 0;          ///< of a voxel [m]
  int count = 0;            ///< sides that are neither all inside nor all outside
  int side[kTileSides];     ///< which sides of the model
  double turn[kTileSides];  ///< their weight in S: 0 where the side stands still or is a cut
  double level[kTileSides][kTileNodes];
  double gain[kTileSides][kTileNodes];  ///< −∂V/∂level
  std::uint64_t outside[kTileNodes];    ///< bits of the sides whose level is positive
  SideShare share[kTileSides];          ///< of one voxel after the other

  /** The number of node (i, j, k). */
  static int Node(int i, int j, int k) { return (i * kTileSide + j) * kTileSide + k; }

  /** The place of node (i, j, k) in the lattice's frame. */
  Vec3 At(int i, int j, int k) const {
    return {edge * (voxels.first[0] + i), edge * (voxels.first[1] + j),
            edge * (voxels.first[2] + k)};
  }

  /** Calls f(i, j, k, number) for all nodes. */
  template <class F>
  void ForEachNode(const F& f) const {
    for (int i = 0; i <= voxels.count[0]; ++i) {
      for (int j = 0; j <= voxels.count[1]; ++j) {
        for (int k = 0; k <= voxels.count[2]; ++k) f(i, j, k, Node(i, j, k));
      }
    }
  }
};

/** Reads the levels of the lattice's own grid at a tile of its voxels, which lies in one block. */
inline void ReadOwnLevels(const GridSide& side, const Tile& tile, double* level) {
  int place[3], in[3];
  for (int axis = 0; axis < 3; ++axis) {
    // The lattice's origin is a node.
    const double origin = -side.p[axis] / side.h;
    const int node = static_cast<int>(origin < 0 ? origin - 0.5 : origin + 0.5) +
                     tile.voxels.first[axis] - side.view.origin[axis];
    place[axis] = node / geometry::kBlockEdge;
    in[axis] = node % geometry::kBlockEdge;
  }
  const geometry::GridView& view = side.view;
  const std::int32_t block =
      view.places[(place[0] * view.size[1] + place[1]) * view.size[2] + place[2]];
  if (block < 0) {
    const double all = side.h * (block == geometry::kAbsentInside ? -view.band : view.band);
    tile.ForEachNode([&](int, int, int, int n) { level[n] = all; });
    return;
  }
  const float* f = view.nodes + static_cast<std::int64_t>(block) * geometry::kBlockNodes;
  tile.ForEachNode([&](int i, int j, int k, int n) {
    level[n] =
        side.h *
        f[((in[0] + i) * geometry::kBlockSide + in[1] + j) * geometry::kBlockSide + in[2] + k];
  });
}

/** Reads the levels of a grid at a tile's nodes. */
inline void ReadLevels(const GridSide& side, const Tile& tile, double* level) {
  const double step = tile.edge / side.h;
  const Vec3 u0 = TransposeTimes(side.R, tile.At(0, 0, 0) - side.p) / side.h;
  const Vec3 ux = step * side.R.row0, uy = step * side.R.row1, uz = step * side.R.row2;
  tile.ForEachNode([&](int i, int j, int k, int n) {
    const double x = i, y = j, z = k;
    level[n] = side.h * geometry::LevelOf(side.view, u0 + x * ux + y * uy + z * uz);
  });
}

/** Reads the levels of a surface at a tile's nodes. */
inline void ReadLevels(const MappedSurface& side, const Tile& tile, double* level) {
  tile.ForEachNode(
      [&](int i, int j, int k, int n) { level[n] = Evaluate(side, tile.At(i, j, k)).value; });
}

/** Fills the tile with what bounds left undecided. @returns false where it is outside of a side. */
inline bool Fill(const GridModel& model, const center::VoxelBlock& voxels, double edge,
                 Tile* tile) {
  tile->voxels = voxels;
  tile->edge = edge;
  tile->count = 0;
  tile->ForEachNode([&](int, int, int, int n) { tile->outside[n] = 0; });
  std::uint64_t rest = voxels.active;
  for (int s = 0; rest != 0; ++s, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    double* level = tile->level[tile->count];
    if (s == 0 && edge == model.grid[0].h) {
      ReadOwnLevels(model.grid[0], *tile, level);
    } else if (s < model.grids) {
      ReadLevels(model.grid[s], *tile, level);
    } else {
      ReadLevels(model.surface[s - model.grids], *tile, level);
    }
    bool all = true, none = true;
    const std::uint64_t bit = std::uint64_t{1} << tile->count;
    tile->ForEachNode([&](int, int, int, int n) {
      const bool out = level[n] > 0;
      all = all && out;
      none = none && !out;
      if (out) tile->outside[n] |= bit;
    });
    if (all) return false;
    if (none) continue;
    tile->side[tile->count] = s;
    // Side 0 is the lattice's own. Weights are halves, one for each of two bodies that move.
    tile->turn[tile->count] = s == 0 ? 0.0 : 2 * WeightOf(model, s);
    double* gain = tile->gain[tile->count++];
    for (int n = 0; n < kTileNodes; ++n) gain[n] = 0;
  }
  return true;
}

/** The gradient of side s; of a grid where two of its voxels meet, the mean of theirs: V may have a
 kink there, and S is then the mean of its derivatives on both sides. */
inline Vec3 GradientAt(const GridModel& model, int s, const Vec3& x) {
  if (s >= model.grids) return LevelAndSlopeOf(model, s, x).gradient;
  constexpr double kBeside = 1e-9;  // [voxels]
  const Vec3 d = kBeside * model.grid[s].h * Vec3{1, 1, 1};
  return 0.5 * (Evaluate(model.grid[s], x + d).gradient + Evaluate(model.grid[s], x - d).gradient);
}

/** Adds to S and T what the nodes' gains are along the sides' gradients there. */
inline void AddGains(const GridModel& model, const Tile& tile, clip::ClipSums* sums) {
  for (int s = 0; s < tile.count; ++s) {
    if (tile.turn[s] == 0) continue;
    tile.ForEachNode([&](int i, int j, int k, int n) {
      if (tile.gain[s][n] == 0) return;
      const Vec3 x = tile.At(i, j, k);
      const Vec3 face = (tile.turn[s] * tile.gain[s][n]) * GradientAt(model, tile.side[s], x);
      sums->s += face;
      sums->t = sums->t + Outer(x, face);
    });
  }
}

/** Sums over all voxels of a block: whole blocks where bounds decide, else add(tile, i, j, k,
 mixed, sums) for each voxel that its nodes' signs leave undecided, with the bits of the tile's
 sides. */
template <class Add>
clip::ClipSums SumTiles(const GridModel& model, const center::VoxelBlock& all, double edge,
                        Tile* tile, const Add& add) {
  // A tile of the grid's own voxels lies in one of its blocks, as parts begin at multiples of it.
  return center::SumParts(
      model, all, edge, 0.0, kTileEdge,
      [&](const center::VoxelBlock& block, const Vec3&, clip::ClipSums* sums) {
        if (!Fill(model, block, edge, tile)) return;
        const double half = 0.5 * edge;
        for (int i = 0; i < block.count[0]; ++i) {
          for (int j = 0; j < block.count[1]; ++j) {
            for (int k = 0; k < block.count[2]; ++k) {
              std::uint64_t any = 0, every = ~std::uint64_t{0};
              for (int c = 0; c < 8; ++c) {
                const std::uint64_t bits =
                    tile->outside[Tile::Node(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1))];
                any |= bits;
                every &= bits;
              }
              if (every != 0) continue;
              if (any == 0) {
                clip::AddBox(tile->At(i, j, k) + Vec3{half, half, half}, {half, half, half}, sums);
                continue;
              }
              ++sums->leaves;
              add(tile, i, j, k, any, sums);
            }
          }
        }
        AddGains(model, *tile, sums);
      });
}

}  // namespace intervox::cuda::internal::grid
