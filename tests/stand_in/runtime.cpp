// The stand-in for the CUDA runtime.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda/device/batch.h"
#include "cuda/rules/grid/rule.h"
#include "tests/stand_in/cuda_runtime.h"
#include "tests/stand_in/machine.h"
#ifdef INTERVOX_KERNELS
#include "tests/stand_in/kernel_from_nvcc.h"
#else
#include "tests/stand_in/kernel_on_host.h"
#endif

namespace stand_in {

namespace {

// Memory that belongs to a device.
struct Allocation {
  std::size_t bytes = 0;
  int device = 0;
};

std::recursive_mutex mutex;
std::map<const char*, Allocation> allocations;
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "stand-in for CUDA: %s\n", what);
  std::abort();
}

// Whether `count` values at p lie in one allocation of the current device.
template <class T>
bool IsOnDevice(const T* p, std::size_t count) {
  const char* at = reinterpret_cast<const char*>(p);
  const std::lock_guard lock(mutex);
  auto next = allocations.upper_bound(at);
  if (next == allocations.begin()) return false;
  --next;
  return next->second.device == current &&
         at + count * sizeof(T) <= next->first + next->second.bytes;
}

void CheckView(const intervox::cuda::CellView& cell) {
  const auto check = [](const auto* p, int count) {
    Require(IsOnDevice(p, static_cast<std::size_t>(count)), "a view points to other memory");
  };
  check(cell.surfaces, cell.surface_count);
  check(cell.bounds, 1);
  if (cell.corner_count == 0) return;
  check(cell.corners, cell.corner_count);
  check(cell.half_edges, cell.half_edge_count);
  check(cell.faces, cell.face_count);
}

void CheckSide(const intervox::cuda::internal::grid::GridSide& side) {
  const intervox::geometry::GridView& view = side.view;
  const auto places = static_cast<std::size_t>(view.size[0]) *
                      static_cast<std::size_t>(view.size[1]) *
                      static_cast<std::size_t>(view.size[2]);
  Require(IsOnDevice(view.places, places) && IsOnDevice(view.extents, places),
          "a grid is in other memory, or another one's");
  int blocks = 0;
  for (std::size_t i = 0; i < places; ++i) blocks = std::max(blocks, view.places[i] + 1);
  const std::size_t nodes = static_cast<std::size_t>(blocks) * intervox::geometry::kBlockNodes;
  const std::size_t eighths = static_cast<std::size_t>(blocks) * intervox::geometry::kEighths;
  Require(blocks == 0 || (IsOnDevice(view.nodes, nodes) && IsOnDevice(view.bends, nodes) &&
                          IsOnDevice(view.eighths, eighths)),
          "a grid's nodes are in other memory, or another one's");
}

void CheckGrids(const intervox::cuda::Batch& batch) {
  const auto n = static_cast<std::size_t>(batch.count);
  const std::size_t room = n * intervox::cuda::internal::grid::TileBytes(batch.grid_sides);
  Require(IsOnDevice(batch.d_sums, n) && IsOnDevice(static_cast<char*>(batch.d_memory), room),
          "sums or tiles are in other memory, or too short");
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t i = batch.d_list[k] / intervox::cuda::kLanes;
    Require(IsOnDevice(batch.d_levels + i, 1), "a level is in other memory");
    const auto& model = batch.d_levels[i].model;
    Require(model.grids + model.surfaces <= batch.grid_sides, "a tile has too few sides");
    for (int side = 0; side < model.grids; ++side) CheckSide(model.grid[side]);
    Require(
        model.surfaces == 0 || IsOnDevice(model.surface, static_cast<std::size_t>(model.surfaces)),
        "surfaces are in other memory");
  }
}

void CheckBatch(const intervox::cuda::Batch& batch) {
  const auto n = static_cast<std::size_t>(batch.count);
  Require(IsOnDevice(batch.d_list, n), "the list is in other memory");
  if (batch.d_levels != nullptr) {
    CheckGrids(batch);
    return;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t i = batch.d_list[k];
    Require(IsOnDevice(batch.d_records + i, 1) && IsOnDevice(batch.d_pairs + i, 1) &&
                IsOnDevice(batch.d_workspaces + i, 1) && IsOnDevice(batch.d_progress + i, 1) &&
                IsOnDevice(batch.d_outcomes + i, 1) && IsOnDevice(batch.d_steps + i, 1),
            "an array is in other memory, or too short");
    for (const std::int32_t cell : {batch.d_records[i].a, batch.d_records[i].b}) {
      Require(IsOnDevice(batch.d_cells + cell, 1), "a cell's view is in other memory");
      CheckView(batch.d_cells[cell]);
    }
  }
}

cudaError_t Answer(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

DeviceModel& Current() { return TheMachine().devices[static_cast<std::size_t>(current)]; }

std::size_t StackOf(const DeviceModel& device, std::size_t of_thread) {
  return of_thread * static_cast<std::size_t>(device.threads_of_multiprocessor) *
         static_cast<std::size_t>(device.multiprocessors);
}

std::size_t Free() {
  const std::size_t used = BytesInUse(current) + StackOf(Current(), Current().stack);
  return used < Current().memory ? Current().memory - used : 0;
}

const char* NameOf(const void* function) {
  Dl_info info;
  Require(dladdr(function, &info) != 0 && info.dli_sname != nullptr, "a kernel without a name");
  return info.dli_sname;
}

bool Names(const std::string& part, const char* name) {
  return !part.empty() && std::string(name).find(part) != std::string::npos;
}

}  // namespace

Machine& TheMachine() {
  static Machine machine;
  return machine;
}

std::size_t BytesInUse(int device) {
  const std::lock_guard lock(mutex);
  std::size_t sum = 0;
  for (const auto& [at, allocation] : allocations) {
    if (allocation.device == device) sum += allocation.bytes;
  }
  return sum;
}

}  // namespace stand_in

using namespace stand_in;

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNoDevice:
      return kNoDevice;
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    default:
      return "another error";
  }
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last;
  last = Current().broken;
  return error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = DeviceIsThere() ? static_cast<int>(TheMachine().devices.size()) : 0;
  return Answer(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= static_cast<int>(TheMachine().devices.size())) {
    return Answer(cudaErrorInvalidDevice);
  }
  current = device;
  return Answer(Current().broken);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const DeviceModel& model = TheMachine().devices[static_cast<std::size_t>(device)];
  *value = attribute == cudaDevAttrMultiProcessorCount           ? model.multiprocessors
           : attribute == cudaDevAttrMaxThreadsPerMultiProcessor ? model.threads_of_multiprocessor
           : attribute == cudaDevAttrComputeCapabilityMajor      ? model.major
                                                                 : model.minor;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = Free();
  *total = Current().memory;
  return Answer(Current().broken);
}

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  if (Current().broken != cudaSuccess) return Answer(Current().broken);
  if (bytes > Free()) return Answer(cudaErrorMemoryAllocation);
  *p = std::malloc(bytes);
  std::memset(*p, 0xCD, bytes);
  const std::lock_guard lock(mutex);
  allocations[static_cast<const char*>(*p)] = {bytes, current};
  return cudaSuccess;
}

cudaError_t cudaFree(void* p) {
  const std::lock_guard lock(mutex);
  if (p != nullptr) {
    const auto found = allocations.find(static_cast<char*>(p));
    Require(found != allocations.end(), "freed what was not allocated");
    Require(found->second.device == current, "freed with another device chosen");
    allocations.erase(found);
    std::free(p);
  }
  return Answer(Current().broken);
}

cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
  if (Current().broken != cudaSuccess) return Answer(Current().broken);
  *p = std::malloc(bytes);
  std::memset(*p, 0xCD, bytes);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* p) {
  std::free(p);
  return Answer(Current().broken);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  Require(flags == cudaStreamNonBlocking, "a stream that waits for others");
  *stream = new int(current);
  return Answer(Current().broken);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return Answer(Current().broken);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Require(*stream == current, "a stream of another device");
  return Answer(Current().broken);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  Require(*stream == current, "a stream of another device");
  const void* device = kind == cudaMemcpyHostToDevice ? to : from;
  Require(IsOnDevice(static_cast<const char*>(device), bytes),
          "a copy runs past an allocation, the wrong way or to another device");
  if (Current().broken == cudaSuccess && bytes > 0) std::memcpy(to, from, bytes);
  return Answer(Current().broken);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (!Current().has_code) return Answer(cudaErrorNoKernelImageForDevice);
  const std::lock_guard lock(mutex);
  attributes->localSizeBytes = StackOfKernel(NameOf(function), TheMachine().stack_of_kernels);
  return Answer(Current().broken);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t, cudaStream_t stream) {
  Require(*stream == current, "a stream of another device");
  const char* name = NameOf(function);
  const auto& batch = *static_cast<const intervox::cuda::Batch*>(arguments[0]);
  const std::lock_guard lock(mutex);
  Machine& machine = TheMachine();
  machine.launches.push_back({current, name, batch.count});
  if (Names(machine.kernel_to_refuse, name)) return Answer(cudaErrorLaunchFailure);
  if (Names(machine.kernel_to_break, name)) {
    Current().broken = cudaErrorIllegalAddress;
    return cudaSuccess;
  }
  // The driver deepens the stack as needed, where there is room.
  const std::size_t stack = StackOfKernel(name, machine.stack_of_kernels);
  if (stack > Current().stack) {
    if (StackOf(Current(), stack - Current().stack) > Free()) {
      return Answer(cudaErrorMemoryAllocation);
    }
    Current().stack = stack;
  }
  CheckBatch(batch);
  RunKernel(function, name, blocks.x, threads.x, Current().stack, arguments,
            [](const char* at, std::size_t bytes) { return IsOnDevice(at, bytes); });
  return Answer(Current().broken);
}
