#include "cuda/executor.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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
    tbb::task_arena(threads).execute(run);
  }
}

}  // namespace intervox::cuda
