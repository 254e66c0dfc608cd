#include "host/contact/stage/island_matrix.h"

#include <algorithm>
#include <cmath>

#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {

void IslandMatrix::Clear() {
  n_ = 6 * body_at_.size() + constraint_at_.size();
  stride_ = (n_ + 2 + 3) / 4 * 4;  // a block's row of eight must fit behind the last six columns
  if (values_.size() < n_ * stride_) values_.resize(n_ * stride_);
  std::fill_n(values_.begin(), n_ * stride_, 0.0);
}

void IslandMatrix::Reset(std::size_t bodies) {
  body_at_.resize(bodies);
  for (std::size_t b = 0; b < bodies; ++b) body_at_[b] = 6 * b;
  constraint_at_.clear();
  Clear();
}

void IslandMatrix::Reset(std::span<const std::size_t> bodies,
                         std::span<const std::size_t> constraints) {
  body_at_.assign(bodies.begin(), bodies.end());
  constraint_at_.assign(constraints.begin(), constraints.end());
  Clear();
}

void IslandMatrix::AddBody(std::size_t body, double mass, const Mat3& inertia) {
  AddInertia(mass, inertia, Row(body_at_[body]) + body_at_[body], stride_);
}

void IslandMatrix::AddDrag(std::size_t body, const DragInertia& drag) {
  internal::AddDrag(drag, Row(body_at_[body]) + body_at_[body], stride_);
}

void IslandMatrix::AddContact(const StagePoint& point, const BodyPair& bodies, bool coupled) {
  if (point.is_point && n_ == 6) {
    const Vec3& rho = bodies.i >= 0 ? point.rho_i : point.rho_j;
    AddPointBlock(point.PointSlope(coupled), rho, values_.data(), stride_);
    return;
  }
  const int rows[2] = {FirstUnknown(bodies.i), FirstUnknown(bodies.j)};
  double* at[2][2] = {};
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      if (rows[p] < 0 || rows[q] < 0) continue;
      at[p][q] = Row(PlaceOf(static_cast<std::size_t>(rows[p]))) +
                 PlaceOf(static_cast<std::size_t>(rows[q]));
    }
  }
  if (point.is_point) {
    const Vec3 rho[2] = {point.rho_i, point.rho_j};
    AddPointBlocks(point.PointSlope(coupled), rho, at, stride_);
    return;
  }
  ContactSlope slope = SlopeOf(point, coupled);
  for (int p = 0; p < 2; ++p) slope.at[p] = rows[p];
  AddContactBlocks(slope, at, stride_);
}

void IslandMatrix::Add(const IslandMatrix& other) {
  for (std::size_t k = 0; k < n_ * stride_; ++k) values_[k] += other.values_[k];
}

void IslandMatrix::AddConstraint(std::size_t number, std::size_t body, const double* J) {
  const std::size_t row = constraint_at_[number], at = body_at_[body];
  for (std::size_t i = 0; i < 6; ++i) Row(row)[at + i] = Row(at + i)[row] = J[i];
}

void IslandMatrix::SetCompliance(std::size_t number, double compliance) {
  const std::size_t row = constraint_at_[number];
  Row(row)[row] = -compliance;
}

void IslandMatrix::AddProduct(double factor, const int first[2], const double g[2][6]) {
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      if (first[p] < 0 || first[q] < 0) continue;
      const std::size_t row = PlaceOf(static_cast<std::size_t>(first[p]));
      const std::size_t column = PlaceOf(static_cast<std::size_t>(first[q]));
      for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) Row(row + i)[column + j] += factor * g[p][i] * g[q][j];
      }
    }
  }
}

void IslandMatrix::Lock(std::size_t first) {
  const std::size_t begin = PlaceOf(first);
  for (std::size_t i = begin; i < begin + 3; ++i) {
    for (std::size_t j = 0; j < n_; ++j) Row(i)[j] = Row(j)[i] = 0.0;
    Row(i)[i] = 1.0;
  }
}

// With constraints most of the matrix is zero. Its pattern is symmetric: no row beyond the last
// column of the rows up to k reaches column k.
void IslandMatrix::FindProfile() {
  last_.assign(n_, n_ - 1);
  reach_.assign(n_, n_ - 1);
  if (constraint_at_.empty()) return;
  std::size_t reach = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    while (last_[i] > i && Row(i)[last_[i]] == 0.0) --last_[i];
    reach_[i] = reach = std::max(reach, last_[i]);
  }
}

// The same elimination of a single body's six unknowns, as most islands have: without a profile,
// with loops of known lengths.
bool IslandMatrix::SolveOneBody(std::span<const double> f, std::span<double> x) {
  constexpr std::size_t kRows = 6, kWidth = 8;
  alignas(32) double a[kRows][kWidth];
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy_n(Row(i), kWidth, a[i]);
    a[i][kRows] = -f[i];
  }
#pragma GCC unroll 6
  for (std::size_t k = 0; k < kRows; ++k) {
    std::size_t pivot = k;
#pragma GCC unroll 6
    for (std::size_t i = k + 1; i < kRows; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    if (pivot != k) std::swap_ranges(a[k], a[k] + kWidth, a[pivot]);
    if (!(std::fabs(a[k][k]) > 0.0)) return false;
    const double inverse = 1.0 / a[k][k];
#pragma GCC unroll 6
    for (std::size_t i = k + 1; i < kRows; ++i) {
      const double m = a[i][k] * inverse;
      if (k < 4) PackAt(a[i]) -= m * PackAt(a[k]);
      PackAt(a[i] + 4) -= m * PackAt(a[k] + 4);
    }
  }
  for (std::size_t k = kRows; k-- > 0;) {
    double sum = a[k][kRows];
    for (std::size_t j = k + 1; j < kRows; ++j) sum -= a[k][j] * x[j];
    x[k] = sum / a[k][k];
  }
  return true;
}

bool IslandMatrix::SolveNegative(std::span<const double> f, std::span<double> x) {
  if (n_ == 6 && constraint_at_.empty()) return SolveOneBody(f, x);
  for (std::size_t i = 0; i < n_; ++i) Row(PlaceOf(i))[n_] = -f[i];
  FindProfile();
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i <= reach_[k]; ++i) {
      if (std::fabs(Row(i)[k]) > std::fabs(Row(pivot)[k])) pivot = i;
    }
    if (pivot != k) {
      std::swap_ranges(Row(k), Row(k) + stride_, Row(pivot));
      std::swap(last_[k], last_[pivot]);
    }
    const double* from = Row(k);
    if (!(std::fabs(from[k]) > 0.0)) return false;
    const double inverse = 1.0 / from[k];
    const std::size_t end = (last_[k] + 4) / 4 * 4;  // behind what need not be zero
    for (std::size_t i = k + 1; i <= reach_[k]; ++i) {
      double* to = Row(i);
      const double m = to[k] * inverse;
      if (m == 0.0) continue;
      for (std::size_t j = k / 4 * 4; j < end; j += 4) {
        PackAt(to + j) -= m * PackAt(from + j);
      }
      if (end <= n_) to[n_] -= m * from[n_];
      last_[i] = std::max(last_[i], last_[k]);
    }
  }
  ordered_.resize(n_);
  for (std::size_t k = n_; k-- > 0;) {
    const double* row = Row(k);
    double sum = row[n_];
    for (std::size_t j = k + 1; j <= last_[k]; ++j) sum -= row[j] * ordered_[j];
    ordered_[k] = sum / row[k];
  }
  for (std::size_t i = 0; i < n_; ++i) x[i] = ordered_[PlaceOf(i)];
  return true;
}

}  // namespace intervox::host::internal
