// The kernel of pairs that only planes bound.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    TakePlanes(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t) {
    const PairView& query = batch.d_pairs[i];
    PairFrame frame;
    MakePairFrame(query, &frame);
    PairOutcome out;
    ComputePlanes(query, frame, &batch.d_workspaces[i].polyhedron, &out);
    batch.d_outcomes[i] = out;
    batch.d_steps[i] = kDone;
  });
}

Kernel PlanesKernel() { return {"TakePlanes", reinterpret_cast<const void*>(&TakePlanes)}; }

}  // namespace intervox::cuda
