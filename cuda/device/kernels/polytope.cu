// The kernel of PolytopeRule.
#include <cuda_runtime.h>

#include "cuda/device/kernels/kernels.h"
#include "cuda/device/kernels/thread.cuh"
#include "cuda/rules/polytope/rule.h"

namespace intervox::cuda {

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    AskPolytope(Batch batch) {
  internal::AskRule<void>(batch, LeafRule::kPolytope, [](const internal::Question<void>& q) {
    return PolytopeRule(q.workspace.pair, &q.workspace.polyhedron, q.moments);
  });
}

Kernel PolytopeKernel() { return {"AskPolytope", reinterpret_cast<const void*>(&AskPolytope)}; }

}  // namespace intervox::cuda
