/** @file The sums of a tile, column by column of its nodes and voxels: of gains along gradients,
 and of what voxels count for. */
#pragma once

#include "cuda/numerics/wide.h"
#include "cuda/rules/grid/tile.h"

namespace intervox::cuda::internal::grid {

/** Sums over the nodes of a tile by their numbers along z: of faces, and times the others. */
struct ColumnSums {
  double face[3][kTileSide], by_x[3][kTileSide], by_y[3][kTileSide];
};

/** Sums gains times gradients over N columns of nodes, from number k along z on. */
template <int N>
INTERVOX_HD inline void SumColumns(const Tile& tile, const double* gain, int k, ColumnSums* out) {
  using S = Wide<N>;
  const S zero{};
  S face[3] = {zero, zero, zero}, by_x[3] = {zero, zero, zero}, by_y[3] = {zero, zero, zero};
  for (int i = 0; i < kTileSide; ++i) {
    S layer[3] = {zero, zero, zero};
    for (int j = 0; j < kTileSide; ++j) {
      const int node = Tile::Node(i, j, k);
      const S of_node = LoadWide<N>(gain + node);
      for (int c = 0; c < 3; ++c) {
        const S own = of_node * LoadWide<N>(tile.gradient[c] + node);
        layer[c] += own;
        by_y[c] += j * own;
      }
    }
    for (int c = 0; c < 3; ++c) {
      face[c] += layer[c];
      by_x[c] += i * layer[c];
    }
  }
  for (int c = 0; c < 3; ++c) {
    StoreWide(face[c], out->face[c] + k);
    StoreWide(by_x[c], out->by_x[c] + k);
    StoreWide(by_y[c], out->by_y[c] + k);
  }
}

/** Adds to S and T what the gains of one side are along the tile's gradients, in axes that R turns
 to the lattice's. */
INTERVOX_HD inline void AddGainsOf(const Tile& tile, int slot, const Mat3& R,
                                   clip::ClipSums* sums) {
  constexpr int N = kNumbersAtOnce;
  ColumnSums of;
  int k = 0;
  for (; k + N <= kTileSide; k += N) SumColumns<N>(tile, tile.gain[slot], k, &of);
  for (; k < kTileSide; ++k) SumColumns<1>(tile, tile.gain[slot], k, &of);
  Vec3 s, by_x, by_y, by_z;
  for (k = 0; k < kTileSide; ++k) {
    const Vec3 face{of.face[0][k], of.face[1][k], of.face[2][k]};
    s += face;
    by_z += k * face;
    by_x += Vec3{of.by_x[0][k], of.by_x[1][k], of.by_x[2][k]};
    by_y += Vec3{of.by_y[0][k], of.by_y[1][k], of.by_y[2][k]};
  }
  const Vec3 first = tile.At(0, 0, 0);
  const Mat3 t = {first.x * s + tile.edge * by_x, first.y * s + tile.edge * by_y,
                  first.z * s + tile.edge * by_z};
  const Mat3 turned = tile.turn[slot] * R;
  sums->s += turned * s;
  sums->t = sums->t + t * Transpose(turned);
}

/** (G5): adds to S and T what the nodes' gains are along the sides' gradients there. */
INTERVOX_HD inline void AddGains(const GridModel& model, Tile* tile, clip::ClipSums* sums) {
  for (int slot = 0; slot < tile->count; ++slot) {
    if ((tile->cutting >> slot & 1) == 0 || tile->turn[slot] == 0) continue;
    const int s = tile->side[slot];
    if (s < model.grids) {
      AddGainsOf(*tile, slot, model.grid[s].R, sums);
      continue;
    }
    VoxelBits cut;
    for (int i = 0; i < kTileEdge; ++i) cut[i] = tile->left[i] & tile->mixed[slot][i];
    NodeBits nodes;
    NodesOf(cut, &nodes);
    ForEachBit(nodes, [&](int i, int j, int k) {
      const int node = Tile::Node(i, j, k);
      if (tile->gain[slot][node] == 0) return;
      const Vec3 gradient = LevelAndSlopeOf(model, s, tile->At(i, j, k)).gradient;
      for (int c = 0; c < 3; ++c) tile->gradient[c][node] = gradient[c];
    });
    AddGainsOf(*tile, slot, Mat3::Identity(), sums);
  }
}

/** Sums over the voxels of a tile by their numbers along z: of shares, and times the others. */
struct ShareSums {
  double share[kTileEdge], by_x[kTileEdge], by_y[kTileEdge], by_xx[kTileEdge], by_xy[kTileEdge],
      by_yy[kTileEdge];
};

/** Sums shares over N columns of voxels, from number k along z on. */
template <int N>
INTERVOX_HD inline void SumShares(const Tile& tile, int k, ShareSums* out) {
  using S = Wide<N>;
  S share{}, by_x{}, by_y{}, by_xx{}, by_xy{}, by_yy{};
  for (int i = 0; i < kTileEdge; ++i) {
    S layer{}, by_j{};
    for (int j = 0; j < kTileEdge; ++j) {
      const S own = LoadWide<N>(tile.share + Tile::Voxel(i, j, k));
      layer += own;
      by_j += j * own;
      by_yy += j * j * own;
    }
    share += layer;
    by_x += i * layer;
    by_xx += i * i * layer;
    by_y += by_j;
    by_xy += i * by_j;
  }
  StoreWide(share, out->share + k);
  StoreWide(by_x, out->by_x + k);
  StoreWide(by_y, out->by_y + k);
  StoreWide(by_xx, out->by_xx + k);
  StoreWide(by_xy, out->by_xy + k);
  StoreWide(by_yy, out->by_yy + k);
}

/** Adds the shares of a tile's voxels, all over them alike. */
INTERVOX_HD inline void AddMoments(const Tile& tile, clip::ClipSums* sums) {
  constexpr int N = kNumbersAtOnce;
  ShareSums of;
  for (int k = 0; k < kTileEdge; k += N) SumShares<N>(tile, k, &of);
  VolumeMoments voxels;
  for (int k = 0; k < kTileEdge; ++k) {
    voxels += {of.share[k],
               {of.by_x[k], of.by_y[k], k * of.share[k]},
               {{of.by_xx[k], of.by_yy[k], k * k * of.share[k]},
                {of.by_xy[k], k * of.by_x[k], k * of.by_y[k]}}};
  }
  const double e = tile.edge, v = e * e * e, own = voxels.v / 12;
  voxels.second += {{own, own, own}, {}};
  const VolumeMoments scaled{v * voxels.v, v * e * voxels.m, v * e * e * voxels.second};
  VolumeMoments& all = *sums;
  all += Shifted(scaled, tile.At(0, 0, 0) + 0.5 * Vec3{e, e, e});
}

}  // namespace intervox::cuda::internal::grid
