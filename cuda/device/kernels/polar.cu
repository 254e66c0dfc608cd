// The kernel of PolarRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/polar/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskPolar(Batch batch) {
  internal::AskRule<void>(batch, LeafRule::kPolar, [](const internal::Question<void>& q) {
    return PolarRule<1>(q.workspace.pair, q.moments);
  });
}

Kernel PolarKernel() { return {"AskPolar", reinterpret_cast<const void*>(&AskPolar)}; }

}  // namespace intervox::cuda
