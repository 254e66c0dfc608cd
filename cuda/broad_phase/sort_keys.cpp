#include "cuda/broad_phase/sort_keys.h"

// Thrust's default is CUDA, whose headers a machine without the toolkit lacks.
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
#include <thrust/sort.h>
#ifdef __SANITIZE_THREAD__
#include <thrust/system/cpp/execution_policy.h>
#else
#include <thrust/system/tbb/execution_policy.h>
#endif

namespace intervox::cuda {
namespace {

#ifdef __SANITIZE_THREAD__
// As in executor.cpp: what oneTBB orders, the thread sanitizer would take for races.
const auto& kPolicy = thrust::cpp::par;
#else
const auto& kPolicy = thrust::tbb::par;
#endif

}  // namespace

void SortKeys(std::vector<std::uint64_t>* keys) {
  thrust::sort(kPolicy, keys->begin(), keys->end());
}

void SortByKey(std::vector<std::uint64_t>* keys, std::vector<std::int32_t>* values) {
  thrust::stable_sort_by_key(kPolicy, keys->begin(), keys->end(), values->begin());
}

}  // namespace intervox::cuda
