/** @file Loops over the bodies or contacts of a group on several threads. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "cuda/device/executor.h"

namespace intervox::host {

/** Bodies or contacts of a stage that go to a thread together. */
inline constexpr std::size_t kStageGrain = 256;

/** Calls act(k) for each k < count. */
template <class Act>
void ForEach(std::size_t count, int threads, const Act& act) {
  const auto some = [&](int begin, int end) {
    for (int k = begin; k < end; ++k) act(static_cast<std::size_t>(k));
  };
  cuda::ParallelFor(static_cast<int>(count), static_cast<int>(kStageGrain), threads,
                    std::cref(some));
}

/** How many ranges of kStageGrain make up a count. */
inline std::size_t RangesOf(std::size_t count) { return (count + kStageGrain - 1) / kStageGrain; }

/** Calls act(range, begin, end) for all ranges. What is summed within them, and then in their
 order, has the same bits on any number of threads. */
template <class Act>
void ForRanges(std::size_t count, int threads, const Act& act) {
  const auto some = [&](int first, int last) {
    for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
      act(r, r * kStageGrain, std::min(count, (r + 1) * kStageGrain));
    }
  };
  cuda::ParallelFor(static_cast<int>(RangesOf(count)), 1, threads, std::cref(some));
}

}  // namespace intervox::host
