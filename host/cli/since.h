/** @file The wall clock of commands. */
#pragma once

#include <chrono>

namespace intervox::cli {

/** The time since `start` [s]. */
inline double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace intervox::cli
