/** @file LU factors of a block-sparse matrix, exact or incomplete. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/block_pattern.h"
#include "host/contact/stage/island_slope.h"

namespace intervox::host::internal {

/** A ≈ L U block by block with the diagonal blocks as pivots, each inverted with pivots of its own.
 What falls outside the factors' pattern is left out. Without that L U = A to single precision, in
 which factors are kept and solved with: both are bound by memory, and GMRES takes what that leaves.
 The order of the operations depends on the pattern alone: rows go to threads in parts, a part after
 those that it needs. */
class BlockFactor {
 public:
  /** Takes the blocks of A itself, ILU(0), in the order of its places; `part` consecutive rows go
   to a thread together. */
  void PlanIncomplete(const BlockPattern& A, int part);
  /** Takes all blocks that elimination fills, in an order that keeps them few, unless it takes more
   than `most` products of blocks. @return whether it is planned */
  bool PlanExact(const BlockPattern& A, double most);
  /** Factorises a matrix with the planned pattern on up to `threads` threads. @return false if a
   pivot is singular */
  bool Factorise(const IslandSlope& A, int threads);
  /** x = (L U)⁻¹ b about, each unknown times its column's scale in A. Two doubles behind b are
   read. */
  void Solve(const IslandSlope& A, const double* b, double* x, int threads);

 private:
  void ScheduleParts();
  template <class Run>
  void ForParts(bool forward, int threads, const Run& run);
  bool FactoriseRows(const IslandSlope& A, int begin, int end);
  void SolveLower(const double* b, int begin, int end);
  void SolveUpper(const IslandSlope& A, double* x, int begin, int end);
  float* Lower(std::size_t row);
  float* Upper(std::size_t row);

  BlockPattern pattern_;   // of L + U, in the order of elimination
  std::vector<int> body_;  // of each row, its place in A
  std::vector<int> from_;  // block of A for each of the factors', −1: none
  // Blocks by columns, six floats each, row after row: those left of the diagonal; the inverse of
  // the diagonal's and those right of it.
  std::vector<float> lower_, upper_;
  std::vector<int> first_upper_;  // in upper_, of each row
  std::vector<float> work_;       // solution in the order of elimination, eight for each row
  std::vector<int> place_;        // row of each place in A
  int part_ = 0;                  // rows that go to a thread together
  std::vector<int> level_;        // of each part: those that need each other differ
  std::vector<int> scheduled_;    // parts, level by level
  std::vector<int> level_start_;  // first of each level in scheduled_, and the end
};

}  // namespace intervox::host::internal
