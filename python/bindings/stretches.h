/** @file Many poses in stretches, between which signals are looked for. */
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include "python/bindings/signals.h"

namespace intervox::python {

/** Most poses measured between two looks for signals. */
inline constexpr std::size_t kMostPoses = 8192;

/** Calls measure(begin, count) for stretches that make up [0, size), without the interpreter lock.
 The first stretch has a pose for each core; where one took less than 50 ms the next is twice as
 long. @throws nanobind::python_error when a signal's handler raised. */
template <class Measure>
void InStretches(std::size_t size, const Measure& measure) {
  using Clock = std::chrono::steady_clock;
  Signals signals;
  std::size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t begin = 0, count = 0; begin < size; begin += count) {
    const Clock::time_point start = Clock::now();
    count = std::min(size - begin, at_once);
    measure(begin, count);
    signals.Check();
    if (Clock::now() - start < std::chrono::milliseconds(50)) {
      at_once = std::min(2 * at_once, kMostPoses);
    }
  }
}

}  // namespace intervox::python
