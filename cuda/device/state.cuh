/** @file What the Cuda executor keeps of a device between calls. */
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>

#include "cuda/device/batch.h"
#include "cuda/device/kernels/kernels.h"

namespace intervox::cuda {

/** What to do where the device does not serve. */
inline constexpr const char* kUseTheCpu = "use the devices serial or threads";
/** Says what to do where memory is short, at the end of a message. */
inline std::string MoreMemory() {
  return std::string(". Free memory on the device, take one with more, or ") + kUseTheCpu + ".";
}

/** Throws std::runtime_error with the device, what was done, and CUDA's word for the error, unless
 that is cudaSuccess. Takes the error out of the runtime's memory. */
void CheckCuda(cudaError_t error, int device, const std::string& what);

/** Makes a device the calling thread's, and afterwards that which it had before. */
class DeviceScope {
 public:
  /** @throws std::runtime_error when CUDA refuses. */
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int device_;
  int before_ = 0;
};

/** What matters of a device: of cudaDeviceGetAttribute. */
struct DeviceTraits {
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int threads_of_multiprocessor = 0;  ///< at most resident
};

/** Asks the device for its traits. */
DeviceTraits TraitsOf(int device);

/** What the driver keeps for the stacks of a kernel: as many threads as the device can hold, in use
 or not [bytes]. */
std::size_t StackReservation(std::size_t stack_of_thread, const DeviceTraits& traits);

/** The share of the free memory that what is launched at once may take: two chunks of pairs are
 under way, and the stacks take theirs. */
inline constexpr std::size_t kShareOfFree = 4;

/** Free memory of a device [bytes]. */
std::size_t FreeMemory(int device);

/** Memory that grows and is kept. */
class Memory {
 public:
  /** Whose it is: the device's, or the host's for copies to and from it. */
  enum class Place { kDevice, kHost };

  /** Takes no memory yet. */
  Memory(int device, Place place) : device_(device), place_(place) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /** At least so many bytes; their contents are lost when it grows.
   @throws std::runtime_error with a remedy when there is too little */
  void* Reserve(std::size_t bytes);
  /** The same for so many values. */
  template <class T>
  T* Of(std::size_t count) {
    return static_cast<T*>(Reserve(count * sizeof(T)));
  }
  /** Bytes that it holds. */
  std::size_t size() const { return size_; }

 private:
  cudaError_t Free();

  int device_;
  Place place_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/** A stream and buffers of one device, for one call at a time. */
class DeviceState {
 public:
  /** Of the device of the calling thread, which must be `device`. */
  explicit DeviceState(int device);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  /** Copies to the device before what is launched later. `from` may change after the next launch.
   */
  void Upload(void* d_to, const void* from, std::size_t bytes);
  /** Waits until all is done; `what` was to be done, for errors. */
  void Wait(const std::string& what);
  /** Copies from the device, and waits. */
  void Download(void* to, const void* d_from, std::size_t bytes);
  /** Launches one thread for each entry of the batch's list, and waits: errors carry the kernel's
   name. Before a kernel's first launch, looks whether the device has room for its stacks. */
  void Launch(const Kernel& kernel, Batch batch);

  /** Of this device. */
  const DeviceTraits& traits() const { return traits_; }

  /** The most threads that one launch has: as many as have registers. A batch of any size takes no
   more memory than they do, twice. */
  std::size_t MostThreads() const;
  /** How many threads one launch may have of which there is memory for `room`.
   @param entries  what a thread takes one of, for errors
   @throws std::runtime_error with a remedy when there is too little */
  std::size_t ThreadsWithin(std::size_t room, std::size_t free, const char* entries) const;

  /** Of the device, what pairs take. */
  std::size_t BytesOfPairs() const;

 private:
  static constexpr Memory::Place kDevice = Memory::Place::kDevice, kHost = Memory::Place::kHost;

  int device_;
  DeviceTraits traits_;
  cudaStream_t stream_ = nullptr;

 public:
  Memory cells{device_, kDevice}, records{device_, kDevice}, pairs{device_, kDevice},
      workspaces{device_, kDevice}, progress{device_, kDevice}, outcomes{device_, kDevice},
      steps{device_, kDevice}, list{device_, kDevice}, memory{device_, kDevice};
  Memory levels{device_, kDevice}, surfaces{device_, kDevice}, sums{device_, kDevice};
  Memory host_cells{device_, kHost}, host_records{device_, kHost}, host_outcomes{device_, kHost},
      host_steps{device_, kHost}, host_list{device_, kHost};
  Memory host_levels{device_, kHost}, host_surfaces{device_, kHost}, host_sums{device_, kHost};
};

/** Lends a state of a device: one that another call gave back, or a new one. What is given back is
 kept and never freed, for the driver may be gone when the process ends. */
class StateLease {
 public:
  /** Of the device of the calling thread, which must be `device`. */
  explicit StateLease(int device);
  /** Keeps the state, unless the scope is left by an exception. */
  ~StateLease();
  StateLease(const StateLease&) = delete;
  StateLease& operator=(const StateLease&) = delete;

  /** The state, the caller's alone while the lease lasts. */
  DeviceState* operator->() const { return state_.get(); }
  /** The same. */
  DeviceState& operator*() const { return *state_; }

 private:
  int device_;
  int exceptions_;
  std::unique_ptr<DeviceState> state_;
};

}  // namespace intervox::cuda
