#include "host/contact/stage/block_factor.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "cuda/device/executor.h"
#include "host/contact/prefetch.h"
#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {
namespace {

constexpr std::size_t kFloats = 36;  // of a block, by columns

/** Four floats and eight, wherever they begin. */
using Four [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = float;
using Eight [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;

Pack Widened(const float* p) {
  return __builtin_convertvector(*reinterpret_cast<const Four*>(p), Pack);
}

void Narrow(const Pack& p, float* out) {
  *reinterpret_cast<Four*>(out) = __builtin_convertvector(p, Four);
}

const Eight& EightAt(const float* p) { return *reinterpret_cast<const Eight*>(p); }

/** out = a b, or less a b, by columns: a and out kBlockStride apart, b six floats. */
template <bool kSubtract>
void Multiply(const double* a, const float* b, double* out) {
  double factor[kFloats];
  for (std::size_t k = 0; k < kFloats; k += 4) PackAt(factor + k) = Widened(b + k);
  Pack a0[6], a1[6];
#pragma GCC unroll 6
  for (std::size_t k = 0; k < 6; ++k) {
    a0[k] = PackAt(a + k * kBlockStride);
    a1[k] = PackAt(a + k * kBlockStride + 4);
  }
  for (std::size_t j = 0; j < 6; ++j) {
    const double* column = factor + 6 * j;
    Pack s0 = column[0] * a0[0], s1 = column[0] * a1[0];
#pragma GCC unroll 6
    for (std::size_t k = 1; k < 6; ++k) {
      s0 += column[k] * a0[k];
      s1 += column[k] * a1[k];
    }
    Pack& out0 = PackAt(out + j * kBlockStride);
    Pack& out1 = PackAt(out + j * kBlockStride + 4);
    out0 = kSubtract ? out0 - s0 : s0;
    out1 = kSubtract ? out1 - s1 : s1;
  }
}

/** Rounds a block; its last column goes by twos, for what is behind it may be in use. */
void Round(const double* block, float* out) {
  for (std::size_t j = 0; j < 5; ++j) {
    Narrow(PackAt(block + j * kBlockStride), out + 6 * j);
    Narrow(PackAt(block + j * kBlockStride + 4), out + 6 * j + 4);
  }
  Narrow(PackAt(block + 5 * kBlockStride), out + 30);
  out[34] = static_cast<float>(block[5 * kBlockStride + 4]);
  out[35] = static_cast<float>(block[5 * kBlockStride + 5]);
}

/** a x of a block. */
Eight Product(const float* a, const float* x) {
  Eight even = x[0] * EightAt(a), odd = x[1] * EightAt(a + 6);
  even += x[2] * EightAt(a + 12);
  odd += x[3] * EightAt(a + 18);
  even += x[4] * EightAt(a + 24);
  odd += x[5] * EightAt(a + 30);
  return even + odd;
}

/** Inverse by elimination with pivots, of a block or its transpose. @return false if singular */
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

/** The blocks of a row left of the diagonal. */
float* BlockFactor::Lower(std::size_t row) {
  return lower_.data() +
         kFloats * static_cast<std::size_t>(pattern_.start[row] - first_upper_[row]);
}

/** The inverse of a row's pivot and the blocks right of it. */
float* BlockFactor::Upper(std::size_t row) {
  return upper_.data() + kFloats * static_cast<std::size_t>(first_upper_[row]);
}

void BlockFactor::PlanIncomplete(const BlockPattern& A, int part) {
  part_ = part;
  pattern_ = A;
  body_.resize(static_cast<std::size_t>(A.rows()));
  from_.resize(A.column.size());
  std::iota(body_.begin(), body_.end(), 0);
  std::iota(from_.begin(), from_.end(), 0);
  ScheduleParts();
}

bool BlockFactor::PlanExact(const BlockPattern& A, double most) {
  const int n = A.rows();
  const auto size = static_cast<std::size_t>(n);
  body_ = EliminationOrder(A);
  place_.resize(size);
  for (std::size_t p = 0; p < size; ++p) {
    place_[static_cast<std::size_t>(body_[p])] = static_cast<int>(p);
  }
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
  first_upper_.resize(static_cast<std::size_t>(n) + 1);
  first_upper_[0] = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
    first_upper_[row + 1] = first_upper_[row] + pattern_.start[row + 1] - pattern_.diagonal[row];
  }
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
    const auto first = static_cast<std::size_t>(level_start_[level]);
    const auto end = static_cast<std::size_t>(level_start_[level + 1]);
    cuda::ForEach(end - first, 1, threads, [&](std::size_t at) {
      const int row = part_ * scheduled_[first + at];
      run(row, std::min(n, row + part_));
    });
  }
}

bool BlockFactor::Factorise(const IslandSlope& A, int threads) {
  const auto uppers = static_cast<std::size_t>(first_upper_.back());
  // Reading goes on behind the last block.
  lower_.resize(kFloats * (pattern_.column.size() - uppers) + 4);
  upper_.resize(kFloats * uppers + 4);
  std::atomic<bool> regular{true};
  ForParts(true, threads, [&](int begin, int end) {
    if (!FactoriseRows(A, begin, end)) regular = false;
  });
  return regular;
}

bool BlockFactor::FactoriseRows(const IslandSlope& A, int begin, int end) {
  thread_local std::vector<int> at;  // block of the row for each column; −1: none, as between rows
  thread_local std::vector<double> given, row;  // of A, and with what elimination fills
  if (at.size() < body_.size()) at.resize(body_.size(), -1);
  alignas(32) double multiplier[kBlockSize], inverse[kBlockSize];
  const auto block = [](std::vector<double>& blocks, int k) {
    return blocks.data() + kBlockSize * static_cast<std::size_t>(k);
  };
  for (int i = begin; i < end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const int first = pattern_.start[r], last = pattern_.start[r + 1];
    const auto size = static_cast<std::size_t>(last - first);
    const int place = body_[r], first_given = A.Pattern().start[static_cast<std::size_t>(place)];
    if (row.size() < kBlockSize * size) row.resize(kBlockSize * size);
    if (given.size() < kBlockSize * size) given.resize(kBlockSize * size);
    A.Row(place, given.data());
    for (int k = first; k < last; ++k) {
      const auto b = static_cast<std::size_t>(k);
      at[static_cast<std::size_t>(pattern_.column[b])] = k - first;
      if (from_[b] >= 0) {
        std::copy_n(block(given, from_[b] - first_given), kBlockSize, block(row, k - first));
      } else {
        std::fill_n(block(row, k - first), kBlockSize, 0.0);
      }
    }
    const int diagonal = pattern_.diagonal[r];
    for (int k = first; k < diagonal; ++k) {
      const auto above = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      const float* upper = Upper(above);
      Multiply<false>(block(row, k - first), upper, multiplier);
      Round(multiplier, Lower(r) + kFloats * static_cast<std::size_t>(k - first));
      for (int u = pattern_.diagonal[above] + 1; u < pattern_.start[above + 1]; ++u) {
        upper += kFloats;
        const int target =
            at[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(u)])];
        if (target >= 0) Multiply<true>(multiplier, upper, block(row, target));
      }
    }
    for (int k = first; k < last; ++k) {
      at[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)])] = -1;
    }
    if (!Invert(block(row, diagonal - first), inverse)) return false;
    float* upper = Upper(r);
    Round(inverse, upper);
    for (int k = diagonal + 1; k < last; ++k) Round(block(row, k - first), upper += kFloats);
  }
  return true;
}

void BlockFactor::Solve(const IslandSlope& A, const double* b, double* x, int threads) {
  work_.resize(8 * body_.size());
  ForParts(true, threads, [&](int begin, int end) { SolveLower(b, begin, end); });
  ForParts(false, threads, [&](int begin, int end) { SolveUpper(A, x, begin, end); });
}

void BlockFactor::SolveLower(const double* b, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double* from = b + 6 * static_cast<std::size_t>(body_[row]);
    float* y = &work_[8 * row];
    Narrow(PackAt(from), y);
    Narrow(PackAt(from + 4), y + 4);
    Eight sum = EightAt(y);
    const float* block = Lower(row);
    for (int k = pattern_.start[row]; k < pattern_.diagonal[row]; ++k, block += kFloats) {
      const auto c = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      sum -= Product(block, &work_[8 * c]);
    }
    *reinterpret_cast<Eight*>(y) = sum;
  }
}

void BlockFactor::SolveUpper(const IslandSlope& A, double* x, int begin, int end) {
  for (int i = end - 1; i >= begin; --i) {
    const auto row = static_cast<std::size_t>(i);
    if (i >= kPrefetchAhead) {  // rows come from the last to the first
      const std::size_t soon = row - kPrefetchAhead;
      Prefetch(Upper(soon),
               kFloats * static_cast<std::size_t>(first_upper_[soon + 1] - first_upper_[soon]));
    }
    float* y = &work_[8 * row];
    Eight sum = EightAt(y);
    const float *pivot = Upper(row), *block = pivot;
    for (int k = pattern_.diagonal[row] + 1; k < pattern_.start[row + 1]; ++k) {
      const auto c = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
      sum -= Product(block += kFloats, &work_[8 * c]);
    }
    *reinterpret_cast<Eight*>(y) = sum;
    *reinterpret_cast<Eight*>(y) = Product(pivot, y);
    const IslandBody& body = A.Body(body_[row]);
    double* to = x + 6 * static_cast<std::size_t>(body_[row]);
    for (std::size_t k = 0; k < 6; ++k) to[k] = body.column[k] * static_cast<double>(y[k]);
  }
}

}  // namespace intervox::host::internal
