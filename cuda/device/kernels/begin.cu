// The first kernel: views, frames, closed forms, bounds that are apart.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) Begin(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t) {
    PairView& query = batch.d_pairs[i];
    query = ViewOf(batch.d_records[i], batch.d_cells);
    PairOutcome out;
    PairFrame frame;
    const AfterBegin next = BeginPair(query, &frame, &out.metrics);
    const bool holes = internal::HasHole(frame.a) || internal::HasHole(frame.b);
    batch.d_outcomes[i] = out;
    batch.d_steps[i] = next == AfterBegin::kNothing  ? kDone
                       : next == AfterBegin::kPlanes ? kPlanesStep
                       : holes                       ? kPegStep
                                                     : kPrepareStep;
  });
}

Kernel BeginKernel() { return {"Begin", reinterpret_cast<const void*>(&Begin)}; }

}  // namespace intervox::cuda
