// The kernel of SliceRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/slice/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskSlice(Batch batch) {
  internal::AskRule<void>(batch, LeafRule::kSlice, [](const internal::Question<void>& q) {
    return SliceRule(q.workspace.pair, q.moments);
  });
}

Kernel SliceKernel() { return {"AskSlice", reinterpret_cast<const void*>(&AskSlice)}; }

}  // namespace intervox::cuda
