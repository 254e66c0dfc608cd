// The kernel of ClipRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/clip/rule.h"

namespace intervox::cuda {

using Memory = internal::clip::ClipMemory;

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskClip(Batch batch) {
  internal::AskRule<Memory>(batch, LeafRule::kClip, [](const internal::Question<Memory>& q) {
    const LocalPair& pair = q.workspace.pair;
    const int leaves = internal::clip::MostLeaves(pair, q.query.rule == LeafRule::kAuto);
    return ClipRule(pair, q.moments, leaves, SizeOf(q.query), q.memory);
  });
}

Kernel ClipKernel() { return {"AskClip", reinterpret_cast<const void*>(&AskClip), sizeof(Memory)}; }

}  // namespace intervox::cuda
