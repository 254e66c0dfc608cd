// The executor's doors to the CUDA runtime: errors, memory, launches.
#include "cuda/device/state.cuh"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace intervox::cuda {

namespace {

std::string Mebibytes(std::size_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

// What all states of the process share.
struct Shared {
  std::mutex mutex;
  std::map<int, std::vector<std::unique_ptr<DeviceState>>> idle;
  std::map<int, std::size_t> stack;  // the deepest that a device was asked for, of a thread
};

Shared& TheShared() {
  static Shared* const shared = new Shared;  // outlives the driver: freed by nobody
  return *shared;
}

// The driver deepens the stack by itself to what ptxas found, and keeps it. Whether it can is
// looked up before, for then there is a remedy.
void RequireRoomForStack(const Kernel& kernel, int device, const DeviceTraits& traits) {
  cudaFuncAttributes attributes{};
  CheckCuda(cudaFuncGetAttributes(&attributes, kernel.function), device,
            std::string("looking up the kernel ") + kernel.name);
  Shared& shared = TheShared();
  const std::lock_guard lock(shared.mutex);
  std::size_t& deepest = shared.stack[device];
  if (attributes.localSizeBytes <= deepest) return;
  const std::size_t free = FreeMemory(device);
  const std::size_t more = StackReservation(attributes.localSizeBytes - deepest, traits);
  if (more > free) {
    throw std::runtime_error("device cuda:" + std::to_string(device) + ": the kernel " +
                             kernel.name + " needs " + Mebibytes(more) + " for stacks, and " +
                             Mebibytes(free) + " are free" + MoreMemory());
  }
  deepest = attributes.localSizeBytes;
}

}  // namespace

void CheckCuda(cudaError_t error, int device, const std::string& what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // it is told here, and not to who asks next
  throw std::runtime_error("device cuda:" + std::to_string(device) + ": " + what + ": " +
                           cudaGetErrorString(error) +
                           (error == cudaErrorMemoryAllocation ? MoreMemory() : "."));
}

DeviceScope::DeviceScope(int device) : device_(device) {
  CheckCuda(cudaGetDevice(&before_), device, "asking for the thread's device");
  if (before_ != device) CheckCuda(cudaSetDevice(device), device, "choosing the device");
}

DeviceScope::~DeviceScope() {
  if (before_ != device_) cudaSetDevice(before_);
}

DeviceTraits TraitsOf(int device) {
  DeviceTraits traits;
  const auto ask = [&](cudaDeviceAttr attribute, int* value) {
    CheckCuda(cudaDeviceGetAttribute(value, attribute, device), device, "asking for its traits");
  };
  ask(cudaDevAttrComputeCapabilityMajor, &traits.major);
  ask(cudaDevAttrComputeCapabilityMinor, &traits.minor);
  ask(cudaDevAttrMultiProcessorCount, &traits.multiprocessors);
  ask(cudaDevAttrMaxThreadsPerMultiProcessor, &traits.threads_of_multiprocessor);
  return traits;
}

std::size_t StackReservation(std::size_t stack_of_thread, const DeviceTraits& traits) {
  return stack_of_thread * static_cast<std::size_t>(traits.threads_of_multiprocessor) *
         static_cast<std::size_t>(traits.multiprocessors);
}

std::size_t FreeMemory(int device) {
  std::size_t free = 0, total = 0;
  CheckCuda(cudaMemGetInfo(&free, &total), device, "asking for the free memory");
  return free;
}

cudaError_t Memory::Free() {
  return place_ == Place::kDevice ? cudaFree(data_) : cudaFreeHost(data_);
}

Memory::~Memory() { Free(); }

void* Memory::Reserve(std::size_t bytes) {
  if (bytes <= size_) return data_;
  CheckCuda(Free(), device_, "freeing memory");
  data_ = nullptr;
  size_ = 0;
  const bool device = place_ == Place::kDevice;
  const cudaError_t error = device ? cudaMalloc(&data_, bytes) : cudaMallocHost(&data_, bytes);
  if (error != cudaSuccess) data_ = nullptr;
  CheckCuda(error, device_,
            "allocating " + Mebibytes(bytes) + (device ? "" : " of the host's memory"));
  size_ = bytes;
  return data_;
}

DeviceState::DeviceState(int device) : device_(device), traits_(TraitsOf(device)) {
  CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), device, "making a stream");
}

DeviceState::~DeviceState() { cudaStreamDestroy(stream_); }

std::size_t DeviceState::MostThreads() const {
  return static_cast<std::size_t>(kThreadsPerBlock * kBlocksPerMultiprocessor *
                                  traits_.multiprocessors);
}

std::size_t DeviceState::ThreadsWithin(std::size_t room, std::size_t free,
                                       const char* entries) const {
  if (room < kThreadsPerBlock) {
    throw std::runtime_error("device cuda:" + std::to_string(device_) + ": " +
                             std::to_string(free >> 20) +
                             " MiB of memory are free, too little for " +
                             std::to_string(kThreadsPerBlock) + " " + entries + MoreMemory());
  }
  return std::min(room, MostThreads());
}

std::size_t DeviceState::BytesOfPairs() const {
  std::size_t bytes = 0;
  for (const Memory* m :
       {&records, &pairs, &workspaces, &progress, &outcomes, &steps, &list, &memory}) {
    bytes += m->size();
  }
  return bytes;
}

void DeviceState::Upload(void* d_to, const void* from, std::size_t bytes) {
  CheckCuda(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, stream_), device_,
            "copying to the device");
}

void DeviceState::Wait(const std::string& what) {
  CheckCuda(cudaStreamSynchronize(stream_), device_, what);
}

void DeviceState::Download(void* to, const void* d_from, std::size_t bytes) {
  CheckCuda(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, stream_), device_,
            "copying from the device");
  Wait("copying from the device");
}

void DeviceState::Launch(const Kernel& kernel, Batch batch) {
  RequireRoomForStack(kernel, device_, traits_);
  const auto blocks =
      static_cast<unsigned>((batch.count + kThreadsPerBlock - 1) / kThreadsPerBlock);
  void* arguments[] = {&batch};
  const std::string what = std::string("the kernel ") + kernel.name + " over " +
                           std::to_string(batch.count) + " " + kernel.entries;
  // Its own answer, not cudaGetLastError's: an error that the caller left behind is not ours.
  CheckCuda(cudaLaunchKernel(kernel.function, dim3(blocks), dim3(kThreadsPerBlock), arguments, 0,
                             stream_),
            device_, "launching " + what);
  Wait("running " + what);
}

StateLease::StateLease(int device) : device_(device), exceptions_(std::uncaught_exceptions()) {
  Shared& shared = TheShared();
  {
    const std::lock_guard lock(shared.mutex);
    auto& idle = shared.idle[device];
    if (!idle.empty()) {
      state_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (state_ == nullptr) state_ = std::make_unique<DeviceState>(device);
}

StateLease::~StateLease() {
  if (std::uncaught_exceptions() > exceptions_) return;
  Shared& shared = TheShared();
  const std::lock_guard lock(shared.mutex);
  shared.idle[device_].push_back(std::move(state_));
}

}  // namespace intervox::cuda
