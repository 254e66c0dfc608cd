/** @file How many samples tests draw that can draw more, or fewer under sanitizers. */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace intervox::testing {

/** What INTERVOX_SAMPLES in the environment multiplies numbers of samples by; 1 without it. */
inline double SampleFactor() {
  const char* const factor = std::getenv("INTERVOX_SAMPLES");
  return factor == nullptr ? 1.0 : std::atof(factor);
}

/** `count` times the factor; at least 1. */
inline int Samples(int count) { return static_cast<int>(std::fmax(1.0, count * SampleFactor())); }

/** The distance between samples `step` apart, over the factor; at least 1. */
inline std::size_t Stride(std::size_t step) {
  return static_cast<std::size_t>(
      std::fmax(1.0, static_cast<double>(step) / std::fmax(1e-3, SampleFactor())));
}

}  // namespace intervox::testing
