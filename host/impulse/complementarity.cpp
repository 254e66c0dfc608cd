#include "host/impulse/complementarity.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/input/error.h"

namespace intervox::host {
namespace {

using Eigen::Index;

constexpr double kPivot = 1e-11;  // entries of the scaled tableau below this are rounding
constexpr int kPivotsAtMost = 10000;

/** Lemke's tableau for w − M z − 1 z₀ = q: columns w, z, z₀, q. */
class Tableau {
 public:
  Tableau(const Eigen::MatrixXd& M, const Eigen::VectorXd& q)
      : n_(q.size()), rows_(n_, 2 * n_ + 2), basic_(static_cast<std::size_t>(n_)) {
    rows_ << Eigen::MatrixXd::Identity(n_, n_), -M, -Eigen::VectorXd::Ones(n_), q;
    for (Index k = 0; k < n_; ++k) basic_[static_cast<std::size_t>(k)] = k;
  }

  ComplementarityStatus Solve(int* pivots) {
    if (rows_.col(2 * n_ + 1).minCoeff() >= 0.0) return ComplementarityStatus::kSolved;
    Index row = 0;
    for (Index k = 1; k < n_; ++k) {
      if (Before(k, row, 1.0, 1.0)) row = k;
    }
    Index entering = 2 * n_;
    for (*pivots = 0; *pivots < kPivotsAtMost; ++*pivots) {
      const Index leaving = basic_[static_cast<std::size_t>(row)];
      Pivot(row, entering);
      if (leaving == 2 * n_) return ComplementarityStatus::kSolved;
      entering = leaving < n_ ? leaving + n_ : leaving - n_;
      row = Blocking(entering);
      if (row < 0) return ComplementarityStatus::kRay;
    }
    return ComplementarityStatus::kTooManyPivots;
  }

  const std::vector<Index>& Basic() const { return basic_; }

 private:
  /** Whether row k, over its divisor, comes lexicographically before row m: q first, then B⁻¹. */
  bool Before(Index k, Index m, double of_k, double of_m) const {
    const auto entry = [&](Index column) {
      return rows_(k, column) / of_k - rows_(m, column) / of_m;
    };
    const double q = entry(2 * n_ + 1);
    if (std::fabs(q) > 1e-14) return q < 0.0;
    for (Index column = 0; column < n_; ++column) {
      const double difference = entry(column);
      if (std::fabs(difference) > 1e-14) return difference < 0.0;
    }
    return false;
  }

  /** The row that leaves when a column enters; −1: none, a ray. */
  Index Blocking(Index entering) const {
    Index row = -1;
    for (Index k = 0; k < n_; ++k) {
      const double by = rows_(k, entering);
      if (!(by > kPivot)) continue;
      if (row < 0 || Before(k, row, by, rows_(row, entering))) row = k;
    }
    return row;
  }

  void Pivot(Index row, Index column) {
    rows_.row(row) /= rows_(row, column);
    for (Index k = 0; k < n_; ++k) {
      if (k != row) rows_.row(k) -= rows_(k, column) * rows_.row(row);
    }
    basic_[static_cast<std::size_t>(row)] = column;
  }

  Index n_;
  Eigen::MatrixXd rows_;
  std::vector<Index> basic_;
};

}  // namespace

ComplementaritySolution SolveComplementarity(const Eigen::MatrixXd& B, const Eigen::VectorXd& d) {
  const Index n = d.size();
  if (B.rows() != n || B.cols() != n) {
    throw InputError(fmt::format(
        "complementarity problem: B is {} × {} and d has {} rows. Give a square B of d's size.",
        B.rows(), B.cols(), n));
  }
  if (!B.allFinite() || !d.allFinite()) {
    throw InputError("complementarity problem: B or d is not finite. Give finite numbers.");
  }
  ComplementaritySolution solution;
  solution.f = Eigen::VectorXd::Zero(n);
  solution.a = d;
  const double size_d = n > 0 ? d.cwiseAbs().maxCoeff() : 0.0;
  if (size_d == 0.0) return solution;
  const double size_B = std::max(B.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  Tableau tableau(B / size_B, d / size_d);
  solution.status = tableau.Solve(&solution.pivots);
  if (solution.status != ComplementarityStatus::kSolved) return solution;
  // The basis alone is kept: its forces are solved for again, from the data.
  std::vector<Index> pressed;
  for (const Index k : tableau.Basic()) {
    if (k >= n && k < 2 * n) pressed.push_back(k - n);
  }
  if (pressed.empty()) return solution;
  const auto count = static_cast<Index>(pressed.size());
  Eigen::MatrixXd part(count, count);
  Eigen::VectorXd load(count);
  for (Index row = 0; row < count; ++row) {
    load[row] = -d[pressed[static_cast<std::size_t>(row)]];
    for (Index column = 0; column < count; ++column) {
      part(row, column) =
          B(pressed[static_cast<std::size_t>(row)], pressed[static_cast<std::size_t>(column)]);
    }
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(part);
  Eigen::VectorXd force = factor.solve(load);
  force += factor.solve(load - part * force);
  for (Index row = 0; row < count; ++row) {
    solution.f[pressed[static_cast<std::size_t>(row)]] = std::max(0.0, force[row]);
  }
  solution.a = B * solution.f + d;
  return solution;
}

double ComplementarityError(const ComplementaritySolution& solution, const Eigen::VectorXd& d) {
  if (d.size() == 0) return 0.0;
  const double size_a = std::max(d.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  const double size_f =
      std::max(solution.f.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  const double below = std::max(-solution.a.minCoeff() / size_a, -solution.f.minCoeff() / size_f);
  const double product = solution.a.cwiseProduct(solution.f).cwiseAbs().maxCoeff();
  return std::max({0.0, below, product / (size_a * size_f)});
}

void LegProblem(const LeggedBody& body, Eigen::MatrixXd* B, Eigen::VectorXd* d) {
  if (!(body.mass > 0.0) || std::isinf(body.mass)) {
    throw InputError(fmt::format(
        "legged body: mass: {:g} is not positive and finite. Give kilograms.", body.mass));
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (!(body.inertia[axis] > 0.0) || std::isinf(body.inertia[axis])) {
      throw InputError(
          fmt::format("legged body: inertia: {:g} is not positive and finite. Give kg·m².",
                      body.inertia[axis]));
    }
  }
  const auto n = static_cast<Index>(body.legs.size());
  B->resize(n, n);
  *d = Eigen::VectorXd::Constant(n, -body.gravity);
  const Vec3 up{0, 0, 1};
  for (Index row = 0; row < n; ++row) {
    for (Index column = 0; column < n; ++column) {
      const Vec3 at_row = Cross(body.legs[static_cast<std::size_t>(row)], up);
      const Vec3 at_column = Cross(body.legs[static_cast<std::size_t>(column)], up);
      (*B)(row, column) = 1.0 / body.mass + at_row.x * at_column.x / body.inertia.x +
                          at_row.y * at_column.y / body.inertia.y;
    }
  }
}

}  // namespace intervox::host
