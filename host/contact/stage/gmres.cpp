#include "host/contact/stage/gmres.h"

#include <algorithm>
#include <cmath>

#include "cuda/device/executor.h"
#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {
namespace {

constexpr std::size_t kRange = 1536;  // entries that are summed together
constexpr int kRangesTogether = 4;

std::size_t Ranges(std::size_t n) { return (n + kRange - 1) / kRange; }

double Dot(const double* a, const double* b, std::size_t count) {
  Pack s0 = {}, s1 = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    s0 += PackAt(a + i) * PackAt(b + i);
    s1 += PackAt(a + i + 4) * PackAt(b + i + 4);
  }
  s0 += s1;
  double sum = (s0[0] + s0[1]) + (s0[2] + s0[3]);
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void AddTimes(double factor, const double* a, double* out, std::size_t count) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) PackAt(out + i) += factor * PackAt(a + i);
  for (; i < count; ++i) out[i] += factor * a[i];
}

/** Calls act(first entry, entries, range) for all ranges. */
template <class Act>
void ForRanges(std::size_t n, int threads, const Act& act) {
  cuda::ForEach(Ranges(n), kRangesTogether, threads,
                [&](std::size_t r) { act(r * kRange, std::min(kRange, n - r * kRange), r); });
}

}  // namespace

/** h[k] = w · (vector k) for k < count, h[count] = w · w. */
void Gmres::Project(std::size_t count, double* w, double* h, int threads) {
  const std::size_t columns = count + 1;
  partial_.resize(Ranges(n_) * columns);
  ForRanges(n_, threads, [&](std::size_t first, std::size_t entries, std::size_t range) {
    double* out = &partial_[range * columns];
    for (std::size_t k = 0; k < count; ++k) out[k] = Dot(w + first, Basis(k) + first, entries);
    out[count] = Dot(w + first, w + first, entries);
  });
  std::fill_n(h, columns, 0.0);
  for (std::size_t r = 0; r < Ranges(n_); ++r) {
    for (std::size_t k = 0; k < columns; ++k) h[k] += partial_[r * columns + k];
  }
}

/** Adds sign factors[k] (vector k) for k < count. */
void Gmres::Combine(const double* factors, std::size_t count, double sign,
                    const std::vector<std::vector<double>>& vectors, double* out, int threads) {
  ForRanges(n_, threads, [&](std::size_t first, std::size_t entries, std::size_t /*range*/) {
    for (std::size_t k = 0; k < count; ++k) {
      AddTimes(sign * factors[k], vectors[k].data() + first, out + first, entries);
    }
  });
}

Gmres::Outcome Gmres::Solve(const IslandSlope& A, BlockFactor* factor, std::span<const double> b,
                            std::span<double> x, double tolerance, int most, int threads) {
  n_ = b.size();
  const auto m = static_cast<std::size_t>(most), stride = m + 2;
  const auto reserve = [&](std::size_t k) {
    if (basis_.size() < k + 2) basis_.resize(k + 2);
    if (directions_.size() < k + 1) directions_.resize(k + 1);
    for (std::vector<double>* v : {&basis_[k], &basis_[k + 1]}) v->resize(n_ + 2);
    directions_[k].resize(n_);
  };
  hessenberg_.assign(stride * (m + 1), 0.0);  // a column for each iteration
  cosine_.resize(m);
  sine_.resize(m);
  rhs_.assign(m + 1, 0.0);
  std::fill(x.begin(), x.end(), 0.0);
  Outcome outcome;
  reserve(0);
  std::copy(b.begin(), b.end(), Basis(0));
  double square;
  Project(0, Basis(0), &square, threads);
  const double size = std::sqrt(square);
  if (!(size > 0.0)) return outcome;
  const auto divide = [&](double* w, double by) {
    ForRanges(n_, threads, [&](std::size_t first, std::size_t entries, std::size_t /*range*/) {
      for (std::size_t i = first; i < first + entries; ++i) w[i] /= by;
    });
  };
  divide(Basis(0), size);
  rhs_[0] = size;
  outcome.residual = 1.0;
  std::size_t k = 0;
  while (k < m && outcome.residual > tolerance) {
    reserve(k);
    factor->Solve(A, Basis(k), directions_[k].data(), threads);
    double* w = Basis(k + 1);
    A.Multiply({directions_[k].data(), n_}, {w, n_}, threads);
    double* h = &hessenberg_[stride * k];
    Project(k + 1, w, h, threads);
    Combine(h, k + 1, -1.0, basis_, w, threads);
    double left;
    Project(0, w, &left, threads);
    const double norm = std::sqrt(left);
    for (std::size_t r = 0; r < k; ++r) {
      const double first = cosine_[r] * h[r] + sine_[r] * h[r + 1];
      h[r + 1] = cosine_[r] * h[r + 1] - sine_[r] * h[r];
      h[r] = first;
    }
    const double length = std::hypot(h[k], norm);
    if (!(length > 0.0)) break;
    cosine_[k] = h[k] / length;
    sine_[k] = norm / length;
    h[k] = length;
    rhs_[k + 1] = -sine_[k] * rhs_[k];
    rhs_[k] *= cosine_[k];
    ++k;
    outcome.residual = std::fabs(rhs_[k]) / size;
    if (!(norm > 0.0)) break;
    divide(w, norm);
  }
  outcome.iterations = static_cast<int>(k);
  y_.assign(rhs_.begin(), rhs_.begin() + static_cast<std::ptrdiff_t>(k));
  for (std::size_t r = k; r-- > 0;) {
    for (std::size_t c = r + 1; c < k; ++c) y_[r] -= hessenberg_[stride * c + r] * y_[c];
    y_[r] /= hessenberg_[stride * r + r];
  }
  Combine(y_.data(), k, 1.0, directions_, x.data(), threads);
  return outcome;
}

}  // namespace intervox::host::internal
