/** @file The stand-in for the CUDA runtime as kernels see it: their place in the grid. */
#pragma once

#include "tests/stand_in/cuda_runtime_api.h"

/** An index or a size; a name, for each source to see the same variables. */
struct StandInPlace {
  unsigned x = 0;
};
inline thread_local StandInPlace blockIdx, blockDim, threadIdx;
