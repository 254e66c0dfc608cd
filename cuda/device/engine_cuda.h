/** @file The Cuda executor's door; without nvcc it only says that it is absent. */
#pragma once

#include <span>

#include "cuda/metrics.h"

namespace intervox::cuda {

/** Checks that the CUDA device is there, and that this build has code for it.
 @throws std::runtime_error naming what is there instead, and the remedy. */
void RequireCudaDevice(int device);

/** The metrics of each query, computed on the device with the CPU's bits; what the device does not
 take, grids and hulls of many faces, on up to `threads` threads of the CPU. From any thread; the
 calling thread's device is afterwards what it was.
 @throws std::runtime_error with the device and the kernel or copy that failed; where memory is too
 little, with the remedy. */
void ComputeOnCuda(std::span<const PairQuery> queries, std::span<InterferenceMetrics> metrics,
                   int device, int threads);

}  // namespace intervox::cuda
