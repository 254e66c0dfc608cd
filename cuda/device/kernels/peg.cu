// The kernel of pairs with holes: what hangs free in one, and pegs as they are.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/peg_pair.h"

namespace intervox::cuda {

namespace {

// Views and poses, which are read a few times, and the rule's.
struct Memory {
  internal::Place<PairFrame> frame;
  PegMemory peg;
};

}  // namespace

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor) AskPeg(Batch batch) {
  internal::ForPairOfThread(batch, [&](std::int32_t i, std::int32_t k) {
    const PairView& query = batch.d_pairs[i];
    Memory& memory = static_cast<Memory*>(batch.d_memory)[k];
    PairFrame& frame = memory.frame.Make();
    MakePairFrame(query, &frame);
    PairOutcome out;
    AfterBegin next = LookAtHoles(query, frame);
    if (next == AfterBegin::kPeg &&
        TakePeg(query, frame, &memory.peg, &batch.d_workspaces[i].pair, &out.metrics)) {
      next = AfterBegin::kNothing;
    }
    batch.d_outcomes[i] = out;
    batch.d_steps[i] = next == AfterBegin::kNothing ? kDone : kPrepareStep;
  });
}

Kernel PegKernel() { return {"AskPeg", reinterpret_cast<const void*>(&AskPeg), sizeof(Memory)}; }

}  // namespace intervox::cuda
