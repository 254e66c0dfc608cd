// The kernel of FluxRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/flux/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskFlux(Batch batch) {
  internal::AskRule(batch, LeafRule::kFlux,
                    [](const PairView& /*query*/, Workspace<>* workspace, Moments* moments) {
                      return FluxRule(workspace->pair, moments);
                    });
}

Kernel FluxKernel() { return {"AskFlux", reinterpret_cast<const void*>(&AskFlux)}; }

}  // namespace intervox::cuda
