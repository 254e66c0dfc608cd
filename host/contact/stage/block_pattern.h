/** @file Where a block-sparse matrix of 6 × 6 blocks, for islands of many bodies, has blocks. */
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace intervox::host::internal {

/** Rows one after the other, columns ascending. */
struct BlockPattern {
  std::vector<int> start;     ///< first block of each row, and the end
  std::vector<int> column;    ///< of each block
  std::vector<int> diagonal;  ///< block on the diagonal of each row

  /** Returns how many rows there are. */
  int rows() const { return static_cast<int>(diagonal.size()); }
  /** Returns the block at (row, col), −1 without one. */
  int Find(int row, int col) const;
  /** Sets the blocks to the diagonal and both (i, j) and (j, i) of each pair of bodies. */
  void Set(int bodies, std::span<const std::array<int, 2>> pairs);
};

/** Doubles from one column of a block to the next, of which the last two mean nothing. */
inline constexpr std::size_t kBlockStride = 8;
/** Doubles of a block. */
inline constexpr std::size_t kBlockSize = 6 * kBlockStride;

}  // namespace intervox::host::internal
