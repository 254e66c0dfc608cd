/** @file LU factors of a block-sparse matrix, exact or incomplete. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/block_matrix.h"

namespace intervox::host::internal {

/** A ≈ L U block by block with the diagonal blocks as pivots, each inverted with row pivots. What
 falls outside the factors' pattern is left out. Without that L U = A. The order of the operations
 depends on the pattern alone: rows go to threads in parts, a part after those that it needs. */
class BlockFactor {
 public:
  /** Takes the blocks of A itself, ILU(0), in an order of the bodies; `part` consecutive ones go to
   a thread together. */
  void PlanIncomplete(const BlockPattern& A, std::span<const int> order, int part);
  /** Takes all blocks that elimination fills, in an order that keeps them few, unless it takes more
   than `most` products of blocks. @return whether it is planned */
  bool PlanExact(const BlockPattern& A, double most);
  /** Factorises a matrix with the planned pattern on up to `threads` threads. @return false if a
   pivot is singular */
  bool Factorise(const BlockMatrix& A, int threads);
  /** x = (L U)⁻¹ b, with factors rounded to single precision: solving is bound by memory, and GMRES
   takes what that leaves. `x` may be `b`. */
  void Solve(std::span<const double> b, std::span<double> x, int threads);

 private:
  void PlaceBodies();
  void ScheduleParts();
  template <class Run>
  void ForParts(bool forward, int threads, const Run& run);
  bool FactoriseRows(const BlockMatrix& A, int begin, int end);
  void SolveLower(std::span<const double> b, int begin, int end);
  void SolveUpper(std::span<double> x, int begin, int end);
  double* Block(int k) { return values_.data() + kBlockSize * static_cast<std::size_t>(k); }
  float* Rounded(int k) { return rounded_.data() + kBlockSize * static_cast<std::size_t>(k); }

  BlockPattern pattern_;   // of L + U, in the order of elimination
  std::vector<int> body_;  // of each row
  std::vector<int> from_;  // block of A for each of the factors', −1: none
  std::vector<double> values_;
  std::vector<double> inverses_;  // of the pivots
  std::vector<float> rounded_;    // what Solve takes: the blocks, inverses for the pivots
  std::vector<double> work_;      // solution in the order of elimination, eight for each row
  std::vector<int> place_;        // row of each body
  int part_ = 0;                  // rows that go to a thread together
  std::vector<int> level_;        // of each part: those that need each other differ
  std::vector<int> scheduled_;    // parts, level by level
  std::vector<int> level_start_;  // first of each level in scheduled_, and the end
};

}  // namespace intervox::host::internal
