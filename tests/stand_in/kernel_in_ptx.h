/** @file A kernel as nvcc makes it: its PTX in the file INTERVOX_PTX (ptx.h). */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/stand_in/memory.h"
#include "tests/stand_in/ptx.h"

// The kernel's source is compiled for the host as well, and never called.
inline struct { unsigned x = 0; } blockIdx, blockDim, threadIdx, gridDim;

namespace stand_in {

/** Whether the PTX is there and as new as the sources that it is made of. */
inline bool DeviceIsThere() {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto made = fs::last_write_time(INTERVOX_PTX, error);
  if (error) return false;
  for (const char* folder : {INTERVOX_SOURCE_DIR "/cuda", INTERVOX_SOURCE_DIR "/geometry"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path extension = entry.path().extension();
      const bool source = extension == ".h" || extension == ".cu";
      if (source && fs::last_write_time(entry.path()) > made) return false;
    }
  }
  return true;
}
inline constexpr const char* kNoDevice =
    "no PTX of the sources as they are: scripts/nvcc_check.sh makes it where there is an nvcc";

inline PtxModule& Module() {
  static std::ifstream file(INTERVOX_PTX);
  static PtxModule module(std::string(std::istreambuf_iterator<char>(file), {}));
  return module;
}

template <class Kernel, class... Arguments>
void RunKernel(Kernel, int blocks, int threads, std::size_t stack_bytes, Arguments... arguments) {
  const auto word = [](const auto& argument) {
    std::uint64_t value = 0;
    std::memcpy(&value, &argument, sizeof(argument));
    return value;
  };
  Module().Run(blocks, threads, {word(arguments)...}, stack_bytes,
               [](const char* at, std::size_t bytes) { return OnDevice(at, bytes); });
}

}  // namespace stand_in
