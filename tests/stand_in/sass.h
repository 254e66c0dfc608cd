/** @file Runs what ptxas makes of a kernel, its machine code for sm_90, where there is no device:
 one thread after the other, each alone in its warp. NVIDIA documents none of it, so that it is
 known by agreement with the CPU only; unknown instructions are refused. Starting values of
 divisions and roots are the rounded ones, not the device's. What it cannot show is how threads of a
 warp part and meet, and what threads that run at once do to each other. */
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tests/stand_in/on_device.h"

namespace stand_in {

/** The machine code of one kernel. Errors are std::runtime_error with the address. */
class SassModule {
 public:
  /** Takes a listing of scripts/sass_listing.py. Throws for what it does not understand. */
  explicit SassModule(const std::string& listing);
  ~SassModule();

  /** The frames of all functions of the kernel together: as deep as its stack can be, since none
   calls itself. What ptxas states leaves out functions that have frames of their own. */
  std::size_t StackBytes() const;

  /** Runs the kernel in `blocks` × `threads` threads with a stack of `stack_bytes` each;
   `arguments` points to one pointer, to the value of its only parameter. Throws where a device
   would stop. */
  void Run(int blocks, int threads, void** arguments, std::size_t stack_bytes,
           const OnDevice& on_device);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stand_in
