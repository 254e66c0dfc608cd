// The kernel of ClipRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/clip/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskClip(Batch batch) {
  using Memory = internal::clip::ClipModel;
  internal::AskRule<Memory>(
      batch, LeafRule::kClip,
      [](const PairView& query, Workspace<>* workspace, Memory* memory, Moments* moments) {
        return ClipRule(workspace->pair, moments, internal::clip::kMaxClipLeaves,
                        internal::SizeOf(query), memory);
      });
}

Kernel ClipKernel() {
  return {"AskClip", reinterpret_cast<const void*>(&AskClip), sizeof(internal::clip::ClipModel)};
}

}  // namespace intervox::cuda
