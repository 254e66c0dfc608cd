/** @file Makes level sets: of exact cells by true distances, and of anything that has node values.
 */
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "geometry/cell.h"
#include "geometry/grid/level_set.h"

namespace intervox::geometry {

/** Half widths of bands that grids may have [voxels]. */
inline constexpr double kLeastHalfWidth = 2, kMostHalfWidth = 100;

/** Calls the body for ranges that make up [0, count). */
using RangeLoop = std::function<void(int count, const std::function<void(int, int)>& body)>;

/** What is known of a place before its nodes are asked for. */
enum class PlaceKind { kOutside, kInside, kBand };

/** Says what is known of a place by its entry in LevelSet::places. */
inline PlaceKind KindOf(std::int32_t place) {
  return place >= 0               ? PlaceKind::kBand
         : place == kAbsentInside ? PlaceKind::kInside
                                  : PlaceKind::kOutside;
}

/** Reads 9³ node levels [voxels] of the block whose first node is given, z fastest. */
using BlockReader = std::function<void(const std::array<int, 3>& first, float* nodes)>;

/** Makes the reader that calls level(u) for each node u of a block, both in voxels. */
template <class Level>
BlockReader ByNode(const Level& level) {
  return [level](const std::array<int, 3>& first, float* nodes) {
    for (int i = 0; i < kBlockSide; ++i) {
      for (int j = 0; j < kBlockSide; ++j) {
        for (int k = 0; k < kBlockSide; ++k) {
          const Vec3 u{static_cast<double>(first[0] + i), static_cast<double>(first[1] + j),
                       static_cast<double>(first[2] + k)};
          *nodes++ = static_cast<float>(level(u));
        }
      }
    }
  };
}

/** Joins blocks to a level set. Levels are clamped to ±band; a block wholly at ±band is dropped.
 @param origin      first node of the first place
 @param size        places along each axis
 @param kinds       of each place, z fastest
 @param read        nodes of a place of kind kBand; called from the loop's threads
 @param voxel_size  [m]
 @throws std::invalid_argument when blocks need more memory than there is, when nodes on the outer
 boundary are not outside, and when nothing is inside. */
std::shared_ptr<const LevelSet> JoinBlocks(const std::array<int, 3>& origin,
                                           const std::array<int, 3>& size,
                                           std::span<const PlaceKind> kinds,
                                           const BlockReader& read, double voxel_size, double band,
                                           const RangeLoop& loop);

/** Origin and size of the blocks that hold the nodes [lower, upper].
 @throws std::invalid_argument, naming a voxel size that would do, where they are too many. */
void PlaceBlocks(const Vec3& lower, const Vec3& upper, double voxel_size,
                 std::array<int, 3>* origin, std::array<int, 3>* size);

/** @throws std::invalid_argument for a voxel size [m] or a half width [voxels] out of range. */
void RequireGridSizes(double voxel_size, double half_width);

/** The level set of the union of disjoint bounded cells, node (i, j, k) at voxel_size · (i, j, k),
 with the true signed distance within half_width voxels. The same for any loop.
 @throws std::invalid_argument for parameters out of range, unbounded cells, and grids that need
 more memory than there is; the message says what would do. */
std::shared_ptr<const LevelSet> MakeLevelSet(std::span<const Cell> cells, double voxel_size,
                                             double half_width, const RangeLoop& loop);

}  // namespace intervox::geometry
