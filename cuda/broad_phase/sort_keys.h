/** @file Integer sorts; the only place that includes Thrust. */
#pragma once

#include <cstdint>
#include <vector>

namespace intervox::cuda {

/** Sorts keys ascending. */
void SortKeys(std::vector<std::uint64_t>* keys);

/** Sorts keys ascending and takes values along; equal keys keep their order. */
void SortByKey(std::vector<std::uint64_t>* keys, std::vector<std::int32_t>* values);

}  // namespace intervox::cuda
