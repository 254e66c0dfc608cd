#include "cuda/rules/slice/rule.h"

namespace intervox::cuda {

RuleResult SliceRule(const LocalPair& pair, Moments* moments) {
  internal::slice::SliceMemory memory;
  return SliceRule(pair, moments, &memory);
}

}  // namespace intervox::cuda
