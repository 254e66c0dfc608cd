#include "host/contact/stage/block_solver.h"

#include <algorithm>
#include <functional>

#include "cuda/device/executor.h"
#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {
namespace {

constexpr int kGrain = 256;  // contacts that go to a thread together
// Below so many products of blocks, exact factors cost no more than a few iterations.
constexpr double kFewProducts = 2e3;
// More of them for each block of the matrix cost more than patience.
constexpr double kProductsForBlock = 1e3;
constexpr double kExactTolerance = 1e-8;
constexpr int kRefinements = 8;
constexpr int kSoon = 30;      // iterations after which exact factors are tried
constexpr int kPatience = 60;  // iterations between restarts without them
constexpr int kRestarts = 20;

}  // namespace

void BlockSolver::Begin(std::span<StagePoint* const> points, std::span<const int> order,
                        int threads) {
  order_ = order;
  pairs_.clear();
  for (const StagePoint* point : points) {
    if (point->row_i >= 0 && point->row_j >= 0) {
      pairs_.push_back({point->row_i / 6, point->row_j / 6});
    }
  }
  BlockPattern& pattern = matrix_.pattern;
  pattern.Set(static_cast<int>(order.size()), pairs_);
  places_.resize(points.size());
  const auto find = [&](int begin, int end) {
    for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
      const int rows[2] = {points[c]->row_i, points[c]->row_j};
      for (int p = 0; p < 2; ++p) {
        for (int q = 0; q < 2; ++q) {
          places_[c].at[p][q] =
              rows[p] < 0 || rows[q] < 0 ? -1 : pattern.Find(rows[p] / 6, rows[q] / 6);
        }
      }
    }
  };
  cuda::ParallelFor(static_cast<int>(points.size()), kGrain, threads, std::cref(find));
  // Each block beside the diagonal is in a product at least, so the order need not be sought.
  const bool few = static_cast<double>(pattern.column.size() - order.size()) <= kFewProducts;
  if (few && factor_.PlanExact(pattern, kFewProducts)) {
    method_ = Method::kExact;
  } else {
    method_ = Method::kIterative;
    factor_.PlanIncomplete(pattern, order_, kPart);
  }
}

void BlockSolver::AddBody(std::size_t body, double mass, const Mat3& inertia) {
  AddInertia(mass, inertia, matrix_.Block(matrix_.pattern.diagonal[body]), kBlockStride);
}

void BlockSolver::AddDrag(std::size_t body, const DragInertia& drag) {
  internal::AddDrag(drag, matrix_.Block(matrix_.pattern.diagonal[body]), kBlockStride);
}

void BlockSolver::AddContact(std::size_t number, const StagePoint& point, bool coupled) {
  double* at[2][2] = {};
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      const int place = places_[number].at[p][q];
      if (place >= 0) at[p][q] = matrix_.Block(place);
    }
  }
  AddContactBlocks(point, coupled, at, kBlockStride);
}

void BlockSolver::Lock(std::size_t first) {
  matrix_.Lock(static_cast<int>(first / 6), static_cast<int>(first % 6));
}

bool BlockSolver::SolveNegative(std::span<const double> f, std::span<const double> row,
                                std::span<const double> column, double tolerance, int threads,
                                std::span<double> x) {
  matrix_.Scale(row, column, threads);
  rhs_.resize(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) rhs_[i] = -row[i] * f[i];
  const auto finish = [&] {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= column[i];
    return true;
  };
  if (method_ == Method::kIterative) {
    if (factor_.Factorise(matrix_, threads) &&
        gmres_.Solve(matrix_, &factor_, rhs_, x, tolerance, kSoon, threads).residual <= tolerance) {
      return finish();
    }
    const auto blocks = static_cast<double>(matrix_.pattern.column.size());
    if (factor_.PlanExact(matrix_.pattern, kProductsForBlock * blocks)) {
      method_ = Method::kExact;
    } else {
      method_ = Method::kPatient;
      factor_.PlanIncomplete(matrix_.pattern, order_, kPart);
    }
  }
  if (!factor_.Factorise(matrix_, threads)) return false;
  if (method_ == Method::kExact) {
    // Pivots are within the blocks only: what rounding leaves of that, a second iteration takes.
    gmres_.Solve(matrix_, &factor_, rhs_, x, kExactTolerance, kRefinements, threads);
    return finish();
  }
  // Restarted from the residual; what is reached in the end is a step, if a poor one.
  std::fill(x.begin(), x.end(), 0.0);
  part_.resize(x.size() + 2);
  product_.resize(x.size());
  double left = 1.0;
  for (int k = 0; k < kRestarts && left > tolerance; ++k) {
    left *= gmres_
                .Solve(matrix_, &factor_, rhs_, {part_.data(), x.size()}, tolerance / left,
                       kPatience, threads)
                .residual;
    matrix_.Multiply(part_, product_, threads);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += part_[i];
      rhs_[i] -= product_[i];
    }
  }
  return finish();
}

}  // namespace intervox::host::internal
