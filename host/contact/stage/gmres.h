/** @file GMRES over block-sparse matrices with incomplete factors. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/block_factor.h"
#include "host/contact/stage/block_matrix.h"

namespace intervox::host::internal {

/** Solves A x = b for any regular A by the generalised minimal residual method, preconditioned from
 the right. Sums are over fixed ranges in a fixed order, so the bits do not depend on threads. */
class Gmres {
 public:
  /** What a solve came to. */
  struct Outcome {
    int iterations = 0;
    double residual = 0.0;  ///< |b − A x| / |b|, as the recurrence has it
  };
  /** Starts from 0 and ends when the residual is at most `tolerance`, or after `most` iterations.
   */
  Outcome Solve(const BlockMatrix& A, BlockFactor* factor, std::span<const double> b,
                std::span<double> x, double tolerance, int most, int threads);

 private:
  double* Basis(int k) { return basis_.data() + static_cast<std::size_t>(k) * n_; }
  void Project(int count, double* w, double* h, int threads);
  void Combine(const double* factors, int count, double sign, double* out, int threads);

  std::size_t n_ = 0;
  std::vector<double> basis_;      // orthonormal vectors
  std::vector<double> direction_;  // preconditioned, and two zeros
  std::vector<double> partial_;    // products of a range, for all vectors
  std::vector<double> hessenberg_, cosine_, sine_, rhs_, y_;
};

}  // namespace intervox::host::internal
