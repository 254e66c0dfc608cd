/** @file Asks for memory before it is needed, where what is walked through lies far apart. */
#pragma once

#include <algorithm>
#include <cstddef>

namespace intervox::host {

/** How many large objects ahead of the one at work are asked for. */
inline constexpr int kPrefetchAhead = 4;

/** Asks for the memory of objects that are about to be read or written; of many, for the first
 lines only. */
template <class T>
void Prefetch(const T* first, std::size_t count = 1) {
  constexpr std::size_t kLine = 64, kMostLines = 32;
  const std::size_t bytes = std::min(count * sizeof(T), kMostLines * kLine);
  for (std::size_t at = 0; at < bytes; at += kLine) {
    const char* line = reinterpret_cast<const char*>(first) + at;
    __builtin_prefetch(line);
    // g++ 12 takes a function that only prefetches for one without effect, and drops its calls.
    asm volatile("" : : "r"(line));
  }
}

/** Before the one at k is read, asks for that which is kPrefetchAhead further on, if it is before
 `end`: at(k) is its address. */
template <class Index, class At>
void PrefetchAhead(Index k, Index end, const At& at) {
  const Index soon = k + kPrefetchAhead;
  if (soon < end) Prefetch(at(soon));
}

}  // namespace intervox::host
