#include "cuda/peg_pair.h"

namespace intervox::cuda {

AfterBegin LookAtHolesAndTakePeg(const PairView& query, const PairFrame& frame, LocalPair* pair,
                                 InterferenceMetrics* metrics) {
  const AfterBegin next = LookAtHoles(query, frame);
  if (next != AfterBegin::kPeg) return next;
  PegMemory memory;
  return TakePeg(query, frame, &memory, pair, metrics) ? AfterBegin::kNothing : AfterBegin::kCurved;
}

}  // namespace intervox::cuda
