#ifndef INTERVOX_HAS_CUDA

#include <stdexcept>
#include <string>

#include "cuda/device/engine_cuda.h"

namespace intervox::cuda {

void RequireCudaDevice(int device) {
  throw std::runtime_error("device cuda:" + std::to_string(device) +
                           ": this build has no CUDA; configure with -DINTERVOX_CUDA=ON, or use "
                           "the devices serial or threads");
}

void ComputeOnCuda(std::span<const PairQuery>, std::span<InterferenceMetrics>, int device, int) {
  RequireCudaDevice(device);
}

}  // namespace intervox::cuda

#endif
