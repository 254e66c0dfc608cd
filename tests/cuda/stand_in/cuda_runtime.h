/** @file A stand-in for the CUDA runtime, for machines without one: the executor's own source runs
 on it as it stands. "Device" memory is separate and filled with rubbish, copies must name the side
 that they run to, and a launch aborts when it is given a pointer to host memory. What it cannot
 show is what nvcc and a device make of the kernel. */
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cuda/cell_view.h"

#define __global__
#define __launch_bounds__(threads)

using cudaError_t = int;
inline constexpr cudaError_t cudaSuccess = 0;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaLimit { cudaLimitStackSize };

struct cudaDeviceProp {
  int multiProcessorCount = 2;
};

namespace stand_in {

struct Index {
  unsigned x = 0;
};

/** Where allocations start, and their bytes. */
inline std::map<const char*, std::size_t>& Allocations() {
  static std::map<const char*, std::size_t> allocations;
  return allocations;
}

inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "stand-in for CUDA: %s\n", what);
  std::abort();
}

/** Whether `count` values at p lie in one allocation. */
template <class T>
bool OnDevice(const T* p, std::size_t count) {
  const char* at = reinterpret_cast<const char*>(p);
  auto next = Allocations().upper_bound(at);
  if (next == Allocations().begin()) return false;
  --next;
  return at + count * sizeof(T) <= next->first + next->second;
}

inline void CheckView(const intervox::cuda::CellView& cell) {
  const auto check = [](const auto* p, int count) {
    Require(OnDevice(p, static_cast<std::size_t>(count)), "a view points to host memory");
  };
  check(cell.surfaces, cell.surface_count);
  check(cell.bounds, 1);
  if (cell.corner_count == 0) return;
  check(cell.corners, cell.corner_count);
  check(cell.loop_begin, cell.face_count + 1);
  check(cell.loop, cell.loop_begin[cell.face_count]);
  check(cell.loop_surface, cell.face_count);
}

}  // namespace stand_in

inline stand_in::Index blockIdx, blockDim, threadIdx, gridDim;

inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return cudaSuccess; }

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
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
  gridDim.x = static_cast<unsigned>(blocks);
  blockDim.x = static_cast<unsigned>(threads);
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
      kernel(d_pairs, count, d_rest...);
    }
  }
}
