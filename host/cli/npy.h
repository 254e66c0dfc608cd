/** @file Arrays of doubles in NumPy's .npy format, version 1 and 2. */
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace intervox::cli {

/** A two-dimensional array by rows. */
struct Array {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;
};

/** Reads an array of little-endian doubles in C order with one or two dimensions.
 @throws host::InputError for a missing or corrupt file, another element type or order, and numbers
 that are not finite. */
Array ReadNpy(const std::filesystem::path& path);

}  // namespace intervox::cli
