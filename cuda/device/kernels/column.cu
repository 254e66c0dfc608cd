// The kernel of ColumnRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/column/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskColumn(Batch batch) {
  using Memory = internal::column::ColumnMemory;
  internal::AskRule<Memory>(
      batch, LeafRule::kColumn,
      [](const PairView& /*query*/, Workspace<>* workspace, Memory* memory, Moments* moments) {
        return ColumnRule(workspace->pair, moments, memory);
      });
}

Kernel ColumnKernel() {
  return {"AskColumn", reinterpret_cast<const void*>(&AskColumn),
          sizeof(internal::column::ColumnMemory)};
}

}  // namespace intervox::cuda
