/** @file A kernel as nvcc makes it, in a file of the folder INTERVOX_KERNELS: its machine code
 where INTERVOX_SASS is defined (sass.h), else its PTX (ptx.h). */
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/stand_in/on_device.h"
#include "tests/stand_in/ptx.h"
#include "tests/stand_in/sass.h"

namespace stand_in {

#ifdef INTERVOX_SASS
using KernelModule = SassModule;
inline constexpr const char* kExtension = ".sass";
inline constexpr const char* kNoDevice =
    "no machine code of the sources as they are: scripts/nvcc_check.sh makes it where there are "
    "nvcc "
    "and cuobjdump";
inline std::string HeadOf(const std::string& kernel) { return "kernel " + kernel + "\n"; }
#else
using KernelModule = PtxModule;
inline constexpr const char* kExtension = ".ptx";
inline constexpr const char* kNoDevice =
    "no PTX of the sources as they are: scripts/nvcc_check.sh makes it where there is an nvcc";
inline std::string HeadOf(const std::string& kernel) { return ".entry " + kernel + "("; }
#endif

/** Whether every kernel's file is there and as new as the sources that it is made of. */
inline bool DeviceIsThere() {
  namespace fs = std::filesystem;
  fs::file_time_type oldest = fs::file_time_type::max();
  for (const auto& entry : fs::directory_iterator(INTERVOX_SOURCE_DIR "/cuda/device/kernels")) {
    if (entry.path().extension() != ".cu") continue;
    std::error_code error;
    const fs::path made = fs::path(INTERVOX_KERNELS) / (entry.path().stem().string() + kExtension);
    oldest = std::min(oldest, fs::last_write_time(made, error));
    if (error) return false;
  }
  for (const char* folder : {INTERVOX_SOURCE_DIR "/cuda", INTERVOX_SOURCE_DIR "/geometry"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path extension = entry.path().extension();
      const bool source = extension == ".h" || extension == ".cu" || extension == ".cuh";
      if (source && fs::last_write_time(entry.path()) > oldest) return false;
    }
  }
  return true;
}

/** The kernel of a mangled name. */
inline KernelModule& ModuleOf(const std::string& kernel) {
  static std::map<std::string, std::unique_ptr<KernelModule>> modules;
  auto& module = modules[kernel];
  if (module != nullptr) return *module;
  for (const auto& entry : std::filesystem::directory_iterator(INTERVOX_KERNELS)) {
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.find(HeadOf(kernel)) == std::string::npos) continue;
    module = std::make_unique<KernelModule>(text);
    return *module;
  }
  throw std::runtime_error("nothing of the kernel " + kernel);
}

inline std::size_t StackOfKernel(const std::string& kernel, std::size_t) {
  return ModuleOf(kernel).StackBytes();
}

inline void RunKernel(const void*, const std::string& kernel, unsigned blocks, unsigned threads,
                      std::size_t stack_bytes, void** arguments, const OnDevice& on_device) {
  ModuleOf(kernel).Run(static_cast<int>(blocks), static_cast<int>(threads), arguments, stack_bytes,
                       on_device);
}

}  // namespace stand_in
