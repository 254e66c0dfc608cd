#include "host/contact/stage/block_pattern.h"

#include <algorithm>

namespace intervox::host::internal {

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

}  // namespace intervox::host::internal
