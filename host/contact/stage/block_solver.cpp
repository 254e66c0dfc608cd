#include "host/contact/stage/block_solver.h"

#include <algorithm>
#include <cmath>

#include "cuda/device/executor.h"

namespace intervox::host::internal {
namespace {

// Below so many products of blocks, exact factors cost no more than a few iterations.
constexpr double kFewProducts = 2e3;
// More of them for each block of the matrix cost more than patience.
constexpr double kProductsForBlock = 1e3;
constexpr double kExactTolerance = 1e-8;
constexpr int kRefinements = 8;
constexpr int kSoon = 30;      // iterations after which exact factors are tried
constexpr int kPatience = 60;  // iterations between restarts without them
constexpr int kRestarts = 20;
// Old factors are made anew when the residual falls by less than this share of the rate that they
// had, as a logarithm: new ones cost about three iterations.
constexpr double kServing = 0.6;
constexpr int kPlaces = 1024;  // that go to a thread together where they are only copied

}  // namespace

void BlockSolver::Begin(std::span<StagePoint* const> points, std::span<const BodyPair> contacts,
                        std::span<const IslandBody> bodies, std::span<const int> order,
                        int threads) {
  points_ = points;
  order_ = order;
  taken_ = factored_ = false;
  const bool is_new = slope_.Begin(contacts, bodies, order, kPart, threads);
  if (!is_new && method_ == planned_) return;
  const BlockPattern& pattern = slope_.Pattern();
  // Each block beside the diagonal is in a product at least, so the order need not be sought.
  const bool few = static_cast<double>(pattern.column.size() - order.size()) <= kFewProducts;
  if (few && factor_.PlanExact(pattern, kFewProducts)) {
    method_ = Method::kExact;
  } else {
    method_ = Method::kIterative;
    factor_.PlanIncomplete(pattern, kPart);
  }
  planned_ = method_;
}

/** With incomplete factors, old ones where they serve. @return whether the residual has fallen */
bool BlockSolver::SolveIteratively(double tolerance, int threads) {
  for (;;) {
    const bool is_new = !factored_;
    if (is_new && !factor_.Factorise(slope_, threads)) return false;
    const Gmres::Outcome outcome =
        gmres_.Solve(slope_, &factor_, rhs_, solution_, tolerance, kSoon, threads);
    const bool fell = outcome.residual <= tolerance;
    const double rate = outcome.iterations > 0 && outcome.residual > 0.0
                            ? -std::log(outcome.residual) / outcome.iterations
                            : rate_;
    if (is_new) rate_ = rate;
    factored_ = fell && rate >= kServing * rate_;
    if (fell || is_new) return fell;
  }
}

/** Restarted from the residual; what is reached in the end is a step, if a poor one. */
void BlockSolver::SolvePatiently(double tolerance, int threads) {
  const std::size_t n = solution_.size();
  std::fill(solution_.begin(), solution_.end(), 0.0);
  part_.resize(n);
  product_.resize(n);
  double left = 1.0;
  for (int k = 0; k < kRestarts && left > tolerance; ++k) {
    left *=
        gmres_.Solve(slope_, &factor_, rhs_, part_, tolerance / left, kPatience, threads).residual;
    slope_.Multiply(part_, product_, threads);
    for (std::size_t i = 0; i < n; ++i) {
      solution_[i] += part_[i];
      rhs_[i] -= product_[i];
    }
  }
}

bool BlockSolver::SolveNegative(std::span<const double> f, bool coupled, double tolerance,
                                int threads, std::span<double> x) {
  if (!taken_ || !coupled) slope_.Update(points_, coupled, threads);
  taken_ = false;
  rhs_.resize(f.size());
  solution_.resize(f.size());
  cuda::ForEach(order_.size(), kPlaces, threads, [&](std::size_t p) {
    const IslandBody& body = slope_.Body(static_cast<int>(p));
    const double* from = &f[6 * static_cast<std::size_t>(order_[p])];
    for (std::size_t i = 0; i < 6; ++i) rhs_[6 * p + i] = -body.row[i] * from[i];
  });
  const auto finish = [&] {
    cuda::ForEach(order_.size(), kPlaces, threads, [&](std::size_t p) {
      std::copy_n(&solution_[6 * p], 6, &x[6 * static_cast<std::size_t>(order_[p])]);
    });
    return true;
  };
  if (method_ == Method::kIterative) {
    if (SolveIteratively(tolerance, threads)) return finish();
    const auto blocks = static_cast<double>(slope_.Pattern().column.size());
    if (factor_.PlanExact(slope_.Pattern(), kProductsForBlock * blocks)) {
      method_ = Method::kExact;
    } else {
      method_ = Method::kPatient;
      factor_.PlanIncomplete(slope_.Pattern(), kPart);
    }
  }
  if (!factor_.Factorise(slope_, threads)) return false;
  if (method_ == Method::kExact) {
    // Pivots are within the blocks only: what rounding leaves of that, further iterations take.
    gmres_.Solve(slope_, &factor_, rhs_, solution_, kExactTolerance, kRefinements, threads);
  } else {
    SolvePatiently(tolerance, threads);
  }
  return finish();
}

}  // namespace intervox::host::internal
