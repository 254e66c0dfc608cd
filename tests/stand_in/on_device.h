/** @file How what runs a kernel tells the device's memory from other memory. */
#pragma once

#include <cstddef>
#include <functional>

namespace stand_in {

/** Says whether so many bytes from an address on were allocated on the device. */
using OnDevice = std::function<bool(const char* at, std::size_t bytes)>;

}  // namespace stand_in
