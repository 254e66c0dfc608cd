// The kernel of CenterRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/center/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskCenter(Batch batch) {
  using Memory = internal::clip::ClipModel;
  internal::AskRule<Memory>(
      batch, LeafRule::kCenter,
      [](const PairView& query, Workspace<>* workspace, Memory* memory, Moments* moments) {
        return CenterRule(workspace->pair, internal::SizeOf(query), moments, memory);
      });
}

Kernel CenterKernel() {
  return {"AskCenter", reinterpret_cast<const void*>(&AskCenter),
          sizeof(internal::clip::ClipModel)};
}

}  // namespace intervox::cuda
