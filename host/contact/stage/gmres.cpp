#include "host/contact/stage/gmres.h"

#include <algorithm>
#include <cmath>
#include <functional>

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
  const auto run = [&](int begin, int end) {
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      act(r * kRange, std::min(kRange, n - r * kRange), r);
    }
  };
  cuda::ParallelFor(static_cast<int>(Ranges(n)), kRangesTogether, threads, std::cref(run));
}

}  // namespace

/** h[k] = w · (vector k) for k < count, h[count] = w · w. */
void Gmres::Project(int count, double* w, double* h, int threads) {
  const auto columns = static_cast<std::size_t>(count) + 1;
  partial_.resize(Ranges(n_) * columns);
  ForRanges(n_, threads, [&](std::size_t first, std::size_t entries, std::size_t range) {
    double* out = &partial_[range * columns];
    for (int k = 0; k < count; ++k) out[k] = Dot(w + first, Basis(k) + first, entries);
    out[count] = Dot(w + first, w + first, entries);
  });
  std::fill_n(h, columns, 0.0);
  for (std::size_t r = 0; r < Ranges(n_); ++r) {
    for (std::size_t k = 0; k < columns; ++k) h[k] += partial_[r * columns + k];
  }
}

/** Adds sign factors[k] (vector k) for k < count. */
void Gmres::Combine(const double* factors, int count, double sign, double* out, int threads) {
  ForRanges(n_, threads, [&](std::size_t first, std::size_t entries, std::size_t /*range*/) {
    for (int k = 0; k < count; ++k) {
      AddTimes(sign * factors[k], Basis(k) + first, out + first, entries);
    }
  });
}

Gmres::Outcome Gmres::Solve(const BlockMatrix& A, BlockFactor* factor, std::span<const double> b,
                            std::span<double> x, double tolerance, int most, int threads) {
  n_ = b.size();
  const auto m = static_cast<std::size_t>(most), stride = m + 2;
  if (basis_.size() < (m + 1) * n_) basis_.resize((m + 1) * n_);
  direction_.assign(n_ + 2, 0.0);
  hessenberg_.assign(stride * (m + 1), 0.0);  // a column for each iteration
  cosine_.resize(m);
  sine_.resize(m);
  rhs_.assign(m + 1, 0.0);
  std::fill(x.begin(), x.end(), 0.0);
  Outcome outcome;
  std::copy(b.begin(), b.end(), Basis(0));
  double square;
  Project(0, Basis(0), &square, threads);
  const double size = std::sqrt(square);
  if (!(size > 0.0)) return outcome;
  for (std::size_t i = 0; i < n_; ++i) basis_[i] /= size;
  rhs_[0] = size;
  outcome.residual = 1.0;
  int k = 0;
  while (k < most && outcome.residual > tolerance) {
    factor->Solve({Basis(k), n_}, {direction_.data(), n_}, threads);
    double* w = Basis(k + 1);
    A.Multiply(direction_, {w, n_}, threads);
    double* h = &hessenberg_[stride * static_cast<std::size_t>(k)];
    Project(k + 1, w, h, threads);
    Combine(h, k + 1, -1.0, w, threads);
    double left;
    Project(0, w, &left, threads);
    const double norm = std::sqrt(left);
    for (int i = 0; i < k; ++i) {
      const auto r = static_cast<std::size_t>(i);
      const double first = cosine_[r] * h[i] + sine_[r] * h[i + 1];
      h[i + 1] = cosine_[r] * h[i + 1] - sine_[r] * h[i];
      h[i] = first;
    }
    const auto last = static_cast<std::size_t>(k);
    const double length = std::hypot(h[k], norm);
    if (!(length > 0.0)) break;
    cosine_[last] = h[k] / length;
    sine_[last] = norm / length;
    h[k] = length;
    rhs_[last + 1] = -sine_[last] * rhs_[last];
    rhs_[last] *= cosine_[last];
    ++k;
    outcome.residual = std::fabs(rhs_[last + 1]) / size;
    if (!(norm > 0.0)) break;
    for (std::size_t i = 0; i < n_; ++i) w[i] /= norm;
  }
  outcome.iterations = k;
  y_.assign(rhs_.begin(), rhs_.begin() + k);
  for (int i = k; i-- > 0;) {
    const auto r = static_cast<std::size_t>(i);
    for (int j = i + 1; j < k; ++j) {
      const auto c = static_cast<std::size_t>(j);
      y_[r] -= hessenberg_[stride * c + r] * y_[c];
    }
    y_[r] /= hessenberg_[stride * r + r];
  }
  std::fill(direction_.begin(), direction_.end(), 0.0);
  Combine(y_.data(), k, 1.0, direction_.data(), threads);
  factor->Solve({direction_.data(), n_}, x, threads);
  return outcome;
}

}  // namespace intervox::host::internal
