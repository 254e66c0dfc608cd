/** @file Runs a body for each item, serially or on oneTBB's threads. */
#pragma once

#include <functional>

namespace intervox::cuda {

/** Calls body(begin, end) over ranges that make up [0, count) on up to `threads` threads (0: all
 cores); each item once, in any order. With one thread, or few items, on the calling thread. `grain`
 items go together. */
void ParallelFor(int count, int grain, int threads, const std::function<void(int, int)>& body);

}  // namespace intervox::cuda
