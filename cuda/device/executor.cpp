#include "cuda/device/executor.h"

#include <algorithm>
#include <thread>

#ifdef __SANITIZE_THREAD__
#include <atomic>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#endif

namespace intervox::cuda {

int ThreadsOf(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
}

#ifdef __SANITIZE_THREAD__
// Debian's oneTBB is not instrumented, so the thread sanitizer sees neither its forks nor its
// joins: its builds use plain threads, whose ranges nothing orders but the join.
void RunOnThreads(int count, int grain, int threads, const std::function<void(int, int)>& body) {
  std::atomic<int> next{0};
  const auto work = [&] {
    for (int begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < count;) {
      body(begin, std::min(count, begin + grain));
    }
  };
  std::vector<std::thread> pool;
  for (int k = threads <= 0 ? 4 : threads; k > 0; --k) pool.emplace_back(work);
  for (std::thread& thread : pool) thread.join();
}
#else
namespace {

// Making an arena costs more than a short loop: each thread keeps its last one.
tbb::task_arena& ArenaOf(int threads) {
  thread_local std::unique_ptr<tbb::task_arena> arena;
  thread_local int size = 0;
  if (size != threads) {
    arena = std::make_unique<tbb::task_arena>(threads);
    size = threads;
  }
  return *arena;
}

}  // namespace

void RunOnThreads(int count, int grain, int threads, const std::function<void(int, int)>& body) {
  const auto run = [&] {
    tbb::parallel_for(tbb::blocked_range<int>(0, count, static_cast<std::size_t>(grain)),
                      [&](const tbb::blocked_range<int>& r) { body(r.begin(), r.end()); });
  };
  if (threads <= 0) {
    run();
  } else {
    // More threads than cores bring nothing, and oneTBB complains about them on the console.
    ArenaOf(std::min(threads, tbb::info::default_concurrency())).execute(run);
  }
}
#endif

}  // namespace intervox::cuda
