// The kernel that readies pairs with curved surfaces for their rules.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    ReadyPair(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t) {
    const PairView& query = batch.d_pairs[i];
    Workspace<>& workspace = batch.d_workspaces[i];
    PairFrame frame;
    MakePairFrame(query, &frame);
    PairOutcome out;
    Progress progress;
    Step next = kDone;
    if (PreparePair(query, frame, &workspace, &progress, &out)) {
      const bool automatic = query.rule == LeafRule::kAuto;
      const LeafRule rule = automatic ? RuleInOrder(0) : query.rule;
      if (TakesCells(rule)) {
        next = StepOf(rule);
      } else {
        ConcludePair(query, workspace.pair, progress, &out.metrics);
      }
    }
    batch.d_outcomes[i] = out;
    batch.d_progress[i] = progress;
    batch.d_steps[i] = next;
  });
}

Kernel PrepareKernel() { return {"ReadyPair", reinterpret_cast<const void*>(&ReadyPair)}; }

}  // namespace intervox::cuda
