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
/** Most sides that a tile has undecided. */
inline constexpr int kTileSides = kMaxSurfaces + 2;

/** The common share of two sides of a voxel, with its derivatives by theirs and by the cosine. */
struct CommonShare {
  double share = 0, by_a = 0, by_b = 0, by_c = 0;
};

/** Of SideShare::kept: its plane is not in the cube. */
inline constexpr int kNoPlane = 2;

/** What a side keeps of a voxel by the fraction rule. */
struct SideShare {
  int side = 0;      ///< of the tile
  double slope = 0;  ///< of its level [m per voxel]
  Vec3 n;            ///< its unit normal
  double d = 0;      ///< the plane n·x = d, from the cube's centre
  double share = 0;
  double area = 0;  ///< of its plane in the unit cube, where the plane before it keeps that
  /** Of its plane in the cube, where the plane before it keeps all of that: 1, nothing: −1, or
   some: 0. */
  int kept = kNoPlane;
  Vec3 moment;       ///< that area times its centre, from the cube's
  CommonShare both;  ///< with the sides before it
};

/** A side in kNumbersAtOnce voxels: the planes that the means of their nodes' levels and
 differences give, in cubes about 0, and what they keep of these where normals have no small
 component. */
struct SidePlanes {
  static constexpr int N = kNumbersAtOnce;
  double mean[N];       ///< of the levels [m]
  double slope[N];      ///< [m per voxel]
  double n[3][N];       ///< unit normals; no numbers where the slope is 0
  double d[N];          ///< the planes n·x = d
  double share[N];      ///< of the cube with n·x ≤ d
  double area[N];       ///< of the plane in the cube
  double moment[3][N];  ///< area times its centre

  INTERVOX_HD Vec3 NormalOf(int k) const { return {n[0][k], n[1][k], n[2][k]}; }
  INTERVOX_HD Vec3 MomentOf(int k) const { return {moment[0][k], moment[1][k], moment[2][k]}; }
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
  double edge = 0;                ///< of a voxel [m]
  bool lifts = false;             ///< whether levels are without what interpolation adds
  bool faces = true;              ///< whether S and G are asked for, or V alone
  int grids = 0;                  ///< of the model: its first sides
  int count = 0;                  ///< sides that bounds over the tile leave undecided
  int side[kTileSides];           ///< which sides of the model
  double turn[kTileSides];        ///< their weight in S: 0 where the side stands still or is a cut
  std::uint64_t cutting = 0;      ///< bits of the sides with a positive level at a node
  VoxelBits left;                 ///< voxels that are not outside of a side
  VoxelBits open[2];              ///< those of them that a grid's field may cut
  NodeBits positive[kTileSides];  ///< of a cutting side: nodes where its level is
  VoxelBits mixed[kTileSides];    ///< and the voxels that have one of these
  double (*level)[kTileNodes];    ///< of cutting sides at the nodes of voxels that they cut
  double (*gain)[kTileNodes];     ///< −∂V/∂level
  Vec3* gradient;                 ///< of the other grid there, in its axes, where faces is set
  SidePlanes* planes;             ///< of a few voxels after the other
  SideShare* share;               ///< of one voxel after the other
  Piece* pieces;                  ///< a stack; each side leaves at most two more
  center::BlockStack blocks;      ///< that wait before they become tiles
  clip::PolygonRoom polygon;      ///< of a side in a voxel

  /** The number of node (i, j, k), or of several. */
  template <class Whole>
  INTERVOX_HD static Whole Node(const Whole& i, const Whole& j, const Whole& k) {
    return (i * kTileSide + j) * kTileSide + k;
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
  return sizeof(Tile) + sizeof(Vec3[kTileNodes]) +
         static_cast<std::size_t>(sides) *
             (2 * sizeof(double[kTileNodes]) + sizeof(SidePlanes) + sizeof(SideShare)) +
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
  tile->gradient = reinterpret_cast<Vec3*>(take(sizeof(Vec3[kTileNodes])));
  tile->planes = reinterpret_cast<SidePlanes*>(take(n * sizeof(SidePlanes)));
  tile->share = reinterpret_cast<SideShare*>(take(n * sizeof(SideShare)));
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
  int at[N], count = 0;
  const auto call = [&] {
    const Whole<N> all = LoadAll<Whole<N>>(at);
    f(Whole<N>(all >> 6), Whole<N>(all >> 3 & 7), Whole<N>(all & 7), count);
    count = 0;
  };
  for (int i = 0; i < kSide; ++i) {
    for (std::uint64_t rest = bits[i]; rest != 0; rest &= rest - 1) {
      at[count++] = i << 6 | LowestBit(rest);
      if (count == N) call();
    }
  }
  if (count == 0) return;
  for (int k = count; k < N; ++k) at[k] = at[k - 1];
  call();
}

/** Sets the bits of the voxels of groups. */
INTERVOX_HD inline void VoxelsOf(Groups groups, VoxelBits* voxels) {
  for (int x = 0; x < 2; ++x, groups >>= 4) {
    const std::uint32_t firsts =
        (groups & 1U) | (groups & 2U) << 1 | (groups & 4U) << 14 | (groups & 8U) << 15;
    (*voxels)[2 * x] = (*voxels)[2 * x + 1] = 0x0303U * firsts;
  }
}

/** The same of a tile whose voxels the groups are. */
INTERVOX_HD inline void VoxelsAsGroups(Groups groups, VoxelBits* voxels) {
  for (int x = 0; x < kTileEdge; ++x, groups >>= 4) {
    (*voxels)[x] = (groups & 3U) | (groups & 12U) << 6;
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
