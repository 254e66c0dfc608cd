/** @file Pairs with a grid on the device: fields that are kept there, levels in chunks of lanes. */
#pragma once

#include <cstddef>
#include <span>

#include "cuda/metrics.h"

namespace intervox::cuda {

/** Computes the metrics of those queries, each of which has a grid, on the calling thread's device,
 which must be `device`. A field is copied to the device once and kept there while its owner lives.
 Up to `threads` threads of the host place pairs and conclude them, and sum what is left where its
 lanes are too few for the device to be of use.
 @throws std::runtime_error as ComputeOnCuda does */
void ComputeGridsOnCuda(std::span<const PairQuery> queries, std::span<const std::size_t> numbers,
                        std::span<InterferenceMetrics> metrics, int device, int threads);

}  // namespace intervox::cuda
