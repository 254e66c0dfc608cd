/** @file Ctrl-C within long calls that have released the interpreter. */
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>

namespace intervox::python {

/** Looks for signals every 20 ms: taking the interpreter for it at each step would cost more than
 the step. Signals are handled in the main thread; elsewhere none are seen. */
class Signals {
 public:
  /** Whether a handler raised, as that of Ctrl-C does; to be called without the interpreter lock.
   */
  bool Raised() {
    const Clock::time_point now = Clock::now();
    if (raised_ || now - last_ < std::chrono::milliseconds(20)) return raised_ != nullptr;
    last_ = now;
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) raised_ = std::make_exception_ptr(nanobind::python_error());
    return raised_ != nullptr;
  }
  /** @throws nanobind::python_error when a handler raised: for Ctrl-C KeyboardInterrupt. */
  void Check() {
    if (Raised()) std::rethrow_exception(raised_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::exception_ptr raised_;
};

}  // namespace intervox::python
