// The kernel of pairs that only planes bound.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"

namespace intervox::cuda {

namespace {

// Two boxes fit. It is the thread's own: what its warp asks of it at once lies together.
using OwnPolyhedron = Polyhedron<24, 16>;

}  // namespace

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    TakePlanes(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t) {
    const PairView& query = batch.d_pairs[i];
    PairFrame frame;
    MakePairFrame(query, &frame);
    PairOutcome out;
    OwnPolyhedron own;
    ComputePlanes(query, frame, &own, &out);
    if (out.full) {
      out = {};
      ComputePlanes(query, frame, &batch.d_workspaces[i].polyhedron, &out);
    }
    batch.d_outcomes[i] = out;
    batch.d_steps[i] = kDone;
  });
}

Kernel PlanesKernel() { return {"TakePlanes", reinterpret_cast<const void*>(&TakePlanes)}; }

}  // namespace intervox::cuda
