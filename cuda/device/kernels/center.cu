// The kernel of CenterRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/center/rule.h"

namespace intervox::cuda {

using Memory = internal::center::CenterMemory;

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskCenter(Batch batch) {
  internal::AskRule<Memory>(batch, LeafRule::kCenter, [](const internal::Question<Memory>& q) {
    return CenterRule(q.workspace.pair, SizeOf(q.query), q.moments, q.memory);
  });
}

Kernel CenterKernel() {
  return {"AskCenter", reinterpret_cast<const void*>(&AskCenter), sizeof(Memory)};
}

}  // namespace intervox::cuda
