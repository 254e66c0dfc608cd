// The Cuda executor: the CPU's per-pair function, one thread for each pair, and the only launch.
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/device/engine_cuda.h"
#include "cuda/engine.h"
#include "cuda/planner.h"

namespace intervox::cuda {

namespace {

constexpr int kThreadsPerBlock = 64;
constexpr int kBlocksPerMultiprocessor = 2;
// 44.2 KiB by ptxas -v, and up to 8 for the recursion of SumInLanes, which it does not count.
// The driver keeps this much for every thread that a device can hold, used or not.
constexpr std::size_t kStackBytes = 64 * 1024;

void Check(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + call + " at " + __FILE__ + ":" +
                           std::to_string(line) + ": " + cudaGetErrorString(error));
}
#define INTERVOX_CUDA_CHECK(call) Check((call), #call, __LINE__)

// Memory on the device, freed with its owner, kept between calls.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(d_data_); }

  void* Reserve(std::size_t bytes) {
    if (bytes > size_) {
      INTERVOX_CUDA_CHECK(cudaFree(d_data_));
      d_data_ = nullptr;
      size_ = 0;
      INTERVOX_CUDA_CHECK(cudaMalloc(&d_data_, bytes));
      size_ = bytes;
    }
    return d_data_;
  }

  template <class T>
  const T* Upload(const std::vector<T>& values) {
    void* d = Reserve(std::max<std::size_t>(1, values.size() * sizeof(T)));
    INTERVOX_CUDA_CHECK(
        cudaMemcpy(d, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return static_cast<const T*>(d);
  }

 private:
  void* d_data_ = nullptr;
  std::size_t size_ = 0;
};

// All cells of a batch, flat.
struct FlatCells {
  std::vector<geometry::Surface> surfaces;
  std::vector<Vec3> corners;
  std::vector<std::int32_t> loops, begins, loop_surfaces;
  std::vector<geometry::OrientedBox> bounds;
};

// Where a cell starts in FlatCells.
struct FlatOffset {
  std::size_t surface = 0, corner = 0, loop = 0, begin = 0, loop_surface = 0, bounds = 0;
};

FlatOffset Append(const CellView& cell, FlatCells* flat) {
  const FlatOffset at{flat->surfaces.size(), flat->corners.size(),       flat->loops.size(),
                      flat->begins.size(),   flat->loop_surfaces.size(), flat->bounds.size()};
  flat->surfaces.insert(flat->surfaces.end(), cell.surfaces, cell.surfaces + cell.surface_count);
  flat->bounds.push_back(*cell.bounds);
  if (cell.corner_count > 0) {
    flat->corners.insert(flat->corners.end(), cell.corners, cell.corners + cell.corner_count);
    flat->loops.insert(flat->loops.end(), cell.loop, cell.loop + cell.loop_begin[cell.face_count]);
    flat->begins.insert(flat->begins.end(), cell.loop_begin, cell.loop_begin + cell.face_count + 1);
    flat->loop_surfaces.insert(flat->loop_surfaces.end(), cell.loop_surface,
                               cell.loop_surface + cell.face_count);
  }
  return at;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    ComputePairs(const PairView* d_pairs, int count, Workspace<>* d_workspaces,
                 PairOutcome* d_outcomes) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = thread; i < count; i += stride) {
    d_outcomes[i] = ComputePair(d_pairs[i], &d_workspaces[thread]);
  }
}

struct DeviceState {
  DeviceMemory surfaces, corners, loops, begins, loop_surfaces, bounds, pairs, outcomes, workspaces;
};

}  // namespace

void RequireCudaDevice(int device) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || device < 0 || device >= count) {
    throw std::runtime_error("device cuda:" + std::to_string(device) + " is not there: " +
                             (error != cudaSuccess ? cudaGetErrorString(error)
                                                   : std::to_string(count) + " CUDA device(s)") +
                             ". Use the devices serial or threads.");
  }
}

void ComputeOnCuda(std::span<const PairQuery> queries, std::span<InterferenceMetrics> metrics,
                   int device) {
  RequireCudaDevice(device);
  if (queries.empty()) return;
  INTERVOX_CUDA_CHECK(cudaSetDevice(device));
  INTERVOX_CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, kStackBytes));
  thread_local DeviceState d;
  FlatCells flat;
  std::unordered_map<const geometry::Cell*, FlatOffset> offsets;
  std::vector<PairView> pairs;
  std::vector<std::size_t> number;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PairQuery& query = queries[i];
    if (query.a == nullptr || query.b == nullptr) {
      metrics[i] = ComputeMetrics(query);
      continue;
    }
    for (const geometry::Cell* cell : {query.a, query.b}) {
      if (offsets.count(cell) == 0) offsets[cell] = Append(MakeView(*cell), &flat);
    }
    pairs.push_back(MakeView(query));
    number.push_back(i);
  }
  if (pairs.empty()) return;
  const auto* d_surfaces = d.surfaces.Upload(flat.surfaces);
  const auto* d_corners = d.corners.Upload(flat.corners);
  const auto* d_loops = d.loops.Upload(flat.loops);
  const auto* d_begins = d.begins.Upload(flat.begins);
  const auto* d_loop_surfaces = d.loop_surfaces.Upload(flat.loop_surfaces);
  const auto* d_bounds = d.bounds.Upload(flat.bounds);
  const auto place = [&](const geometry::Cell* cell, CellView* view) {
    const FlatOffset& at = offsets[cell];
    view->surfaces = d_surfaces + at.surface;
    view->bounds = d_bounds + at.bounds;
    if (view->corner_count == 0) return;
    view->corners = d_corners + at.corner;
    view->loop = d_loops + at.loop;
    view->loop_begin = d_begins + at.begin;
    view->loop_surface = d_loop_surfaces + at.loop_surface;
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    place(queries[number[k]].a, &pairs[k].a);
    place(queries[number[k]].b, &pairs[k].b);
  }
  const auto* d_pairs = d.pairs.Upload(pairs);
  cudaDeviceProp properties;
  INTERVOX_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  const int count = static_cast<int>(pairs.size());
  const int blocks = std::min((count + kThreadsPerBlock - 1) / kThreadsPerBlock,
                              kBlocksPerMultiprocessor * properties.multiProcessorCount);
  const std::size_t threads = static_cast<std::size_t>(blocks) * kThreadsPerBlock;
  auto* d_workspaces =
      static_cast<Workspace<>*>(d.workspaces.Reserve(threads * sizeof(Workspace<>)));
  auto* d_outcomes =
      static_cast<PairOutcome*>(d.outcomes.Reserve(pairs.size() * sizeof(PairOutcome)));
  ComputePairs<<<blocks, kThreadsPerBlock>>>(d_pairs, count, d_workspaces, d_outcomes);
  INTERVOX_CUDA_CHECK(cudaGetLastError());
  std::vector<PairOutcome> outcomes(pairs.size());
  INTERVOX_CUDA_CHECK(cudaMemcpy(outcomes.data(), d_outcomes, pairs.size() * sizeof(PairOutcome),
                                 cudaMemcpyDeviceToHost));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::size_t i = number[k];
    // What outgrows the device's workspace runs again on the CPU, which has more.
    metrics[i] = outcomes[k].full ? ComputeMetrics(queries[i]) : outcomes[k].metrics;
  }
}

}  // namespace intervox::cuda
