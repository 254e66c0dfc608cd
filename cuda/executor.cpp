#include "cuda/executor.h"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace intervox::cuda {

void ParallelFor(int count, int grain, int threads, const std::function<void(int, int)>& body) {
  if (threads == 1 || count <= grain) {
    if (count > 0) body(0, count);
    return;
  }
  const auto run = [&] {
    tbb::parallel_for(tbb::blocked_range<int>(0, count, static_cast<std::size_t>(grain)),
                      [&](const tbb::blocked_range<int>& r) { body(r.begin(), r.end()); });
  };
  if (threads <= 0) {
    run();
  } else {
    // More threads than cores bring nothing, and oneTBB complains about them on the console.
    tbb::task_arena(std::min(threads, tbb::info::default_concurrency())).execute(run);
  }
}

}  // namespace intervox::cuda
