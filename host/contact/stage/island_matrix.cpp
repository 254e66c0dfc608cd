#include "host/contact/stage/island_matrix.h"

#include <algorithm>
#include <cmath>

#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {

void IslandMatrix::Reset(std::size_t bodies, std::size_t constraints) {
  constraints_from_ = 6 * bodies;
  n_ = constraints_from_ + constraints;
  stride_ = (n_ + 2 + 3) / 4 * 4;  // a block's row of eight must fit behind the last six columns
  if (values_.size() < n_ * stride_) values_.resize(n_ * stride_);
  std::fill_n(values_.begin(), n_ * stride_, 0.0);
}

void IslandMatrix::AddBody(std::size_t body, double mass, const Mat3& inertia) {
  AddInertia(mass, inertia, Row(6 * body) + 6 * body, stride_);
}

void IslandMatrix::AddDrag(std::size_t body, const DragInertia& drag) {
  internal::AddDrag(drag, Row(6 * body) + 6 * body, stride_);
}

void IslandMatrix::AddContact(std::size_t /*number*/, const StagePoint& point, bool coupled) {
  const int rows[2] = {point.row_i, point.row_j};
  double* at[2][2] = {};
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      if (rows[p] < 0 || rows[q] < 0) continue;
      at[p][q] = Row(static_cast<std::size_t>(rows[p])) + rows[q];
    }
  }
  AddContactBlocks(point, coupled, at, stride_);
}

void IslandMatrix::AddConstraint(std::size_t number, std::size_t body, const double* J) {
  const std::size_t row = constraints_from_ + number;
  for (std::size_t i = 0; i < 6; ++i) Row(row)[6 * body + i] = Row(6 * body + i)[row] = J[i];
}

void IslandMatrix::SetCompliance(std::size_t number, double compliance) {
  const std::size_t row = constraints_from_ + number;
  Row(row)[row] = -compliance;
}

void IslandMatrix::AddProduct(double factor, const int first[2], const double g[2][6]) {
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      if (first[p] < 0 || first[q] < 0) continue;
      for (std::size_t i = 0; i < 6; ++i) {
        double* row = Row(static_cast<std::size_t>(first[p]) + i) + first[q];
        for (std::size_t j = 0; j < 6; ++j) row[j] += factor * g[p][i] * g[q][j];
      }
    }
  }
}

void IslandMatrix::Lock(std::size_t first) {
  for (std::size_t i = first; i < first + 3; ++i) {
    for (std::size_t j = 0; j < n_; ++j) Row(i)[j] = Row(j)[i] = 0.0;
    Row(i)[i] = 1.0;
  }
}

bool IslandMatrix::SolveNegative(std::span<const double> f, std::span<double> x) {
  for (std::size_t i = 0; i < n_; ++i) Row(i)[n_] = -f[i];
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (std::fabs(Row(i)[k]) > std::fabs(Row(pivot)[k])) pivot = i;
    }
    if (pivot != k) std::swap_ranges(Row(k), Row(k) + stride_, Row(pivot));
    const double* from = Row(k);
    if (!(std::fabs(from[k]) > 0.0)) return false;
    const double inverse = 1.0 / from[k];
    for (std::size_t i = k + 1; i < n_; ++i) {
      double* to = Row(i);
      const double m = to[k] * inverse;
      if (m == 0.0) continue;
      for (std::size_t j = k / 4 * 4; j < stride_; j += 4) {
        PackAt(to + j) -= m * PackAt(from + j);
      }
    }
  }
  for (std::size_t k = n_; k-- > 0;) {
    const double* row = Row(k);
    double sum = row[n_];
    for (std::size_t j = k + 1; j < n_; ++j) sum -= row[j] * x[j];
    x[k] = sum / row[k];
  }
  return true;
}

}  // namespace intervox::host::internal
