#include "host/contact/stage/block_matrix.h"

#include <algorithm>
#include <functional>

#include "cuda/device/executor.h"
#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {
namespace {

constexpr int kGrain = 256;  // rows that go together

}  // namespace

int BlockPattern::Find(int row, int col) const {
  const auto r = static_cast<std::size_t>(row);
  const auto begin = column.begin() + start[r], end = column.begin() + start[r + 1];
  const auto at = std::lower_bound(begin, end, col);
  return at != end && *at == col ? static_cast<int>(at - column.begin()) : -1;
}

void BlockPattern::Set(int bodies, std::span<const std::array<int, 2>> pairs) {
  const auto n = static_cast<std::size_t>(bodies);
  start.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++start[i + 1];
  for (const auto& pair : pairs) {
    for (const int b : pair) ++start[static_cast<std::size_t>(b) + 1];
  }
  for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
  column.resize(static_cast<std::size_t>(start[n]));
  diagonal.assign(start.begin(), start.end() - 1);  // where the next block of a row goes
  const auto put = [&](int row, int col) {
    column[static_cast<std::size_t>(diagonal[static_cast<std::size_t>(row)]++)] = col;
  };
  for (int i = 0; i < bodies; ++i) put(i, i);
  for (const auto& [i, j] : pairs) {
    put(i, j);
    put(j, i);
  }
  int kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = column.begin() + start[i], end = column.begin() + start[i + 1];
    std::sort(begin, end);
    const auto last = std::unique(begin, end);
    start[i] = kept;
    for (auto c = begin; c != last; ++c) {
      if (*c == static_cast<int>(i)) diagonal[i] = kept;
      column[static_cast<std::size_t>(kept++)] = *c;
    }
  }
  start[n] = kept;
  column.resize(static_cast<std::size_t>(kept));
}

void BlockMatrix::Clear(int threads) {
  values_.resize(kBlockSize * pattern.column.size());
  const auto rows = [&](int begin, int end) {
    std::fill(Block(pattern.start[static_cast<std::size_t>(begin)]),
              Block(pattern.start[static_cast<std::size_t>(end)]), 0.0);
  };
  cuda::ParallelFor(pattern.rows(), kGrain, threads, std::cref(rows));
}

void BlockMatrix::Lock(int body, int first) {
  const auto b = static_cast<std::size_t>(body), f = static_cast<std::size_t>(first);
  for (int k = pattern.start[b]; k < pattern.start[b + 1]; ++k) {
    double* row = Block(k);
    double* column = Block(pattern.Find(pattern.column[static_cast<std::size_t>(k)], body));
    for (std::size_t i = f; i < f + 3; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        row[i * kBlockStride + j] = column[j * kBlockStride + i] = 0.0;
      }
    }
  }
  double* own = Block(pattern.diagonal[b]);
  for (std::size_t i = f; i < f + 3; ++i) own[i * kBlockStride + i] = 1.0;
}

void BlockMatrix::Scale(std::span<const double> row, std::span<const double> column, int threads) {
  const auto rows = [&](int begin, int end) {
    for (int r = begin; r < end; ++r) {
      const auto at = static_cast<std::size_t>(r);
      for (int k = pattern.start[at]; k < pattern.start[at + 1]; ++k) {
        const auto c = static_cast<std::size_t>(pattern.column[static_cast<std::size_t>(k)]);
        double* block = Block(k);
        for (std::size_t i = 0; i < 6; ++i) {
          for (std::size_t j = 0; j < 6; ++j) {
            block[i * kBlockStride + j] *= row[6 * at + i] * column[6 * c + j];
          }
        }
      }
    }
  };
  cuda::ParallelFor(pattern.rows(), kGrain, threads, std::cref(rows));
}

void BlockMatrix::Multiply(std::span<const double> x, std::span<double> y, int threads) const {
  const auto rows = [&](int begin, int end) {
    for (int r = begin; r < end; ++r) {
      const auto at = static_cast<std::size_t>(r);
      Pack sum[6] = {};
      for (int k = pattern.start[at]; k < pattern.start[at + 1]; ++k) {
        const auto c = static_cast<std::size_t>(pattern.column[static_cast<std::size_t>(k)]);
        const double* block = Block(k);
        const Pack x0 = PackAt(&x[6 * c]), x1 = PackAt(&x[6 * c] + 4);
#pragma GCC unroll 6
        for (std::size_t i = 0; i < 6; ++i) {
          sum[i] +=
              PackAt(block + i * kBlockStride) * x0 + PackAt(block + i * kBlockStride + 4) * x1;
        }
      }
      for (std::size_t i = 0; i < 6; ++i) {
        y[6 * at + i] = (sum[i][0] + sum[i][1]) + (sum[i][2] + sum[i][3]);
      }
    }
  };
  cuda::ParallelFor(pattern.rows(), kGrain, threads, std::cref(rows));
}

}  // namespace intervox::host::internal
