/** @file Tiles: a few voxels of a lattice with the levels of the sides at their nodes.

 The lattice stands still in its grid, and all other sides move through it. A rule that sees of them
 nothing but their levels at the lattice's nodes has a V that is a continuous function of the pose;
 with w = −∂V/∂level at each node, Σ w ∇level is then V's gradient, to rounding. */
#pragma once

#include <cstddef>
#include <new>

#include "cuda/numerics/wide.h"
#include "cuda/rules/grid/model.h"

namespace intervox::cuda::internal::grid {

inline constexpr int kTileEdge = 4;              ///< most voxels along a tile's edge
inline constexpr int kTileSide = kTileEdge + 1;  ///< most nodes along it
/** Most nodes of a tile. */
inline constexpr int kTileNodes = kTileSide * kTileSide * kTileSide;
/** Most voxels of a tile. */
inline constexpr int kTileVoxels = kTileEdge * kTileEdge * kTileEdge;
/** Most sides that a tile has undecided. */
inline constexpr int kTileSides = kMaxSurfaces + 2;

/** What a side keeps of kNumbersAtOnce voxels by the fraction rule: half-spaces n·x ≤ d of cubes
 about 0, by the means of their nodes' levels and differences. */
struct SideShares {
  static constexpr int N = kNumbersAtOnce;
  int slot = 0;         ///< of the tile
  unsigned flat = 0;    ///< bits of the voxels in which the normal has a small component
  double mean[N];       ///< of the levels [m]
  double bend[N];       ///< the furthest node from the plane by its level [voxels], 1 at most
  double slope[N];      ///< [m per voxel]
  double n[3][N];       ///< unit normals; 0 where there is no slope
  double d[N];          ///< the planes n·x = d
  double share[N];      ///< of the cube with n·x ≤ d
  double area[N];       ///< of the plane in the cube, where the other grid keeps that
  double moment[3][N];  ///< that area times its centre
  double by_before[N];  ///< the derivative of the common share by that of those before it,
  double by_share[N];   ///< by this side's own share
  double by_cosine[N];  ///< and by the cosine of its normal and the one before
};

/** Some of a tile's voxels: of voxel (i, j, k) bit 8j + k of number i. */
using VoxelBits = std::uint32_t[kTileEdge];
/** Some of its nodes, likewise. */
using NodeBits = std::uint64_t[kTileSide];
/** Some of its groups of 2³ voxels: bit 4x + 2y + z of that from voxel (2x, 2y, 2z) on. */
using Groups = std::uint32_t;

/** A point of a tetrahedron by the shares of its four nodes. */
struct Barycentric {
  double b[4];
};

/** A part of a tetrahedron that is one itself, and the sides that its faces are of. */
struct Piece {
  Barycentric p[4];
  std::uint8_t face[4];  ///< opposite of each corner; kNoSide within Ω and towards neighbours
  std::uint8_t next;     ///< the side to be cut by next
};

/** Levels at the nodes of some voxels, and what V changes with them. Made by TileIn, with room for
 the sides of its model. */
struct Tile {
  center::VoxelBlock voxels;
  double edge = 0;                 ///< of a voxel [m]
  bool lifts = false;              ///< whether levels are without what interpolation adds
  int grids = 0;                   ///< of the model: its first sides
  int count = 0;                   ///< sides that bounds over the tile leave undecided
  int side[kTileSides];            ///< which sides of the model
  double unseen[kTileSides];       ///< how far levels bend where no node shows it [m]
  double turn[kTileSides];         ///< their weight in S: 0 where the side stands still or is a cut
  std::uint64_t cutting = 0;       ///< bits of the sides with a positive level at a node
  VoxelBits left;                  ///< voxels that are not outside of a side
  VoxelBits open[2];               ///< those of them that a grid's field may cut
  NodeBits positive[kTileSides];   ///< of a cutting side: nodes where its level is
  VoxelBits mixed[kTileSides];     ///< and the voxels that have one of these
  double (*level)[kTileNodes];     ///< of cutting sides at the nodes of voxels that they cut
  double (*gain)[kTileNodes];      ///< −∂V/∂level
  double (*gradient)[kTileNodes];  ///< by their components, of a side there
  double share[kTileVoxels];       ///< of voxels that counts
  SideShares* shares;              ///< of a few voxels after the other
  Piece* pieces;                   ///< a stack; each side leaves at most two more
  center::BlockStack blocks;       ///< that wait before they become tiles
  clip::PolygonRoom polygon;       ///< of a side in a voxel

  /** The number of node (i, j, k), or of several. */
  template <class Whole>
  INTERVOX_HD static Whole Node(const Whole& i, const Whole& j, const Whole& k) {
    return (i * kTileSide + j) * kTileSide + k;
  }

  /** The number of voxel (i, j, k). */
  INTERVOX_HD static constexpr int Voxel(int i, int j, int k) {
    return (i * kTileEdge + j) * kTileEdge + k;
  }

  /** What corner (x, y, z) of a voxel, c = 4x + 2y + z, is beyond its first node. */
  INTERVOX_HD static constexpr int Corner(int c) {
    return ((c >> 2) * kTileSide + (c >> 1 & 1)) * kTileSide + (c & 1);
  }

  /** The place of node (i, j, k) in the lattice's frame. */
  INTERVOX_HD Vec3 At(int i, int j, int k) const {
    return {edge * (voxels.first[0] + i), edge * (voxels.first[1] + j),
            edge * (voxels.first[2] + k)};
  }
};

/** Most pieces of a tetrahedron that wait while it is cut by so many sides. */
INTERVOX_HD constexpr std::size_t PiecesOf(int sides) {
  return 2 * static_cast<std::size_t>(sides) + 4;
}

/** Bytes of a tile with room for so many sides. */
INTERVOX_HD constexpr std::size_t TileBytes(int sides) {
  return sizeof(Tile) + sizeof(double[3][kTileNodes]) +
         static_cast<std::size_t>(sides) * (2 * sizeof(double[kTileNodes]) + sizeof(SideShares)) +
         PiecesOf(sides) * sizeof(Piece);
}

/** Makes a tile in TileBytes(sides) of memory, which is aligned for doubles. */
INTERVOX_HD inline Tile* TileIn(void* memory, int sides) {
  Tile* tile = ::new (memory) Tile;
  char* at = static_cast<char*>(memory) + sizeof(Tile);
  const auto take = [&at](std::size_t bytes) {
    char* begin = at;
    at += bytes;
    return begin;
  };
  const auto n = static_cast<std::size_t>(sides);
  tile->level = reinterpret_cast<double(*)[kTileNodes]>(take(n * sizeof(double[kTileNodes])));
  tile->gain = reinterpret_cast<double(*)[kTileNodes]>(take(n * sizeof(double[kTileNodes])));
  tile->gradient = reinterpret_cast<double(*)[kTileNodes]>(take(sizeof(double[3][kTileNodes])));
  // Sums go over all nodes, also those that have no gain and were never read.
  for (int c = 0; c < 3; ++c) {
    for (double& along : tile->gradient[c]) along = 0;
  }
  tile->shares = reinterpret_cast<SideShares*>(take(n * sizeof(SideShares)));
  tile->pieces = reinterpret_cast<Piece*>(at);
  return tile;
}

/** The number of the lowest bit that is set; not of 0. Not std::countr_zero, of which nvcc 13 makes
 a constant on a device, without a word. */
INTERVOX_HD inline int LowestBit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

/** Calls f(i, j, k) for the voxels or nodes whose bits are set. */
template <class Bits, int kSide, class F>
INTERVOX_HD void ForEachBit(const Bits (&bits)[kSide], const F& f) {
  for (int i = 0; i < kSide; ++i) {
    for (std::uint64_t rest = bits[i]; rest != 0; rest &= rest - 1) {
      const int bit = LowestBit(rest);
      f(i, bit >> 3, bit & 7);
    }
  }
}

/** Calls f(x, y, z, count) for N of these at a time, with their numbers along each axis; where less
 are left, the last one stands in the place of those that lack. */
template <int N, class Bits, int kSide, class F>
INTERVOX_HD void ForSeveralBits(const Bits (&bits)[kSide], const F& f) {
  int at[kTileNodes + N], count = 0;
  for (int i = 0; i < kSide; ++i) {
    for (std::uint64_t rest = bits[i]; rest != 0; rest &= rest - 1) {
      at[count++] = i << 6 | LowestBit(rest);
    }
  }
  for (int k = count; k % N != 0; ++k) at[k] = at[count - 1];
  for (int first = 0; first < count; first += N) {
    const Whole<N> all = LoadAll<Whole<N>>(at + first);
    f(Whole<N>(all >> 6), Whole<N>(all >> 3 & 7), Whole<N>(all & 7),
      count - first < N ? count - first : N);
  }
}

/** Sets the bits of the voxels of groups. */
INTERVOX_HD inline void VoxelsOf(Groups groups, VoxelBits* voxels) {
  for (int x = 0; x < 2; ++x, groups >>= 4) {
    const std::uint32_t firsts =
        (groups & 1U) | (groups & 2U) << 1 | (groups & 4U) << 14 | (groups & 8U) << 15;
    (*voxels)[2 * x] = (*voxels)[2 * x + 1] = 0x0303U * firsts;
  }
}

/** The groups of a tile. */
INTERVOX_HD inline Groups GroupsOf(const center::VoxelBlock& voxels) {
  const Groups row = voxels.count[2] > 2 ? 3U : 1U, layer = voxels.count[1] > 2 ? 5U * row : row;
  return voxels.count[0] > 2 ? 17U * layer : layer;
}

/** Sets the bits of the nodes of voxels. */
INTERVOX_HD inline void NodesOf(const VoxelBits& voxels, NodeBits* nodes) {
  std::uint64_t before = 0;
  for (int i = 0; i < kTileEdge; ++i) {
    const std::uint64_t along = voxels[i] | std::uint64_t{voxels[i]} << 1;
    const std::uint64_t ends = along | along << 8;
    (*nodes)[i] = before | ends;
    before = ends;
  }
  (*nodes)[kTileEdge] = before;
}

/** The voxels of which a node is among those of the bits. */
INTERVOX_HD inline std::uint32_t VoxelsWith(std::uint64_t nodes, std::uint64_t next) {
  const std::uint64_t ends = nodes | next, along = ends | ends >> 1;
  return static_cast<std::uint32_t>(along | along >> 8);
}

/** The voxels of which all nodes are among those of the bits. */
INTERVOX_HD inline std::uint32_t VoxelsWithin(std::uint64_t nodes, std::uint64_t next) {
  const std::uint64_t ends = nodes & next, along = ends & ends >> 1;
  return static_cast<std::uint32_t>(along & along >> 8);
}

}  // namespace intervox::cuda::internal::grid
