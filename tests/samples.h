/** @file How many samples the slow tests draw. */
#pragma once

#include <cmath>
#include <cstdlib>

namespace intervox::testing {

/** `count` times what INTERVOX_SAMPLES in the environment says; at least 1. */
inline int Samples(int count) {
  const char* const factor = std::getenv("INTERVOX_SAMPLES");
  return factor == nullptr ? count : static_cast<int>(std::fmax(1.0, count * std::atof(factor)));
}

}  // namespace intervox::testing
