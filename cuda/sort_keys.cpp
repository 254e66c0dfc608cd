#include "cuda/sort_keys.h"

#include <thrust/sort.h>
#include <thrust/system/tbb/execution_policy.h>

namespace intervox::cuda {

void SortKeys(std::vector<std::uint64_t>* keys) {
  thrust::sort(thrust::tbb::par, keys->begin(), keys->end());
}

void SortByKey(std::vector<std::uint64_t>* keys, std::vector<std::int32_t>* values) {
  thrust::stable_sort_by_key(thrust::tbb::par, keys->begin(), keys->end(), values->begin());
}

}  // namespace intervox::cuda
