// The kernel of ColumnRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/column/rule.h"

namespace intervox::cuda {

using Memory = internal::column::ColumnMemory;

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskColumn(Batch batch) {
  internal::AskRule<Memory>(batch, LeafRule::kColumn, [](const internal::Question<Memory>& q) {
    return ColumnRule(q.workspace.pair, q.moments, q.memory);
  });
}

Kernel ColumnKernel() {
  return {"AskColumn", reinterpret_cast<const void*>(&AskColumn), sizeof(Memory)};
}

}  // namespace intervox::cuda
