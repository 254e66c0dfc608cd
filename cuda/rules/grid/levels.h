/** @file The levels of sides at the nodes of a tile, read where bounds leave them undecided. */
#pragma once

#include <cmath>

#include "cuda/rules/grid/lift.h"
#include "cuda/rules/grid/tile.h"

namespace intervox::cuda::internal::grid {

/** Reads nodes of a block, every kStride-th of them, to all nodes of a tile.
 @param f  at the tile's first node */
template <int kStride>
INTERVOX_HD inline void ReadRows(const float* f, double h, const Tile& tile, double* level) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  const int x = tile.voxels.count[0], y = tile.voxels.count[1], z = tile.voxels.count[2];
  for (int i = 0; i <= x; ++i) {
    const float* from = f + kStride * kX * i;
    double* to = level + Tile::Node(i, 0, 0);
    if (z == kTileEdge) {
      for (int j = 0; j <= y; ++j, from += kStride * kY, to += kTileSide) {
        for (int k = 0; k <= kTileEdge; ++k) to[k] = h * from[kStride * k];
      }
      continue;
    }
    for (int j = 0; j <= y; ++j, from += kStride * kY, to += kTileSide) {
      to[0] = h * from[0];
      to[1] = h * from[kStride];
      // Beyond the tile's own nodes the block, and its memory, may end.
      if (z > 1) to[2] = h * from[2 * kStride];
      if (z > 2) to[3] = h * from[3 * kStride];
    }
  }
}

/** Reads the levels of the lattice's own grid at nodes of a tile of its voxels, or of twice their
 edge. @returns false where they do not lie in one block, or the edge is another. */
INTERVOX_HD inline bool ReadOwnLevels(const GridSide& side, const Tile& tile, const NodeBits& nodes,
                                      double* level) {
  const int stride = tile.edge == side.h ? 1 : 2;
  if (tile.edge != stride * side.h) return false;
  int place[3], in[3];
  for (int axis = 0; axis < 3; ++axis) {
    // The lattice's origin is a node.
    const double origin = -side.p[axis] / side.h;
    const int node = static_cast<int>(origin < 0 ? origin - 0.5 : origin + 0.5) +
                     stride * tile.voxels.first[axis] - side.view.origin[axis];
    place[axis] = node / geometry::kBlockEdge;
    in[axis] = node % geometry::kBlockEdge;
    if (in[axis] + stride * tile.voxels.count[axis] > geometry::kBlockEdge) return false;
  }
  const geometry::GridView& view = side.view;
  const std::int32_t block = geometry::BlockAt(view, place[0], place[1], place[2]);
  if (block < 0) {
    const double all = side.h * (block == geometry::kAbsentInside ? -view.band : view.band);
    ForEachBit(nodes, [&](int i, int j, int k) { level[Tile::Node(i, j, k)] = all; });
    return true;
  }
  const float* f = view.nodes + static_cast<std::int64_t>(block) * geometry::kBlockNodes;
  f += (in[0] * geometry::kBlockSide + in[1]) * geometry::kBlockSide + in[2];
  if (stride == 1) {
    ReadRows<1>(f, side.h, tile, level);
  } else {
    ReadRows<2>(f, side.h, tile, level);
  }
  return true;
}

/** The share of a grid's second differences that interpolation between a tile's nodes adds. */
INTERVOX_HD inline double LiftOf(const GridSide& side, const Tile& tile) {
  return tile.lifts ? tile.edge / side.h * (tile.edge / side.h) / 12 : 0;
}

/** A grid's field along a tile's nodes. */
class GridReader {
 public:
  INTERVOX_HD GridReader(const GridSide& side, const Tile& tile, double share)
      : side_(side), share_(share) {
    constexpr double kBeside = 1e-9;  // [voxels]
    const double step = tile.edge / side.h;
    first_ = TransposeTimes(side.R, tile.At(0, 0, 0) - side.p) / side.h;
    x_ = step * side.R.row0;
    y_ = step * side.R.row1;
    z_ = step * side.R.row2;
    apart_ = TransposeTimes(side.R, kBeside * Vec3{1, 1, 1});
  }

  /** The level at node (i, j, k). */
  INTERVOX_HD double At(int i, int j, int k) const {
    return side_.h * LiftedLevelOf(side_, Place(i, j, k), share_);
  }

  /** The level there with its gradient, in the grid's axes. */
  INTERVOX_HD geometry::LevelAt WithSlope(int i, int j, int k) const {
    geometry::LevelAt level = LiftedOf(side_, Place(i, j, k), apart_, share_);
    level.value *= side_.h;
    return level;
  }

  /** The field there, which is not lifted. */
  INTERVOX_HD double FieldAt(int i, int j, int k) const {
    return side_.h * geometry::LevelOf(side_.view, Place(i, j, k));
  }

 private:
  INTERVOX_HD Vec3 Place(double x, double y, double z) const {
    return first_ + x * x_ + y * y_ + z * z_;
  }

  const GridSide& side_;
  Vec3 first_, x_, y_, z_, apart_;
  double share_;
};

/** Whether a level decides all that is within some distance: 1 outside, −1 inside, or 0. */
INTERVOX_HD inline int Decide(double g, double reach) {
  return g > reach ? 1 : g < -reach ? -1 : 0;
}

/** Takes voxels that a grid decides from those that it may cut, and those outside of it from those
 that are left. */
INTERVOX_HD inline void TakeDecided(int decided, std::uint32_t voxels, std::uint32_t* open,
                                    std::uint32_t* left) {
  if (decided == 0) return;
  *open &= ~voxels;
  if (decided > 0) *left &= ~voxels;
}

/** Reads the levels of a grid, with gradients where the tile has them, at nodes of a tile's voxels
 that its slope leaves undecided.

 Of each voxel one node is the middle of eight voxels, and the opposite one their corner. The field
 is read in the middle first: nodes around it are at most √3 edges away. Where it is further than an
 edge from the face, so may be the corner, and each other node is next to one of the two.
 @param share  of second differences: LiftOf; the lattice's own levels are not lifted
 @param open   of the voxels left those that the grid may cut; what lies outside leaves `left`, too
 @param nodes  those of the open voxels */
INTERVOX_HD inline void ReadLevels(const GridSide& side, double share, Tile* tile, VoxelBits* open,
                                   NodeBits* nodes, double* level) {
  const GridReader reader(side, *tile, share);
  const double lift = (share * kMostLift + kOnNode) * side.h;
  const double step = (side.view.slope + 1e-9) * tile->edge;
  const double beside = step + lift, around = std::sqrt(3.0) * step + lift;
  NodeBits known{};
  VoxelBits& left = tile->left;
  for (int i = 0; i < kTileEdge; i += 2) {
    for (int j = 0; j < kTileEdge; j += 2) {
      for (int k = 0; k < kTileEdge; k += 2) {
        const std::uint32_t four = std::uint32_t{0x0303} << (8 * j + k);
        if (((left[i] | left[i + 1]) & four) == 0) continue;
        const double middle = reader.FieldAt(i + 1, j + 1, k + 1);
        const int most = Decide(middle, beside);
        if (most == 0) continue;
        const int all = Decide(middle, around);
        for (int x = i; x < i + 2; ++x) {
          if (all != 0) {
            TakeDecided(all, four, &(*open)[x], &left[x]);
            continue;
          }
          for (int y = j; y < j + 2; ++y) {
            for (int z = k; z < k + 2; ++z) {
              const std::uint32_t voxel = std::uint32_t{1} << (8 * y + z);
              if ((left[x] & voxel) == 0) continue;
              const int to_x = x + (x & 1), to_y = y + (y & 1), to_z = z + (z & 1);
              double& corner = level[Tile::Node(to_x, to_y, to_z)];
              const std::uint64_t bit = std::uint64_t{1} << (8 * to_y + to_z);
              if ((known[to_x] & bit) == 0) {
                known[to_x] |= bit;
                corner = reader.FieldAt(to_x, to_y, to_z);
              }
              if (Decide(corner, beside) == most) TakeDecided(most, voxel, &(*open)[x], &left[x]);
            }
          }
        }
      }
    }
  }
  NodesOf(*open, nodes);
  if (!tile->slopes) {
    ForEachBit(*nodes,
               [&](int i, int j, int k) { level[Tile::Node(i, j, k)] = reader.At(i, j, k); });
    return;
  }
  ForEachBit(*nodes, [&](int i, int j, int k) {
    const int n = Tile::Node(i, j, k);
    const geometry::LevelAt at = reader.WithSlope(i, j, k);
    level[n] = at.value;
    tile->gradient[n] = at.gradient;
  });
}

/** Reads the levels of a surface at nodes of a tile. */
INTERVOX_HD inline void ReadLevels(const MappedSurface& side, const Tile& tile,
                                   const NodeBits& nodes, double* level) {
  if (side.kind == geometry::SurfaceKind::kPlane) {
    const Vec3 slope = 2 * side.b;
    ForEachBit(nodes, [&](int i, int j, int k) {
      level[Tile::Node(i, j, k)] = side.c + Dot(tile.At(i, j, k), slope);
    });
    return;
  }
  ForEachBit(nodes, [&](int i, int j, int k) {
    level[Tile::Node(i, j, k)] = Evaluate(side, tile.At(i, j, k)).value;
  });
}

/** Makes the nodes that are on a side's face, but for rounding, be on it: in the cells around them
 it is then one face. */
INTERVOX_HD inline void SnapToFace(const NodeBits& nodes, double room, double* level) {
  ForEachBit(nodes, [&](int i, int j, int k) {
    double& g = level[Tile::Node(i, j, k)];
    if (std::fabs(g) < room) g = 0;
  });
}

}  // namespace intervox::cuda::internal::grid
