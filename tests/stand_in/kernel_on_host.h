/** @file A kernel as the host's compiler makes it, one thread after the other. */
#pragma once

#include <cstddef>

#include "cuda/device/batch.h"
#include "tests/stand_in/cuda_runtime.h"
#include "tests/stand_in/on_device.h"

namespace stand_in {

inline bool DeviceIsThere() { return true; }
inline constexpr const char* kNoDevice = "";

inline std::size_t StackOfKernel(const char*, std::size_t otherwise) { return otherwise; }

inline void RunKernel(const void* function, const char*, unsigned blocks, unsigned threads,
                      std::size_t, void** arguments, const OnDevice&) {
  const auto kernel =
      reinterpret_cast<void (*)(intervox::cuda::Batch)>(const_cast<void*>(function));
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) {
      kernel(*static_cast<intervox::cuda::Batch*>(arguments[0]));
    }
  }
}

}  // namespace stand_in
