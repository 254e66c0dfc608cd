/** @file What a thread of a kernel does around its step. For .cu files, after <cuda_runtime.h>. */
#pragma once

#include <type_traits>

#include "cuda/device/batch.h"

namespace intervox::cuda::internal {

// Calls body(number of the pair, its place in the list) for the pair of this thread, where there is
// one.
template <class Body>
__device__ void ForPairOfThread(const Batch& batch, Body&& body) {
  const auto k = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < batch.count) body(batch.d_list[k], k);
}

// After a pair's rule: the next one in order, or kDone.
__device__ inline Step StepAfter(const PairView& query, LeafRule rule) {
  if (query.rule != LeafRule::kAuto) return kDone;
  for (int turn = 0; turn + 1 < kRulesInOrder; ++turn) {
    if (RuleInOrder(turn) == rule) return StepOf(RuleInOrder(turn + 1));
  }
  return kDone;
}

// What a rule is asked with: the thread's pair, and room for its work and its answer.
template <class Memory>
struct Question {
  const PairView& query;
  Workspace<>& workspace;
  Memory* memory;
  Moments* moments;
};

// Asks one rule about the thread's pair: ask(question). What it leaves open waits for the next
// rule, as in ComputePair.
template <class Memory, class Ask>
__device__ void AskRule(const Batch& batch, LeafRule rule, Ask&& ask) {
  ForPairOfThread(batch, [&](std::int32_t i, std::int32_t k) {
    const PairView& query = batch.d_pairs[i];
    Workspace<>& workspace = batch.d_workspaces[i];
    Progress& progress = batch.d_progress[i];
    Moments moments;
    auto* memory = static_cast<Memory*>(batch.d_memory);
    if constexpr (!std::is_void_v<Memory>) memory += k;
    const RuleResult result = ask(Question<Memory>{query, workspace, memory, &moments});
    const bool enough = KeepBest(query, rule, result, moments, &progress);
    const Step next = enough ? kDone : StepAfter(query, rule);
    if (next == kDone) {
      ConcludePair(query, workspace.pair, progress, &batch.d_outcomes[i].metrics);
    }
    batch.d_steps[i] = next;
  });
}

}  // namespace intervox::cuda::internal
