/** @file Flexible GMRES over block-sparse matrices with incomplete factors. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/block_factor.h"
#include "host/contact/stage/island_slope.h"

namespace intervox::host::internal {

/** Solves A x = b for any regular A by the flexible generalised minimal residual method,
 preconditioned from the right: what the preconditioner has rounded counts as it is. Sums are over
 fixed ranges in a fixed order, so the bits do not depend on threads. */
class Gmres {
 public:
  /** What a solve came to. */
  struct Outcome {
    int iterations = 0;
    double residual = 0.0;  ///< |b − A x| / |b|, as the recurrence has it
  };
  /** Starts from 0 and ends when the residual is at most `tolerance`, or after `most` iterations.
   @param x  out: each unknown times its column's scale in A */
  Outcome Solve(const IslandSlope& A, BlockFactor* factor, std::span<const double> b,
                std::span<double> x, double tolerance, int most, int threads);

 private:
  double* Basis(std::size_t k) { return basis_[k].data(); }
  void Project(std::size_t count, double* w, double* h, int threads);
  void Combine(const double* factors, std::size_t count, double sign,
               const std::vector<std::vector<double>>& vectors, double* out, int threads);

  std::size_t n_ = 0;
  std::vector<std::vector<double>> basis_;       // orthonormal, and two zeros each
  std::vector<std::vector<double>> directions_;  // what the preconditioner made of them
  std::vector<double> partial_;                  // products of a range, for all vectors
  std::vector<double> hessenberg_, cosine_, sine_, rhs_, y_;
};

}  // namespace intervox::host::internal
