// The Cuda executor: chunks of pairs through one kernel for each step, each over its own pairs.
#include "cuda/device/engine_cuda.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/device/executor.h"
#include "cuda/device/kernels/kernels.h"
#include "cuda/device/state.cuh"
#include "cuda/engine.h"
#include "cuda/rules/grid/pair.h"

namespace intervox::cuda {

namespace {

// One pair a thread and at most this many a multiprocessor at once: a launch takes as long as its
// slowest pair, and a batch of any size no more memory than this.
constexpr int kPairsOfMultiprocessor = 128;

// The share of the free memory that a chunk of pairs may take; the rest is the stacks'.
constexpr std::size_t kShareOfFree = 2;

// A kernel and the step whose pairs it takes.
struct StepKernel {
  Step step;
  Kernel kernel;
};

Kernel KernelOf(LeafRule rule) {
  switch (rule) {
    case LeafRule::kPolytope:
      return PolytopeKernel();
    case LeafRule::kSlice:
      return SliceKernel();
    case LeafRule::kPolar:
      return PolarKernel();
    case LeafRule::kFlux:
      return FluxKernel();
    case LeafRule::kColumn:
      return ColumnKernel();
    case LeafRule::kClip:
      return ClipKernel();
    case LeafRule::kCenter:
      return CenterKernel();
    default:
      throw std::logic_error("no kernel for rule " + std::to_string(static_cast<int>(rule)));
  }
}

// After Begin, in an order in which a pair only goes forward.
using StepKernels = std::array<StepKernel, 3 + kRulesInOrder>;
const StepKernels& KernelsInOrder() {
  static const StepKernels kKernels = [] {
    StepKernels kernels;
    kernels[0] = {kPlanesStep, PlanesKernel()};
    kernels[1] = {kPrepareStep, PrepareKernel()};
    for (int turn = 0; turn < kRulesInOrder; ++turn) {
      const LeafRule rule = RuleInOrder(turn);
      kernels[static_cast<std::size_t>(2 + turn)] = {StepOf(rule), KernelOf(rule)};
    }
    kernels.back() = {StepOf(LeafRule::kCenter), CenterKernel()};
    return kernels;
  }();
  return kKernels;
}

// All cells of a batch, flat.
struct FlatCells {
  std::vector<geometry::Surface> surfaces;
  std::vector<Vec3> corners;
  std::vector<geometry::HalfEdge> half_edges;
  std::vector<geometry::CornerFace> faces;
  std::vector<geometry::OrientedBox> bounds;
};

// Where a cell starts in FlatCells.
struct FlatOffset {
  std::size_t surface = 0, corner = 0, half_edge = 0, face = 0, bounds = 0;
};

FlatOffset Append(const CellView& cell, FlatCells* flat) {
  const FlatOffset at{flat->surfaces.size(), flat->corners.size(), flat->half_edges.size(),
                      flat->faces.size(), flat->bounds.size()};
  flat->surfaces.insert(flat->surfaces.end(), cell.surfaces, cell.surfaces + cell.surface_count);
  flat->bounds.push_back(*cell.bounds);
  if (cell.corner_count > 0) {
    flat->corners.insert(flat->corners.end(), cell.corners, cell.corners + cell.corner_count);
    flat->half_edges.insert(flat->half_edges.end(), cell.half_edges,
                            cell.half_edges + cell.half_edge_count);
    flat->faces.insert(flat->faces.end(), cell.faces, cell.faces + cell.face_count);
  }
  return at;
}

// The cells of a batch on the device, one array after the other in one allocation.
class DeviceCells {
 public:
  void Add(const geometry::Cell* cell) {
    if (offsets_.count(cell) == 0) offsets_[cell] = Append(MakeView(*cell), &flat_);
  }

  void Upload(DeviceState& state) {
    std::size_t bytes = 0;
    const auto place = [&](const auto& values) {
      const std::size_t begin = bytes;
      constexpr std::size_t kAlignment = 256;
      bytes += (values.size() * sizeof(values[0]) + kAlignment - 1) / kAlignment * kAlignment;
      return begin;
    };
    const std::size_t surfaces = place(flat_.surfaces), corners = place(flat_.corners),
                      half_edges = place(flat_.half_edges), faces = place(flat_.faces),
                      bounds = place(flat_.bounds);
    auto* d_cells = static_cast<char*>(state.cells.Reserve(bytes));
    const auto upload = [&](const auto& values, std::size_t begin, auto** d_values) {
      if (!values.empty()) {
        state.Upload(d_cells + begin, values.data(), values.size() * sizeof(values[0]));
      }
      *d_values = reinterpret_cast<std::remove_reference_t<decltype(*d_values)>>(d_cells + begin);
    };
    upload(flat_.surfaces, surfaces, &d_surfaces_);
    upload(flat_.corners, corners, &d_corners_);
    upload(flat_.half_edges, half_edges, &d_half_edges_);
    upload(flat_.faces, faces, &d_faces_);
    upload(flat_.bounds, bounds, &d_bounds_);
  }

  // Points the view of a cell that was added to the device's copy.
  void Place(const geometry::Cell* cell, CellView* view) const {
    const FlatOffset& at = offsets_.at(cell);
    view->surfaces = d_surfaces_ + at.surface;
    view->bounds = d_bounds_ + at.bounds;
    if (view->corner_count == 0) return;
    view->corners = d_corners_ + at.corner;
    view->half_edges = d_half_edges_ + at.half_edge;
    view->faces = d_faces_ + at.face;
  }

 private:
  FlatCells flat_;
  std::unordered_map<const geometry::Cell*, FlatOffset> offsets_;
  const geometry::Surface* d_surfaces_ = nullptr;
  const Vec3* d_corners_ = nullptr;
  const geometry::HalfEdge* d_half_edges_ = nullptr;
  const geometry::CornerFace* d_faces_ = nullptr;
  const geometry::OrientedBox* d_bounds_ = nullptr;
};

// How many pairs go through the device at once.
std::size_t ChunkOf(const DeviceState& state, int device) {
  std::size_t free = 0, total = 0;
  CheckCuda(cudaMemGetInfo(&free, &total), device, "asking for the free memory");
  const std::size_t held = state.pairs.size() + state.workspaces.size() + state.progress.size() +
                           state.outcomes.size() + state.steps.size() + state.list.size() +
                           state.memory.size();
  std::size_t most = 0;
  for (const StepKernel& step : KernelsInOrder()) {
    most = std::max(most, step.kernel.bytes_of_thread);
  }
  const std::size_t room = (free / kShareOfFree + held) / (kBytesOfPair + most);
  if (room < kThreadsPerBlock) {
    throw std::runtime_error("device cuda:" + std::to_string(device) + ": " +
                             std::to_string(free >> 20) +
                             " MiB of memory are free, too little for " +
                             std::to_string(kThreadsPerBlock) + " pairs" + MoreMemory());
  }
  return std::min<std::size_t>(
      room, static_cast<std::size_t>(kPairsOfMultiprocessor * state.traits().multiprocessors));
}

// One chunk: all pairs through Begin, then each kernel over the pairs that wait for it.
void ComputeChunk(const std::vector<PairView>& pairs, DeviceState& state,
                  std::vector<PairOutcome>* outcomes) {
  const std::size_t n = pairs.size();
  Batch batch;
  const auto room = [&](DeviceMemory& memory, auto** d) {
    using T = std::remove_reference_t<decltype(**d)>;
    *d = static_cast<T*>(memory.Reserve(n * sizeof(T)));
  };
  PairView* d_pairs = nullptr;
  std::int32_t* d_list = nullptr;
  room(state.pairs, &d_pairs);
  room(state.workspaces, &batch.d_workspaces);
  room(state.progress, &batch.d_progress);
  room(state.outcomes, &batch.d_outcomes);
  room(state.steps, &batch.d_steps);
  room(state.list, &d_list);
  batch.d_pairs = d_pairs;
  batch.d_list = d_list;
  state.Upload(d_pairs, pairs.data(), n * sizeof(PairView));
  std::vector<std::int32_t> list(n);
  for (std::size_t i = 0; i < n; ++i) list[i] = static_cast<std::int32_t>(i);
  std::vector<Step> steps(n);
  const auto launch = [&](const Kernel& kernel) {
    batch.count = static_cast<std::int32_t>(list.size());
    state.Upload(d_list, list.data(), list.size() * sizeof(list[0]));
    state.Launch(kernel, batch);
    state.Download(steps.data(), batch.d_steps, n * sizeof(Step));
  };
  launch(BeginKernel());
  for (const StepKernel& next : KernelsInOrder()) {
    list.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (steps[i] == next.step) list.push_back(static_cast<std::int32_t>(i));
    }
    if (list.empty()) continue;
    batch.d_memory = state.memory.Reserve(list.size() * next.kernel.bytes_of_thread);
    launch(next.kernel);
  }
  if (!std::all_of(steps.begin(), steps.end(), [](Step step) { return step == kDone; })) {
    throw std::logic_error("ComputeOnCuda: a pair was left without an outcome");
  }
  outcomes->resize(n);
  state.Download(outcomes->data(), batch.d_outcomes, n * sizeof(PairOutcome));
}

}  // namespace

void RequireCudaDevice(int device) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || device < 0 || device >= count) {
    cudaGetLastError();  // it is told here, and not to who asks next
    throw std::runtime_error("device cuda:" + std::to_string(device) + " is not there: " +
                             (error != cudaSuccess ? cudaGetErrorString(error)
                                                   : std::to_string(count) + " CUDA device(s)") +
                             ". Use the devices serial or threads.");
  }
  const DeviceScope scope(device);
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, BeginKernel().function);
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    cudaGetLastError();
    const DeviceTraits traits = TraitsOf(device);
    const std::string number = std::to_string(traits.major) + std::to_string(traits.minor);
    throw std::runtime_error("device cuda:" + std::to_string(device) +
                             " is of compute capability " + std::to_string(traits.major) + "." +
                             std::to_string(traits.minor) +
                             ", for which this build has no code. Configure with " +
                             "-DCMAKE_CUDA_ARCHITECTURES=" + number + ", or " + kUseTheCpu + ".");
  }
  CheckCuda(code, device, "looking up its kernels");
}

void ComputeOnCuda(std::span<const PairQuery> queries, std::span<InterferenceMetrics> metrics,
                   int device, int threads) {
  // What the device does not take: grids, hulls of many faces, what is no query.
  std::vector<std::size_t> on_cpu, on_device;
  DeviceCells cells;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PairQuery& query = queries[i];
    if (query.a == nullptr || query.b == nullptr || HasGrid(query)) {
      on_cpu.push_back(i);
      continue;
    }
    on_device.push_back(i);
    cells.Add(query.a);
    cells.Add(query.b);
  }
  if (!on_device.empty()) {
    const DeviceScope scope(device);
    StateLease state(device);
    cells.Upload(*state);
    const std::size_t chunk = ChunkOf(*state, device);
    std::vector<PairView> pairs;
    std::vector<PairOutcome> outcomes;
    for (std::size_t begin = 0; begin < on_device.size(); begin += chunk) {
      const std::size_t end = std::min(on_device.size(), begin + chunk);
      pairs.clear();
      for (std::size_t k = begin; k < end; ++k) {
        const PairQuery& query = queries[on_device[k]];
        pairs.push_back(MakeView(query));
        cells.Place(query.a, &pairs.back().a);
        cells.Place(query.b, &pairs.back().b);
      }
      ComputeChunk(pairs, *state, &outcomes);
      for (std::size_t k = begin; k < end; ++k) {
        const PairOutcome& outcome = outcomes[k - begin];
        if (outcome.full) {
          on_cpu.push_back(on_device[k]);  // its workspaces are larger
        } else {
          metrics[on_device[k]] = outcome.metrics;
        }
      }
    }
  }
  ParallelFor(static_cast<int>(on_cpu.size()), 1, threads, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const std::size_t i = on_cpu[static_cast<std::size_t>(k)];
      metrics[i] = ComputeMetrics(queries[i]);
    }
  });
}

}  // namespace intervox::cuda
