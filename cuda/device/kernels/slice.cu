// The kernel of SliceRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/slice/rule.h"

namespace intervox::cuda {

using Memory = internal::slice::SliceMemory;

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskSlice(Batch batch) {
  internal::AskRule<Memory>(batch, LeafRule::kSlice, [](const internal::Question<Memory>& q) {
    return SliceRule(q.workspace.pair, &q.workspace.term, q.moments, q.memory);
  });
}

Kernel SliceKernel() {
  return {"AskSlice", reinterpret_cast<const void*>(&AskSlice), sizeof(Memory)};
}

}  // namespace intervox::cuda
