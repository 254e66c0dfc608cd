/** @file The Cuda executor's door; without nvcc it only says that it is absent. */
#pragma once

#include <span>

#include "cuda/metrics.h"

namespace intervox::cuda {

/** Checks that the CUDA device is there.
 @throws std::runtime_error naming what is there instead, and the remedy. */
void RequireCudaDevice(int device);

/** The metrics of each query, computed on the device with the CPU's bits.
 @throws std::runtime_error with call, file and line when a CUDA call fails. */
void ComputeOnCuda(std::span<const PairQuery> queries, std::span<InterferenceMetrics> metrics,
                   int device);

}  // namespace intervox::cuda
