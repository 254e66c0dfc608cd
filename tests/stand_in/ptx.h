/** @file Runs what nvcc makes of a kernel, its PTX, where there is no device: one thread after the
 other, instruction by instruction, with the arithmetic that the PTX manual states. Stops at an
 unaligned access, at one outside the memory that its state space names, at a stack deeper than
 asked for, and refuses instructions that it does not know. What it cannot show is what ptxas makes
 of the PTX, and what threads that run at once do to each other. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/stand_in/on_device.h"

namespace stand_in {

/** The PTX of one translation unit with one kernel. Errors are std::runtime_error with the line. */
class PtxModule {
 public:
  /** Throws for what it does not understand. */
  explicit PtxModule(const std::string& text);
  ~PtxModule();

  /** The deepest stack of the kernel's calls. Throws where functions call themselves: no compiler
   knows how deep. */
  std::size_t StackBytes() const;

  /** Runs the kernel in `blocks` × `threads` threads with a stack of `stack_bytes` each;
   `arguments` are pointers to the values of its parameters. Throws where a device would stop. */
  void Run(int blocks, int threads, void** arguments, std::size_t stack_bytes,
           const OnDevice& on_device);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stand_in
