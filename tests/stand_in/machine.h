/** @file The devices of the stand-in for the CUDA runtime: tests set them up, break them and look
 at what was done to them. */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/stand_in/cuda_runtime_api.h"

namespace stand_in {

/** A device, and what became of it. */
struct DeviceModel {
  int major = 9, minor = 0;
  bool has_code = true;  ///< for this capability
  int multiprocessors = 2;
  int threads_of_multiprocessor = 2048;
  std::size_t memory = std::size_t{16} << 30;
  std::size_t stack = 1024;          ///< of a thread: the deepest so far, which the driver keeps
  cudaError_t broken = cudaSuccess;  ///< every further call says so
};

/** A launch that was asked for. */
struct LaunchRecord {
  int device = 0;
  std::string kernel;
  int pairs = 0;
};

/** The devices, the faults that a test plants, and what was launched. */
struct Machine {
  std::vector<DeviceModel> devices = {{}, {}};
  std::size_t stack_of_kernels = 4096;  ///< of a thread, where no PTX says it
  std::string kernel_to_refuse;         ///< by a part of its name: its launch is refused
  std::string kernel_to_break;          ///< runs into an illegal address
  std::vector<LaunchRecord> launches;
};

/** The one machine. Not guarded: set it up before threads begin. */
Machine& TheMachine();

/** Bytes that are allocated on a device. */
std::size_t BytesInUse(int device);

}  // namespace stand_in
