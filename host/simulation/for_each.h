/** @file Loops over the bodies or contacts of a group on several threads. */
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/device/executor.h"

namespace intervox::host {

/** Bodies or contacts of a stage that go to a thread together. */
inline constexpr std::size_t kStageGrain = 256;

/** Calls act(k) for each k < count. */
template <class Act>
void ForEach(std::size_t count, int threads, const Act& act) {
  cuda::ForEach(count, static_cast<int>(kStageGrain), threads, act);
}

/** How many ranges of kStageGrain make up a count. */
inline std::size_t RangesOf(std::size_t count) { return (count + kStageGrain - 1) / kStageGrain; }

/** Calls act(range, begin, end) for all ranges. What is summed within them, and then in their
 order, has the same bits on any number of threads. */
template <class Act>
void ForRanges(std::size_t count, int threads, const Act& act) {
  cuda::ForEach(RangesOf(count), 1, threads, [&](std::size_t r) {
    act(r, r * kStageGrain, std::min(count, (r + 1) * kStageGrain));
  });
}

}  // namespace intervox::host
