// The kernel of FluxRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/flux/rule.h"

namespace intervox::cuda {

using Memory = internal::flux::FluxMemory;

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskFlux(Batch batch) {
  internal::AskRule<Memory>(batch, LeafRule::kFlux, [](const internal::Question<Memory>& q) {
    return FluxRule(q.workspace.pair, &q.workspace.term, q.moments, q.memory);
  });
}

Kernel FluxKernel() { return {"AskFlux", reinterpret_cast<const void*>(&AskFlux), sizeof(Memory)}; }

}  // namespace intervox::cuda
