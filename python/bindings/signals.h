/** @file Ctrl-C within long calls that have released the interpreter. */
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace intervox::python {

/** Looks for signals every 20 ms: taking the interpreter for it at each step would cost more than
 the step. */
class Signals {
 public:
  /** To be called without the interpreter lock. @throws nanobind::python_error, in the main thread,
   when a handler raised: for Ctrl-C KeyboardInterrupt. */
  void Check() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(20)) return;
    last_ = now;
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace intervox::python
