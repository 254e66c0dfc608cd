/** @file A stand-in for the CUDA runtime, for machines without one: the executor's own source runs
 on it as it stands. "Device" memory is separate and filled with rubbish, copies must name the side
 that they run to, and a launch aborts when it is given a pointer to host memory. The kernel is what
 the host's compiler makes of it or, where INTERVOX_PTX names a file, what nvcc does (ptx.h). */
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "tests/stand_in/memory.h"
#ifdef INTERVOX_PTX
#include "tests/stand_in/kernel_in_ptx.h"
#else
#include "tests/stand_in/kernel_on_host.h"
#endif

#define __global__
#define __launch_bounds__(threads)

using cudaError_t = int;
inline constexpr cudaError_t cudaSuccess = 0, cudaErrorNoDevice = 100;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaLimit { cudaLimitStackSize };

struct cudaDeviceProp {
  int multiProcessorCount = 2;
};

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : stand_in::kNoDevice;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
/** Of a thread; a device starts with 1 KiB. */
inline std::size_t stand_in_stack_bytes = 1024;

inline cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t bytes) {
  stand_in_stack_bytes = bytes;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return cudaSuccess; }

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = stand_in::DeviceIsThere() ? 1 : 0;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

template <class T>
cudaError_t cudaMalloc(T** p, std::size_t bytes) {
  *p = static_cast<T*>(std::malloc(bytes));
  std::memset(static_cast<void*>(*p), 0xCD, bytes);
  stand_in::Allocations()[reinterpret_cast<const char*>(*p)] = bytes;
  return cudaSuccess;
}

inline cudaError_t cudaFree(void* p) {
  stand_in::Require(p == nullptr || stand_in::Allocations().erase(static_cast<char*>(p)) == 1,
                    "freed what was not allocated");
  std::free(p);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const void* device = kind == cudaMemcpyHostToDevice ? to : from;
  stand_in::Require(stand_in::OnDevice(static_cast<const char*>(device), bytes),
                    "a copy runs past an allocation or the wrong way");
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

/** kernel<<<blocks, threads>>>(d_pairs, count, …), one thread after the other. */
template <class Kernel, class... Rest>
void LaunchOnStandIn(Kernel kernel, int blocks, int threads,
                     const intervox::cuda::PairView* d_pairs, int count, Rest*... d_rest) {
  stand_in::Require(stand_in::OnDevice(d_pairs, static_cast<std::size_t>(count)),
                    "the pairs are in host memory");
  stand_in::Require((stand_in::OnDevice(d_rest, 1) && ...), "an argument is in host memory");
  for (int i = 0; i < count; ++i) {
    stand_in::CheckView(d_pairs[i].a);
    stand_in::CheckView(d_pairs[i].b);
  }
  stand_in::RunKernel(kernel, blocks, threads, stand_in_stack_bytes, d_pairs, count, d_rest...);
}
