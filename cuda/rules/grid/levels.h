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

/** The nodes of the lattice's own grid at a tile's nodes. */
struct OwnNodes {
  const float* first = nullptr;  ///< at the tile's first node; null where all are `all`
  double all = 0;                ///< [voxels]
  int stride = 0;                ///< from node to node; 0 where the grid has no such nodes
};

/** The nodes from node (in) of a place on. */
INTERVOX_HD inline OwnNodes OwnNodesAt(const geometry::GridView& view, std::int32_t block,
                                       const int (&in)[3], int stride) {
  OwnNodes out;
  out.stride = stride;
  out.all = block == geometry::kAbsentInside ? -view.band : view.band;
  if (block < 0) return out;
  out.first = view.nodes + static_cast<std::int64_t>(block) * geometry::kBlockNodes +
              (in[0] * geometry::kBlockSide + in[1]) * geometry::kBlockSide + in[2];
  return out;
}

/** Those of a tile of the grid's voxels, or of twice their edge, that lies in one block. */
INTERVOX_HD inline OwnNodes FindOwnNodes(const GridModel& model, const center::VoxelBlock& voxels,
                                         double edge) {
  const GridSide& own = model.grid[0];
  const int stride = edge == own.h ? 1 : 2;
  if (edge != stride * own.h) return {};
  int place[3], in[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int node = model.at_origin[axis] + stride * voxels.first[axis];
    place[axis] = node / geometry::kBlockEdge;
    in[axis] = node % geometry::kBlockEdge;
    if (in[axis] + stride * voxels.count[axis] > geometry::kBlockEdge) return {};
  }
  return OwnNodesAt(own.view, geometry::BlockAt(own.view, place[0], place[1], place[2]), in,
                    stride);
}

/** Reads the levels of the lattice's own grid at nodes of a tile. */
INTERVOX_HD inline void ReadLevels(const OwnNodes& own, double h, const Tile& tile,
                                   const NodeBits& nodes, double* level) {
  if (own.first == nullptr) {
    ForEachBit(nodes, [&](int i, int j, int k) { level[Tile::Node(i, j, k)] = h * own.all; });
  } else if (own.stride == 1) {
    ReadRows<1>(own.first, h, tile, level);
  } else {
    ReadRows<2>(own.first, h, tile, level);
  }
}

/** (G9): which of so many places are decided by a grid's field in their middle, no node around
 being further away than `reach` tells. @returns by the lowest eight bits those outside, by the next
 eight those inside, also of places that are not asked for */
template <int kPlaces, class MiddlesOf>
INTERVOX_HD inline unsigned DecidePlaces(unsigned places, double reach,
                                         const MiddlesOf& middles_of) {
  constexpr int N = kNumbersAtOnce;
  unsigned decided = 0;
  for (int n = 0; n < kPlaces; n += N) {
    if ((places >> n & ((1U << N) - 1)) == 0) continue;
    const Wide<N> middles = middles_of(n);
    decided |= PositiveLanes(middles - reach) << n | PositiveLanes(-reach - middles) << (8 + n);
  }
  return decided;
}

/** (G9) of the lattice's own grid, whose nodes the middles are. */
INTERVOX_HD inline unsigned DecideGroups(const GridSide& side, const OwnNodes& own, Groups groups) {
  constexpr int N = kNumbersAtOnce;
  const double reach = std::sqrt(3.0) / side.h * side.rise + kOnNode;
  if (own.first == nullptr && std::fabs(own.all) > reach) {
    return own.all > 0 ? groups : groups << 8;
  }
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  return DecidePlaces<8>(groups, reach, [&](int first) {
    const auto middle_at = [&](int n) {
      return own.stride * (kX * (1 + (n >> 1 & 2)) + kY * (1 + (n & 2)) + 1 + 2 * (n & 1));
    };
    double middle[N];
    if (own.first != nullptr && groups == 255U) {
      for (int k = 0; k < N; ++k) middle[k] = own.first[middle_at(first + k)];
    } else {
      // Beyond the tile's own nodes the block, and its memory, may end.
      for (int k = 0; k < N; ++k) {
        const bool there = own.first != nullptr && (groups >> (first + k) & 1U) != 0;
        middle[k] = there ? own.first[middle_at(first + k)] : own.all;
      }
    }
    return LoadWide<N>(middle);
  });
}

/** A grid's field in the middles of groups of a tile, or, an edge further along x, of two groups
 side by side. */
template <int N>
INTERVOX_HD inline Wide<N> MiddlesOf(const GridSide& side, const center::VoxelBlock& tile,
                                     const Whole<N>& n, int along) {
  return FieldAt<N>(side, Whole<N>(tile.first[0] + 1 + along + (n >> 1 & 2)),
                    Whole<N>(tile.first[1] + 1 + (n & 2)),
                    Whole<N>(tile.first[2] + 1 + 2 * (n & 1)));
}

/** What lifting and rounding may add to a grid's levels [m]. */
INTERVOX_HD inline double MoreOf(const GridSide& side) {
  return (kMostShare * geometry::kMostBend + kOnNode) * side.h;
}

/** (G9) of another grid for two groups of a tile at a time, whose nodes are at most √6 edges from
 their middle: that tells enough where tiles are far. */
INTERVOX_HD inline unsigned DecideInTwos(const GridSide& side, const center::VoxelBlock& tile) {
  constexpr int N = kNumbersAtOnce;
  const double reach = std::sqrt(6.0) * side.rise + MoreOf(side);
  const unsigned of_two = DecidePlaces<4>(15U, reach, [&](int first) {
    int n[N];
    for (int k = 0; k < N; ++k) n[k] = first + k;
    return MiddlesOf<N>(side, tile, LoadAll<Whole<N>>(n), 1);
  });
  return of_two | of_two << 4;
}

/** (G9) of another grid for some groups. */
INTERVOX_HD inline unsigned DecideGroups(const GridSide& side, const center::VoxelBlock& tile,
                                         Groups groups) {
  constexpr int N = kNumbersAtOnce;
  const double reach = std::sqrt(3.0) * side.rise + MoreOf(side);
  unsigned decided = 0;
  while (groups != 0) {
    int n[N];
    for (int k = 0; k < N; ++k, groups &= groups - 1) n[k] = groups != 0 ? LowestBit(groups) : n[0];
    const Wide<N> level = MiddlesOf<N>(side, tile, LoadAll<Whole<N>>(n), 0);
    const unsigned outside = PositiveLanes(level - reach), inside = PositiveLanes(-reach - level);
    for (int k = 0; k < N; ++k) {
      decided |= (outside >> k & 1U) << n[k] | (inside >> k & 1U) << (8 + n[k]);
    }
  }
  return decided;
}

/** Reads the levels of a grid, with its gradients, at nodes of a tile. */
INTERVOX_HD inline void ReadLevels(const GridSide& side, const NodeBits& nodes, Tile* tile,
                                   double* level) {
  constexpr int N = kNumbersAtOnce;
  const int(&first)[3] = tile->voxels.first;
  const auto read = [&](const Whole<N>& x, const Whole<N>& y, const Whole<N>& z, int /*count*/) {
    const WideLevel<N> at =
        LevelsAt<N>(side, Whole<N>(first[0] + x), Whole<N>(first[1] + y), Whole<N>(first[2] + z));
    const Whole<N> nodes_of = Tile::Node(x, y, z);
    for (int k = 0; k < N; ++k) {
      const int node = Lane(nodes_of, k);
      level[node] = Lane(at.value, k);
      tile->gradient[0][node] = Lane(at.gradient.x, k);
      tile->gradient[1][node] = Lane(at.gradient.y, k);
      tile->gradient[2][node] = Lane(at.gradient.z, k);
    }
  };
  ForSeveralBits<N>(nodes, read);
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
