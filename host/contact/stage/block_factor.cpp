#include "host/contact/stage/block_factor.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "cuda/device/executor.h"
#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {
namespace {

/** out += sign a b. */
template <bool kSubtract>
void Multiply(const double* a, const double* b, double* out) {
  Pack b0[6], b1[6];
#pragma GCC unroll 6
  for (std::size_t k = 0; k < 6; ++k) {
    b0[k] = PackAt(b + k * kBlockStride);
    b1[k] = PackAt(b + k * kBlockStride + 4);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const double* row = a + i * kBlockStride;
    Pack s0 = row[0] * b0[0], s1 = row[0] * b1[0];
#pragma GCC unroll 6
    for (std::size_t k = 1; k < 6; ++k) {
      s0 += row[k] * b0[k];
      s1 += row[k] * b1[k];
    }
    Pack& out0 = PackAt(out + i * kBlockStride);
    Pack& out1 = PackAt(out + i * kBlockStride + 4);
    out0 = kSubtract ? out0 - s0 : s0;
    out1 = kSubtract ? out1 - s1 : s1;
  }
}

/** Four floats. */
using Singles [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = float;

Pack Widened(const float* p) {
  return __builtin_convertvector(*reinterpret_cast<const Singles*>(p), Pack);
}

/** Adds a x to the six sums, of four parts each. */
void AddProduct(const float* a, const double* x, Pack* sum) {
  const Pack x0 = PackAt(x), x1 = PackAt(x + 4);
#pragma GCC unroll 6
  for (std::size_t i = 0; i < 6; ++i) {
    sum[i] += Widened(a + i * kBlockStride) * x0 + Widened(a + i * kBlockStride + 4) * x1;
  }
}

void Round(const double* block, float* out) {
  for (std::size_t k = 0; k < kBlockSize; ++k) out[k] = static_cast<float>(block[k]);
}

double Sum(const Pack& p) { return (p[0] + p[1]) + (p[2] + p[3]); }

/** Inverse by elimination with row pivots. @return false if singular */
bool Invert(const double* block, double* inverse) {
  double a[6][12];
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      a[i][j] = block[i * kBlockStride + j];
      a[i][6 + j] = i == j ? 1.0 : 0.0;
    }
  }
  for (std::size_t k = 0; k < 6; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < 6; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    if (!(std::fabs(a[pivot][k]) > 0.0)) return false;
    if (pivot != k) std::swap_ranges(a[k], a[k] + 12, a[pivot]);
    const double scale = 1.0 / a[k][k];
    for (std::size_t j = 0; j < 12; ++j) a[k][j] *= scale;
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double m = a[i][k];
      for (std::size_t j = 0; j < 12; ++j) a[i][j] -= m * a[k][j];
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) inverse[i * kBlockStride + j] = a[i][6 + j];
    inverse[i * kBlockStride + 6] = inverse[i * kBlockStride + 7] = 0.0;
  }
  return true;
}

/** Which body to eliminate at each place, by approximate minimum degree. */
std::vector<int> EliminationOrder(const BlockPattern& A) {
  using Graph = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  const std::vector<double> ones(A.column.size(), 1.0);
  const Graph graph = Eigen::Map<const Graph>(A.rows(), A.rows(), static_cast<int>(ones.size()),
                                              A.start.data(), A.column.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  return {order.indices().data(), order.indices().data() + A.rows()};
}

}  // namespace

void BlockFactor::PlanIncomplete(const BlockPattern& A, std::span<const int> order, int part) {
  part_ = part;
  const int n = A.rows();
  body_.assign(order.begin(), order.end());
  PlaceBodies();
  pattern_.start.assign(1, 0);
  pattern_.column.clear();
  pattern_.diagonal.clear();
  from_.clear();
  for (int i = 0; i < n; ++i) {
    const auto b = static_cast<std::size_t>(body_[static_cast<std::size_t>(i)]);
    const std::size_t first = pattern_.column.size();
    for (int k = A.start[b]; k < A.start[b + 1]; ++k) {
      const int c = place_[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])];
      // Columns ascend: the blocks of a row are few.
      std::size_t at = pattern_.column.size();
      pattern_.column.push_back(c);
      from_.push_back(k);
      for (; at > first && pattern_.column[at - 1] > c; --at) {
        std::swap(pattern_.column[at - 1], pattern_.column[at]);
        std::swap(from_[at - 1], from_[at]);
      }
    }
    const auto diagonal = std::lower_bound(
        pattern_.column.begin() + static_cast<std::ptrdiff_t>(first), pattern_.column.end(), i);
    pattern_.diagonal.push_back(static_cast<int>(diagonal - pattern_.column.begin()));
    pattern_.start.push_back(static_cast<int>(pattern_.column.size()));
  }
  ScheduleParts();
}

void BlockFactor::PlaceBodies() {
  place_.resize(body_.size());
  for (std::size_t p = 0; p < body_.size(); ++p) {
    place_[static_cast<std::size_t>(body_[p])] = static_cast<int>(p);
  }
}

bool BlockFactor::PlanExact(const BlockPattern& A, double most) {
  const int n = A.rows();
  const auto size = static_cast<std::size_t>(n);
  body_ = EliminationOrder(A);
  PlaceBodies();
  // Columns of U in each row: those of A and of the rows that this one is the first to follow.
  std::vector<std::vector<int>> upper(size), children(size);
  std::vector<int> seen(size, -1), lower(size, 0);
  double products = 0.0;
  for (int p = 0; p < n; ++p) {
    const auto at = static_cast<std::size_t>(p);
    std::vector<int>& row = upper[at];
    seen[at] = p;
    const auto add = [&](int c) {
      if (c <= p || seen[static_cast<std::size_t>(c)] == p) return;
      seen[static_cast<std::size_t>(c)] = p;
      row.push_back(c);
    };
    const auto b = static_cast<std::size_t>(body_[at]);
    for (int k = A.start[b]; k < A.start[b + 1]; ++k) {
      add(place_[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])]);
    }
    for (const int child : children[at]) {
      for (const int c : upper[static_cast<std::size_t>(child)]) add(c);
    }
    std::sort(row.begin(), row.end());
    if (!row.empty()) children[static_cast<std::size_t>(row.front())].push_back(p);
    for (const int c : row) ++lower[static_cast<std::size_t>(c)];
    products += static_cast<double>(row.size()) * static_cast<double>(row.size() + 1);
    if (products > most) return false;
  }
  part_ = n;
  pattern_.start.assign(size + 1, 0);
  for (std::size_t p = 0; p < size; ++p) {
    pattern_.start[p + 1] = pattern_.start[p] + lower[p] + 1 + static_cast<int>(upper[p].size());
  }
  pattern_.column.resize(static_cast<std::size_t>(pattern_.start[size]));
  pattern_.diagonal.assign(pattern_.start.begin(), pattern_.start.end() - 1);
  const auto put = [&](std::size_t row, int c) {
    pattern_.column[static_cast<std::size_t>(pattern_.diagonal[row]++)] = c;
  };
  for (std::size_t p = 0; p < size; ++p) {  // rows above p have put the lower part of p already
    for (const int c : upper[p]) put(static_cast<std::size_t>(c), static_cast<int>(p));
    const int diagonal = pattern_.diagonal[p];
    pattern_.column[static_cast<std::size_t>(diagonal)] = static_cast<int>(p);
    std::copy(upper[p].begin(), upper[p].end(), pattern_.column.begin() + diagonal + 1);
  }
  from_.resize(pattern_.column.size());
  for (std::size_t p = 0; p < size; ++p) {
    for (int k = pattern_.start[p]; k < pattern_.start[p + 1]; ++k) {
      const auto c = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      from_[static_cast<std::size_t>(k)] = A.Find(body_[p], body_[c]);
    }
  }
  ScheduleParts();
  return true;
}

/** Levels of parts: a part comes after all earlier ones that it shares a block with. */
void BlockFactor::ScheduleParts() {
  const int n = pattern_.rows();
  const auto parts = static_cast<std::size_t>((n + part_ - 1) / part_);
  level_.assign(parts, 0);
  int levels = 0;
  for (int i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    int& level = level_[static_cast<std::size_t>(i / part_)];
    for (int k = pattern_.start[row]; k < pattern_.diagonal[row]; ++k) {
      const int other = pattern_.column[static_cast<std::size_t>(k)] / part_;
      if (other == i / part_) break;  // columns ascend
      level = std::max(level, level_[static_cast<std::size_t>(other)] + 1);
    }
    levels = std::max(levels, level + 1);
  }
  level_start_.assign(static_cast<std::size_t>(levels) + 1, 0);
  for (const int level : level_) ++level_start_[static_cast<std::size_t>(level) + 1];
  for (std::size_t k = 1; k < level_start_.size(); ++k) level_start_[k] += level_start_[k - 1];
  scheduled_.resize(parts);
  std::vector<int> next(level_start_.begin(), level_start_.end() - 1);
  for (std::size_t part = 0; part < parts; ++part) {
    int& at = next[static_cast<std::size_t>(level_[part])];
    scheduled_[static_cast<std::size_t>(at++)] = static_cast<int>(part);
  }
}

/** Calls run(first row, end) for all parts, each after those that it needs: of the lower factor
 forward, of the upper one backward. */
template <class Run>
void BlockFactor::ForParts(bool forward, int threads, const Run& run) {
  const int n = pattern_.rows();
  if (threads == 1) {
    run(0, n);
    return;
  }
  const std::size_t levels = level_start_.size() - 1;
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t level = forward ? k : levels - 1 - k;
    const int first = level_start_[level];
    const auto some = [&](int begin, int end) {
      for (int at = begin; at < end; ++at) {
        const std::size_t place = static_cast<std::size_t>(first) + static_cast<std::size_t>(at);
        const int row = part_ * scheduled_[place];
        run(row, std::min(n, row + part_));
      }
    };
    cuda::ParallelFor(level_start_[level + 1] - first, 1, threads, std::cref(some));
  }
}

bool BlockFactor::Factorise(const BlockMatrix& A, int threads) {
  values_.resize(kBlockSize * pattern_.column.size());
  inverses_.resize(kBlockSize * body_.size());
  rounded_.resize(values_.size());
  std::atomic<bool> regular{true};
  ForParts(true, threads, [&](int begin, int end) {
    if (!FactoriseRows(A, begin, end)) regular = false;
  });
  return regular;
}

bool BlockFactor::FactoriseRows(const BlockMatrix& A, int begin, int end) {
  thread_local std::vector<int> at;  // block of the row for each column; −1: none, as between rows
  if (at.size() < body_.size()) at.resize(body_.size(), -1);
  alignas(32) double multiplier[kBlockSize];
  for (int i = begin; i < end; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const int first = pattern_.start[row], last = pattern_.start[row + 1];
    for (int k = first; k < last; ++k) {
      const auto block = static_cast<std::size_t>(k);
      at[static_cast<std::size_t>(pattern_.column[block])] = k;
      if (from_[block] >= 0) {
        std::copy_n(A.Block(from_[block]), kBlockSize, Block(k));
      } else {
        std::fill_n(Block(k), kBlockSize, 0.0);
      }
    }
    for (int k = first; k < pattern_.diagonal[row]; ++k) {
      const auto above = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      Multiply<false>(Block(k), inverses_.data() + kBlockSize * above, multiplier);
      std::copy_n(multiplier, kBlockSize, Block(k));
      for (int u = pattern_.diagonal[above] + 1; u < pattern_.start[above + 1]; ++u) {
        const int target =
            at[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(u)])];
        if (target >= 0) Multiply<true>(multiplier, Block(u), Block(target));
      }
    }
    for (int k = first; k < last; ++k) {
      at[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)])] = -1;
    }
    double* inverse = inverses_.data() + kBlockSize * row;
    if (!Invert(Block(pattern_.diagonal[row]), inverse)) return false;
    for (int k = first; k < last; ++k) {
      Round(k == pattern_.diagonal[row] ? inverse : Block(k), Rounded(k));
    }
  }
  return true;
}

void BlockFactor::Solve(std::span<const double> b, std::span<double> x, int threads) {
  work_.resize(8 * body_.size());
  ForParts(true, threads, [&](int begin, int end) { SolveLower(b, begin, end); });
  ForParts(false, threads, [&](int begin, int end) { SolveUpper(x, begin, end); });
}

void BlockFactor::SolveLower(std::span<const double> b, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const auto row = static_cast<std::size_t>(i);
    Pack sum[6] = {};
    for (int k = pattern_.start[row]; k < pattern_.diagonal[row]; ++k) {
      const auto c = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      AddProduct(Rounded(k), &work_[8 * c], sum);
    }
    const double* from = &b[6 * static_cast<std::size_t>(body_[row])];
    double* y = &work_[8 * row];
    for (std::size_t k = 0; k < 6; ++k) y[k] = from[k] - Sum(sum[k]);
    y[6] = y[7] = 0.0;
  }
}

void BlockFactor::SolveUpper(std::span<double> x, int begin, int end) {
  for (int i = end - 1; i >= begin; --i) {
    const auto row = static_cast<std::size_t>(i);
    double* y = &work_[8 * row];
    Pack sum[6] = {};
    for (int k = pattern_.diagonal[row] + 1; k < pattern_.start[row + 1]; ++k) {
      const auto c = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      AddProduct(Rounded(k), &work_[8 * c], sum);
    }
    for (std::size_t k = 0; k < 6; ++k) y[k] -= Sum(sum[k]);
    Pack solved[6] = {};
    AddProduct(Rounded(pattern_.diagonal[row]), y, solved);
    double* to = &x[6 * static_cast<std::size_t>(body_[row])];
    for (std::size_t k = 0; k < 6; ++k) to[k] = y[k] = Sum(solved[k]);
  }
}

}  // namespace intervox::host::internal
