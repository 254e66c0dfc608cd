// The kernel of FluxRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/flux/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskFlux(Batch batch) {
  using Memory = internal::flux::FluxMemory;
  internal::AskRule<Memory>(
      batch, LeafRule::kFlux,
      [](const PairView& /*query*/, Workspace<>* workspace, Memory* memory, Moments* moments) {
        return FluxRule(workspace->pair, moments, memory);
      });
}

Kernel FluxKernel() {
  return {"AskFlux", reinterpret_cast<const void*>(&AskFlux), sizeof(internal::flux::FluxMemory)};
}

}  // namespace intervox::cuda
