/** @file Tiles: a few voxels of a lattice with the levels of the sides at their nodes.

 The lattice stands still in its grid, and all other sides move through it. A rule that sees of them
 nothing but their levels at the lattice's nodes has a V that is a continuous function of the pose;
 with w = −∂V/∂level at each node, Σ w ∇level is then V's gradient, to rounding. */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>

#include "cuda/rules/grid/lift.h"

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
  double d = 0;      ///< the plane n·x = d, from the cube's centre
  double share = 0;
  double area = 0;  ///< of its plane in the unit cube, where the plane before it keeps that
  /** Of its plane in the cube, where the plane before it keeps all of that: 1, nothing: −1, or
   some: 0; 2 where it has none. */
  int kept = 2;
  Vec3 centre;      ///< of that area, from the cube's
  double cosine = 0;
  CommonShare both;  ///< with the sides before it
};

/** Some of a tile's voxels: of voxel (i, j, k) bit 8j + k of number i. */
using VoxelBits = std::uint32_t[kTileEdge];
/** Some of its nodes, likewise. */
using NodeBits = std::uint64_t[kTileSide];

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
  double edge = 0;            ///< of a voxel [m]
  bool lifts = false;         ///< whether levels are without what interpolation adds
  int grids = 0;              ///< of the model: its first sides
  int count = 0;              ///< sides that bounds over the tile leave undecided
  int side[kTileSides];       ///< which sides of the model
  double turn[kTileSides];    ///< their weight in S: 0 where the side stands still or is a cut
  std::uint64_t cutting = 0;  ///< bits of the sides with a positive level at a node
  VoxelBits left;             ///< voxels that are not outside of a side
  NodeBits positive[kTileSides];      ///< of a cutting side: nodes where its level is
  std::uint64_t outside[kTileNodes];  ///< bits of the sides whose level is positive
  double (*level)[kTileNodes];        ///< of cutting sides at the nodes of voxels that they cut
  double (*gain)[kTileNodes];         ///< −∂V/∂level
  SideShare* share;                   ///< of one voxel after the other
  Piece* pieces;                      ///< a stack; each side leaves at most two more
  center::BlockStack blocks;          ///< that wait before they become tiles
  clip::PolygonRoom polygon;          ///< of a side in a voxel

  /** The number of node (i, j, k). */
  INTERVOX_HD static int Node(int i, int j, int k) { return (i * kTileSide + j) * kTileSide + k; }

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
  return sizeof(Tile) +
         static_cast<std::size_t>(sides) * (2 * sizeof(double[kTileNodes]) + sizeof(SideShare)) +
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
  tile->share = reinterpret_cast<SideShare*>(take(n * sizeof(SideShare)));
  tile->pieces = reinterpret_cast<Piece*>(at);
  return tile;
}

/** The number of the lowest bit of 1 to 31. Not std::countr_zero, of which nvcc 13 makes a constant
 on a device, without a word. */
INTERVOX_HD inline int LowestBit(unsigned row) {
  // Bit n's number stands 3·2ⁿ bits up.
  constexpr std::uint64_t kNumbers = std::uint64_t{1} << 6 | std::uint64_t{2} << 12 |
                                     std::uint64_t{3} << 24 | std::uint64_t{4} << 48;
  return static_cast<int>(kNumbers >> 3 * (row & (0U - row)) & 7U);
}

/** Calls f(i, j, k) for the voxels or nodes whose bits are set. */
template <class Bits, int kSide, class F>
INTERVOX_HD void ForEachBit(const Bits (&bits)[kSide], const F& f) {
  for (int i = 0; i < kSide; ++i) {
    int j = 0;
    for (Bits rows = bits[i]; rows != 0; rows >>= 8, ++j) {
      for (auto row = static_cast<unsigned>(rows & 31U); row != 0; row &= row - 1) {
        f(i, j, LowestBit(row));
      }
    }
  }
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

/** The voxels of which all nodes are among those of the bits. */
INTERVOX_HD inline std::uint32_t VoxelsWithin(std::uint64_t nodes, std::uint64_t next) {
  const std::uint64_t ends = nodes & next, along = ends & ends >> 1;
  return static_cast<std::uint32_t>(along & along >> 8);
}

/** Reads nodes of a block, every kStride-th of them, to all nodes of a tile.
 @param f  at the tile's first node */
template <int kStride>
INTERVOX_HD inline void ReadRows(const float* f, double h, const Tile& tile, double* level) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  const int x = tile.voxels.count[0], y = tile.voxels.count[1], z = tile.voxels.count[2];
  for (int i = 0; i <= x; ++i) {
    const float* from = f + kStride * kX * i;
    double* to = level + Tile::Node(i, 0, 0);
    for (int j = 0; j <= y; ++j, from += kStride * kY, to += kTileSide) {
      to[0] = h * from[0];
      to[1] = h * from[kStride];
      to[2] = h * from[2 * kStride];
      if (z == kTileEdge) {
        to[3] = h * from[3 * kStride];
        to[4] = h * from[4 * kStride];
      } else if (z == 3) {
        to[3] = h * from[3 * kStride];
      }
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
  const std::int32_t block =
      view.places[(place[0] * view.size[1] + place[1]) * view.size[2] + place[2]];
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
  INTERVOX_HD GridReader(const GridSide& side, const Tile& tile) : side_(side) {
    const double step = tile.edge / side.h;
    share_ = LiftOf(side, tile);
    first_ = TransposeTimes(side.R, tile.At(0, 0, 0) - side.p) / side.h;
    x_ = step * side.R.row0;
    y_ = step * side.R.row1;
    z_ = step * side.R.row2;
  }

  /** The level at node (i, j, k). */
  INTERVOX_HD double At(int i, int j, int k) const {
    return side_.h * LiftedLevelOf(side_, Place(i, j, k), share_);
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
  Vec3 first_, x_, y_, z_;
  double share_;
};

/** Whether a level decides all that is within some distance: 1 outside, −1 inside, or 0. */
INTERVOX_HD inline int Decide(double g, double reach) { return g > reach ? 1 : g < -reach ? -1 : 0; }

/** Takes voxels that a grid decides from those that it may cut, and those outside of it from those
 that are left. */
INTERVOX_HD inline void TakeDecided(int decided, std::uint32_t voxels, std::uint32_t* open,
                                    std::uint32_t* left) {
  if (decided == 0) return;
  *open &= ~voxels;
  if (decided > 0) *left &= ~voxels;
}

/** Reads the levels of a grid at nodes of a tile's voxels that its slope leaves undecided.

 Of each voxel one node is the middle of eight voxels, and the opposite one their corner. The field
 is read in the middle first: nodes around it are at most √3 edges away. Where it is further than an
 edge from the face, so may be the corner, and each other node is next to one of the two.
 @param open   of the voxels left those that the grid may cut; what lies outside leaves `left`, too
 @param nodes  those of the open voxels */
INTERVOX_HD inline void ReadLevels(const GridSide& side, Tile* tile, VoxelBits* open,
                                   NodeBits* nodes, double* level) {
  const GridReader reader(side, *tile);
  const double lift = LiftOf(side, *tile) * kMostLift * side.h + kOnNode * side.h;
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
  ForEachBit(*nodes, [&](int i, int j, int k) { level[Tile::Node(i, j, k)] = reader.At(i, j, k); });
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
      const unsigned along = unsigned{row[0] > 0} | unsigned{row[1] > 0} << 1 |
                             unsigned{row[2] > 0} << 2 | unsigned{row[3] > 0} << 3 |
                             unsigned{row[4] > 0} << 4;
      positive |= std::uint64_t{along} << 8 * j;
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
        ReadLevels(model.grid[s], tile, &open, &nodes, level);
      }
      // Lifted levels are those of whole voxels, which no cells of planes stand beside.
      if (!tile->lifts) SnapToFace(nodes, kOnNode * model.grid[0].h, level);
      if (NoteOutside(slot, nodes, tile)) {
        tile->cutting |= std::uint64_t{1} << slot;
        // Side 0 is the lattice's own. Weights are halves, one for each of two bodies that move.
        tile->turn[slot] = s == 0 ? 0.0 : 2 * WeightOf(model, s);
      }
      const VoxelBits& left = tile->left;
      if ((left[0] | left[1] | left[2] | left[3]) == 0) return false;
    }
  }
  NoteSides(tile);
  return true;
}

/** The gradient of side s; of a grid where two of its voxels meet, the mean of theirs: V may have a
 kink there, and S is then the mean of its derivatives on both sides, but for the lift's. */
INTERVOX_HD inline Vec3 GradientAt(const GridModel& model, const Tile& tile, int s, const Vec3& x) {
  if (s >= model.grids) return LevelAndSlopeOf(model, s, x).gradient;
  constexpr double kBeside = 1e-9;  // [voxels]
  const GridSide& side = model.grid[s];
  return side.R * LiftedGradientOf(side, TransposeTimes(side.R, x - side.p) / side.h,
                                   TransposeTimes(side.R, kBeside * Vec3{1, 1, 1}),
                                   LiftOf(side, tile));
}

/** (G5): adds to S and T what the nodes' gains are along the sides' gradients there. */
INTERVOX_HD inline void AddGains(const GridModel& model, const Tile& tile, clip::ClipSums* sums) {
  NodeBits nodes;
  NodesOf(tile.left, &nodes);
  for (int s = 0; s < tile.count; ++s) {
    if ((tile.cutting >> s & 1) == 0 || tile.turn[s] == 0) continue;
    ForEachBit(nodes, [&](int i, int j, int k) {
      const int n = Tile::Node(i, j, k);
      if (tile.gain[s][n] == 0) return;
      const Vec3 x = tile.At(i, j, k);
      const Vec3 face = (tile.turn[s] * tile.gain[s][n]) * GradientAt(model, tile, tile.side[s], x);
      sums->s += face;
      sums->t = sums->t + Outer(x, face);
    });
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
