/** @file The one host/device macro of the project; no other header mentions __CUDACC__ for this. */
#pragma once

#if defined(__CUDACC__)
/** Marks a function that compiles for the CPU and for CUDA devices alike. */
#define INTERVOX_HD __host__ __device__
#else
/** Marks a function that compiles for the CPU and for CUDA devices alike. */
#define INTERVOX_HD
#endif
