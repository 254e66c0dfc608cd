// The kernel of ColumnRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/column/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskColumn(Batch batch) {
  internal::AskRule(batch, LeafRule::kColumn,
                    [](const PairView& /*query*/, Workspace<>* workspace, Moments* moments) {
                      return ColumnRule(workspace->pair, moments);
                    });
}

Kernel ColumnKernel() { return {"AskColumn", reinterpret_cast<const void*>(&AskColumn)}; }

}  // namespace intervox::cuda
