/** @file A narrow-band level set as a trilinear field, in blocks that any device reads.

 Lengths and levels are in voxels here, so that a scaled solid shares its field: node (i, j, k) is
 the point (i, j, k), and the field between nodes is their trilinear interpolant. */
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/surface_eval.h"

namespace intervox::geometry {

inline constexpr int kBlockEdge = 8;  ///< voxels along a block's edge
/** Nodes along a block's edge: neighbours both hold the nodes that they share. */
inline constexpr int kBlockSide = kBlockEdge + 1;
inline constexpr int kBlockNodes = kBlockSide * kBlockSide * kBlockSide;  ///< nodes of a block

/** Most that a node's bend is [voxels]: ψ(L) of MakeBend, rounded up. */
inline constexpr double kMostBend = 0.171;

/** The unit of bends, which are kept as signed roots so that small ones are within a few per cent,
 too: a node's is kBendUnit r|r| [voxels]. */
inline constexpr double kBendUnit = kMostBend / (127 * 127);

inline constexpr std::int32_t kAbsentOutside = -1;  ///< a place without a block: f = +band
inline constexpr std::int32_t kAbsentInside = -2;   ///< a place without a block: f = −band

/** Least and largest level of a block's nodes; infinite beyond the band. Between nodes the field is
 no less and no more. */
struct Extent {
  float lo = 0;
  float hi = 0;
};

/** Parts of a block of half its edge. */
inline constexpr int kEighths = 8;

/** A level set by raw pointers. Beyond its places the field is +band. */
struct GridView {
  const float* nodes = nullptr;          ///< kBlockNodes of each block, z fastest
  const std::int8_t* bends = nullptr;    ///< of the same nodes, signed roots: kBendUnit
  const std::int32_t* places = nullptr;  ///< the block at each place or kAbsent…, z fastest
  const Extent* extents = nullptr;       ///< of each place; then of 2³, 4³, … places together
  const Extent* eighths = nullptr;       ///< of each block's kEighths, z fastest
  int origin[3] = {};                    ///< the first place's first node
  int size[3] = {};                      ///< places along each axis
  double band = 0.0;                     ///< |f| ends here
  double slope = 0.0;                    ///< |f(u) − f(v)| ≤ slope |u − v|
};

/** The owner of a level set's arrays. Read-only once made; cells share it. */
struct LevelSet {
  std::vector<float> nodes;          ///< GridView::nodes
  std::vector<std::int8_t> bends;    ///< GridView::bends
  std::vector<std::int32_t> places;  ///< GridView::places
  std::vector<Extent> extents;       ///< GridView::extents
  std::vector<Extent> eighths;       ///< GridView::eighths
  std::array<int, 3> origin{};       ///< GridView::origin
  std::array<int, 3> size{};         ///< GridView::size
  std::array<int, 3> lower{};        ///< nodes that are inside lie in [lower, upper]
  std::array<int, 3> upper{};        ///< nodes that are inside lie in [lower, upper]
  double voxel_size = 0.0;           ///< [m] where it was made
  double band = 0.0;                 ///< GridView::band
  double slope = 0.0;                ///< GridView::slope
  std::int64_t active = 0;           ///< voxels that hold a node within the band
  std::uint64_t checksum = 0;        ///< of all that the field is made of

  /** Views it; it must outlive the view. */
  GridView View() const;
};

/** Bytes of a level set's arrays. */
std::size_t BytesOf(const LevelSet& grid);

/** A level with its gradient [–]. */
struct LevelAt {
  double value = 0.0;
  Vec3 gradient;
};

/** The voxel around a point. */
struct VoxelAt {
  const float* node = nullptr;  ///< the first of its nodes; null beyond the band
  int place[3] = {};            ///< its block's, along each axis
  int in[3] = {};               ///< which of its block's voxels it is, along each axis
  double t[3] = {};             ///< where in it the point is, in [0, 1)
  double beyond = 0.0;          ///< the level where there is no node [voxels]
};

/** The block at a place, or kAbsent…. */
INTERVOX_HD inline std::int32_t BlockAt(const GridView& grid, int x, int y, int z) {
  return grid.places[(x * grid.size[1] + y) * grid.size[2] + z];
}

/** The grid's first node. */
INTERVOX_HD inline Vec3 OriginOf(const GridView& grid) {
  return {double(grid.origin[0]), double(grid.origin[1]), double(grid.origin[2])};
}

/** The voxel that holds a place, which is taken from the grid's first node on [voxels]. */
INTERVOX_HD inline VoxelAt FindVoxelFromFirst(const GridView& grid, const Vec3& place) {
  VoxelAt voxel;
  for (int axis = 0; axis < 3; ++axis) {
    const double x = place[axis];
    if (!(x >= 0 && x < kBlockEdge * grid.size[axis])) {
      voxel.beyond = grid.band;
      return voxel;
    }
    const int whole = static_cast<int>(x);
    const auto up = static_cast<unsigned>(whole);  // halved without a sign
    voxel.place[axis] = static_cast<int>(up / kBlockEdge);
    voxel.in[axis] = static_cast<int>(up % kBlockEdge);
    voxel.t[axis] = x - whole;
  }
  const std::int32_t block = BlockAt(grid, voxel.place[0], voxel.place[1], voxel.place[2]);
  if (block < 0) {
    voxel.beyond = block == kAbsentInside ? -grid.band : grid.band;
    return voxel;
  }
  voxel.node = grid.nodes + static_cast<std::int64_t>(block) * kBlockNodes +
               (voxel.in[0] * kBlockSide + voxel.in[1]) * kBlockSide + voxel.in[2];
  return voxel;
}

/** The voxel that holds u [voxels]. */
INTERVOX_HD inline VoxelAt FindVoxel(const GridView& grid, const Vec3& u) {
  return FindVoxelFromFirst(grid, u - OriginOf(grid));
}

/** The trilinear field and its gradient at t in the voxel of a first node. */
INTERVOX_HD inline LevelAt SlopeIn(const float* f, const double (&t)[3]) {
  // Along z, then y, then x; a name's digits are the node's offsets in x and y.
  constexpr int kX = kBlockSide * kBlockSide, kY = kBlockSide;
  const double f00 = f[0] + t[2] * (f[1] - f[0]), z00 = f[1] - f[0];
  const double f01 = f[kY] + t[2] * (f[kY + 1] - f[kY]), z01 = f[kY + 1] - f[kY];
  const double f10 = f[kX] + t[2] * (f[kX + 1] - f[kX]), z10 = f[kX + 1] - f[kX];
  const double f11 = f[kX + kY] + t[2] * (f[kX + kY + 1] - f[kX + kY]),
               z11 = f[kX + kY + 1] - f[kX + kY];
  const double f0 = f00 + t[1] * (f01 - f00), z0 = z00 + t[1] * (z01 - z00);
  const double f1 = f10 + t[1] * (f11 - f10), z1 = z10 + t[1] * (z11 - z10);
  const double y0 = f01 - f00, y1 = f11 - f10;
  return {f0 + t[0] * (f1 - f0), {f1 - f0, y0 + t[0] * (y1 - y0), z0 + t[0] * (z1 - z0)}};
}

/** The value of SlopeIn, alone. */
INTERVOX_HD inline double LevelIn(const float* f, const double (&t)[3]) {
  constexpr int kX = kBlockSide * kBlockSide, kY = kBlockSide;
  const double f00 = f[0] + t[2] * (f[1] - f[0]);
  const double f01 = f[kY] + t[2] * (f[kY + 1] - f[kY]);
  const double f10 = f[kX] + t[2] * (f[kX + 1] - f[kX]);
  const double f11 = f[kX + kY] + t[2] * (f[kX + kY + 1] - f[kX + kY]);
  const double f0 = f00 + t[1] * (f01 - f00), f1 = f10 + t[1] * (f11 - f10);
  return f0 + t[0] * (f1 - f0);
}

/** The trilinear field and its gradient at u [voxels]; beyond the band ±band with gradient 0. */
INTERVOX_HD inline LevelAt Evaluate(const GridView& grid, const Vec3& u) {
  const VoxelAt voxel = FindVoxel(grid, u);
  return voxel.node != nullptr ? SlopeIn(voxel.node, voxel.t) : LevelAt{voxel.beyond, {}};
}

/** The value of Evaluate, alone. */
INTERVOX_HD inline double LevelOf(const GridView& grid, const Vec3& u) {
  const VoxelAt voxel = FindVoxel(grid, u);
  return voxel.node != nullptr ? LevelIn(voxel.node, voxel.t) : voxel.beyond;
}

/** Certified bounds of the field over the axis-aligned box [lower, upper] [voxels]: those of the
 blocks that meet it. Infinite where a block lies beyond the band. */
INTERVOX_HD inline Bounds BlockBounds(const GridView& grid, const Vec3& lower, const Vec3& upper) {
  int first[3], last[3], size[3] = {grid.size[0], grid.size[1], grid.size[2]};
  bool beyond = false;
  for (int axis = 0; axis < 3; ++axis) {
    const double lo = (lower[axis] - grid.origin[axis]) / kBlockEdge;
    const double hi = (upper[axis] - grid.origin[axis]) / kBlockEdge;
    if (!(hi >= 0 && lo < size[axis])) return {grid.band, 1e300};
    beyond = beyond || lo < 0 || hi >= size[axis];
    first[axis] = lo > 0 ? static_cast<int>(lo) : 0;
    last[axis] = hi < size[axis] ? static_cast<int>(hi) : size[axis] - 1;
  }
  // At most three of the coarser places along each axis hold them.
  const Extent* extents = grid.extents;
  while (last[0] - first[0] > 2 || last[1] - first[1] > 2 || last[2] - first[2] > 2) {
    extents += static_cast<std::int64_t>(size[0]) * size[1] * size[2];
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] /= 2;
      last[axis] /= 2;
      size[axis] = (size[axis] + 1) / 2;
    }
  }
  Bounds f = beyond ? Bounds{grid.band, 1e300} : Bounds{1e300, -1e300};
  for (int i = first[0]; i <= last[0]; ++i) {
    for (int j = first[1]; j <= last[1]; ++j) {
      for (int k = first[2]; k <= last[2]; ++k) {
        const Extent& e = extents[(i * size[1] + j) * size[2] + k];
        f = {internal::MinOf(f.lo, e.lo), internal::MaxOf(f.hi, e.hi)};
      }
    }
  }
  return f;
}

}  // namespace intervox::geometry
