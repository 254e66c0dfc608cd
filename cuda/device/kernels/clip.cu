// The kernel of ClipRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/clip/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskClip(Batch batch) {
  internal::AskRule(batch, LeafRule::kClip,
                    [](const PairView& query, Workspace<>* workspace, Moments* moments) {
                      return ClipRule(workspace->pair, moments, internal::clip::kMaxClipLeaves,
                                      internal::SizeOf(query));
                    });
}

Kernel ClipKernel() { return {"AskClip", reinterpret_cast<const void*>(&AskClip)}; }

}  // namespace intervox::cuda
