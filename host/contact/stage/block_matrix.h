/** @file A block-sparse matrix of 6 × 6 blocks, for islands of many bodies. */
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace intervox::host::internal {

/** Where a block-sparse matrix has blocks: rows one after the other, columns ascending. */
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

/** Doubles from one row of a block to the next; the last two of a row are 0. */
inline constexpr std::size_t kBlockStride = 8;
/** Doubles of a block. */
inline constexpr std::size_t kBlockSize = 6 * kBlockStride;

/** Values over a symmetric pattern. */
class BlockMatrix {
 public:
  /** The pattern; after changing it, call Clear. */
  BlockPattern pattern;

  /** Sets all blocks to zero. */
  void Clear(int threads);
  /** Returns the rows of a block. */
  double* Block(int k) { return values_.data() + kBlockSize * static_cast<std::size_t>(k); }
  /** @copydoc Block */
  const double* Block(int k) const {
    return values_.data() + kBlockSize * static_cast<std::size_t>(k);
  }
  /** Takes the three unknowns from 6 body + first on out: their rows and columns become those of
   the identity. */
  void Lock(int body, int first);
  /** Multiplies entry (i, j) by row[i] column[j]. */
  void Scale(std::span<const double> row, std::span<const double> column, int threads);
  /** y = A x on up to `threads` threads; x has two more doubles than unknowns. */
  void Multiply(std::span<const double> x, std::span<double> y, int threads) const;

 private:
  std::vector<double> values_;
};

}  // namespace intervox::host::internal
