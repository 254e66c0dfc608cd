// The kernel of the grid rules: one thread for each lane of a pair's level.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/grid/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    SumGridLanes(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t k) {
    char* const room = static_cast<char*>(batch.d_memory) +
                       static_cast<std::size_t>(k) * internal::grid::TileBytes(batch.grid_sides);
    internal::grid::Tile* const tile = internal::grid::TileIn(room, batch.grid_sides);
    internal::grid::SumLaneOf(batch.d_levels[i / kLanes], i % kLanes, tile, batch.d_sums + k);
  });
}

Kernel GridKernel() {
  return {"SumGridLanes", reinterpret_cast<const void*>(&SumGridLanes), 0, "lanes"};
}

}  // namespace intervox::cuda
