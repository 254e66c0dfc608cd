#include "cuda/rules/slice/rule.h"

namespace intervox::cuda {

RuleResult SliceRule(const LocalPair& pair, LocalPair* term, Moments* moments) {
  internal::slice::SliceMemory memory;
  return SliceRule(pair, term, moments, &memory);
}

}  // namespace intervox::cuda
