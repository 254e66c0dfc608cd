// The kernel of pairs that only planes bound.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"

namespace intervox::cuda {

namespace {

// Two boxes fit: they have twelve faces at most, and so twenty corners. It is the thread's own:
// what its warp asks of it at once lies together.
using OwnPolyhedron = Polyhedron<20, 12>;

// Views and poses, which are read a few times.
using Memory = internal::Place<PairFrame>;

}  // namespace

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    TakePlanes(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t k) {
    const PairView& query = batch.d_pairs[i];
    PairFrame& frame = static_cast<Memory*>(batch.d_memory)[k].Make();
    MakePairFrame(query, &frame);
    PairOutcome out;
    OwnPolyhedron own;
    internal::PolytopeSums sums;
    ComputePlanes(query, frame, &own, &sums, &out);
    if (out.full) {
      out = {};
      ComputePlanes(query, frame, &batch.d_workspaces[i].polyhedron, &sums, &out);
    }
    batch.d_outcomes[i] = out;
    batch.d_steps[i] = kDone;
  });
}

Kernel PlanesKernel() {
  return {"TakePlanes", reinterpret_cast<const void*>(&TakePlanes), sizeof(Memory)};
}

}  // namespace intervox::cuda
