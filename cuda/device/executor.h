/** @file Runs a body for each item, serially or on oneTBB's threads. */
#pragma once

#include <cstddef>
#include <functional>

namespace intervox::cuda {

/** The threads that a number of them means: 0 is all cores. */
int ThreadsOf(int threads);

/** Calls body(begin, end) over ranges that make up [0, count) on several threads: ParallelFor where
 there are more items than one grain. */
void RunOnThreads(int count, int grain, int threads, const std::function<void(int, int)>& body);

/** Calls body(begin, end) over ranges that make up [0, count) on up to `threads` threads (0: all
 cores); each item once, in any order. With one thread, or few items, on the calling thread. `grain`
 items go together. */
template <class Body>
void ParallelFor(int count, int grain, int threads, const Body& body) {
  if (threads != 1 && count > grain) {
    RunOnThreads(count, grain, threads, std::cref(body));
  } else if (count > 0) {
    body(0, count);
  }
}

/** Calls body(i) for each i < count, as ParallelFor does for ranges. */
template <class Body>
void ForEach(std::size_t count, int grain, int threads, const Body& body) {
  ParallelFor(static_cast<int>(count), grain, threads, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
  });
}

}  // namespace intervox::cuda
