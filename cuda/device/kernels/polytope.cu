// The kernel of PolytopeRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/polytope/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskPolytope(Batch batch) {
  internal::AskRule<void>(
      batch, LeafRule::kPolytope,
      [](const PairView& /*query*/, Workspace<>* workspace, void* /*memory*/, Moments* moments) {
        return PolytopeRule(workspace->pair, &workspace->polyhedron, moments);
      });
}

Kernel PolytopeKernel() { return {"AskPolytope", reinterpret_cast<const void*>(&AskPolytope)}; }

}  // namespace intervox::cuda
