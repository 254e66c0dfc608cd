// The Cuda executor: chunks of pairs through one kernel for each step, each over its own pairs.
#include "cuda/device/engine_cuda.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/device/cells.cuh"
#include "cuda/device/executor.h"
#include "cuda/device/grids.cuh"
#include "cuda/device/kernels/kernels.h"
#include "cuda/engine.h"
#include "cuda/rules/grid/pair.h"

namespace intervox::cuda {

namespace {

// Pairs that one thread of the host packs or unpacks at a time: some tens of microseconds.
constexpr int kPackedTogether = 512;

// A thread takes so long for a pair of these rules, and those of its warp in turn, that a core of
// the host does so many meanwhile: fewer to each thread of the host are left to it.
constexpr std::size_t kFewOfThread = 100;
bool IsLong(Step step) {
  return step == StepOf(LeafRule::kColumn) || step == StepOf(LeafRule::kClip);
}

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
using StepKernels = std::array<StepKernel, 4 + kRulesInOrder>;
const StepKernels& KernelsInOrder() {
  static const StepKernels kKernels = [] {
    StepKernels kernels;
    kernels[0] = {kPlanesStep, PlanesKernel()};
    kernels[1] = {kPegStep, PegKernel()};
    kernels[2] = {kPrepareStep, PrepareKernel()};
    for (int turn = 0; turn < kRulesInOrder; ++turn) {
      const LeafRule rule = RuleInOrder(turn);
      kernels[static_cast<std::size_t>(3 + turn)] = {StepOf(rule), KernelOf(rule)};
    }
    kernels.back() = {StepOf(LeafRule::kCenter), CenterKernel()};
    return kernels;
  }();
  return kKernels;
}

// A query that the device takes: its number, and those of its cells.
struct Place {
  std::int32_t query, a, b;
};

// The places of all queries but those with grids, and what is no query.
std::vector<Place> PlacesOf(std::span<const PairQuery> queries, DeviceCells* cells,
                            std::vector<std::size_t>* grids, std::vector<std::size_t>* on_cpu) {
  std::vector<Place> places;
  places.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PairQuery& query = queries[i];
    if (query.a == nullptr || query.b == nullptr) {
      on_cpu->push_back(i);
    } else if (HasGrid(query)) {
      grids->push_back(i);
    } else {
      places.push_back(
          {static_cast<std::int32_t>(i), cells->NumberOf(*query.a), cells->NumberOf(*query.b)});
    }
  }
  return places;
}

// Brings pairs of like cells together, so that the threads of a warp have like work.
std::vector<Place> SortedByKind(std::vector<Place> places, const DeviceCells& cells) {
  const auto kind = [&](const Place& place) {
    return static_cast<std::size_t>(cells.KindOf(place.a) * DeviceCells::kKinds +
                                    cells.KindOf(place.b));
  };
  std::vector<std::size_t> next(DeviceCells::kKinds * DeviceCells::kKinds + 1);
  for (const Place& place : places) ++next[kind(place) + 1];
  if (places.empty() || next[kind(places[0]) + 1] == places.size()) return places;
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  std::vector<Place> sorted(places.size());
  for (const Place& place : places) sorted[next[kind(place)]++] = place;
  return sorted;
}

// What a state has to take of the device's memory for so many pairs, beyond what it has: each
// array grows by itself, whatever the others keep of larger chunks.
std::size_t GrowthOf(const DeviceState& state, std::size_t pairs, std::size_t bytes_of_thread) {
  std::size_t growth = 0;
  const auto add = [&](const Memory& memory, std::size_t bytes) {
    growth += pairs * bytes - std::min(pairs * bytes, memory.size());
  };
  constexpr Batch kBatch;
  add(state.records, sizeof(PairRecord));
  add(state.pairs, sizeof(*kBatch.d_pairs));
  add(state.workspaces, sizeof(*kBatch.d_workspaces));
  add(state.progress, sizeof(*kBatch.d_progress));
  add(state.outcomes, sizeof(*kBatch.d_outcomes));
  add(state.steps, sizeof(*kBatch.d_steps));
  add(state.list, sizeof(*kBatch.d_list));
  add(state.memory, bytes_of_thread);
  return growth;
}

// How many pairs may go through a state at once, for the memory that it has or may take.
std::size_t RoomOf(const DeviceState& state, std::size_t free) {
  std::size_t most = 0;
  for (const StepKernel& step : KernelsInOrder()) {
    most = std::max(most, step.kernel.bytes_of_thread);
  }
  const std::size_t share = free / kShareOfFree;
  std::size_t fits = 0, above = (share + state.BytesOfPairs()) / (kBytesOfPair + most) + 1;
  while (above - fits > 1) {
    const std::size_t pairs = fits + (above - fits) / 2;
    (GrowthOf(state, pairs, most) <= share ? fits : above) = pairs;
  }
  return fits;
}

// A batch in parts: what all of them share.
struct Job {
  std::span<const PairQuery> queries;
  std::span<InterferenceMetrics> metrics;
  std::span<const Place> places;
  const CellView* d_cells = nullptr;
  int threads = 0;
  std::mutex mutex;
  std::vector<std::size_t>* on_cpu = nullptr;  // what is left to the host

  void LeaveToTheHost(const Place& place) {
    const std::lock_guard lock(mutex);
    on_cpu->push_back(static_cast<std::size_t>(place.query));
  }
  bool NamesItsRule(const Place& place) const {
    return queries[static_cast<std::size_t>(place.query)].rule != LeafRule::kAuto;
  }
};

// The records of a chunk, in memory that the device copies from.
void Pack(const Job& job, std::span<const Place> places, PairRecord* records) {
  ForEach(places.size(), kPackedTogether, job.threads, [&](std::size_t k) {
    const Place& place = places[k];
    const PairQuery& query = job.queries[static_cast<std::size_t>(place.query)];
    records[k] = {query.X_WA,         query.X_WB, query.tolerance, query.voxel_size,
                  query.volume_floor, place.a,    place.b,         query.rule};
  });
}

void Unpack(std::span<const Place> places, const PairOutcome* outcomes, Job* job) {
  ForEach(places.size(), kPackedTogether, job->threads, [&](std::size_t k) {
    if (outcomes[k].full) {
      job->LeaveToTheHost(places[k]);  // its workspaces are larger
    } else {
      job->metrics[static_cast<std::size_t>(places[k].query)] = outcomes[k].metrics;
    }
  });
}

// Leaves those of a list's pairs to the host that do not name their rule; the others come first,
// and their number is returned.
std::size_t KeepNamed(std::span<std::int32_t> list, std::span<const Place> places, Job* job) {
  const auto place = [&](std::int32_t i) { return places[static_cast<std::size_t>(i)]; };
  const auto rest = std::partition(list.begin(), list.end(),
                                   [&](std::int32_t i) { return job->NamesItsRule(place(i)); });
  for (auto i = rest; i != list.end(); ++i) job->LeaveToTheHost(place(*i));
  return static_cast<std::size_t>(rest - list.begin());
}

// One chunk: all pairs through Begin, then each kernel over the pairs that wait for it.
void ComputeChunk(std::span<const Place> places, DeviceState& state, Job* job) {
  const std::size_t n = places.size();
  Batch batch;
  auto* const d_records = state.records.Of<PairRecord>(n);
  auto* const d_list = state.list.Of<std::int32_t>(n);
  batch.d_records = d_records;
  batch.d_cells = job->d_cells;
  batch.d_list = d_list;
  batch.d_pairs = state.pairs.Of<PairView>(n);
  batch.d_workspaces = state.workspaces.Of<Workspace<>>(n);
  batch.d_progress = state.progress.Of<Progress>(n);
  batch.d_outcomes = state.outcomes.Of<PairOutcome>(n);
  batch.d_steps = state.steps.Of<Step>(n);
  auto* const records = state.host_records.Of<PairRecord>(n);
  auto* const outcomes = state.host_outcomes.Of<PairOutcome>(n);
  auto* const steps = state.host_steps.Of<Step>(n);
  auto* const list = state.host_list.Of<std::int32_t>(n);
  Pack(*job, places, records);
  state.Upload(d_records, records, n * sizeof(PairRecord));
  std::size_t count = n;
  for (std::size_t i = 0; i < n; ++i) list[i] = static_cast<std::int32_t>(i);
  const auto launch = [&](const Kernel& kernel) {
    batch.count = static_cast<std::int32_t>(count);
    state.Upload(d_list, list, count * sizeof(list[0]));
    state.Launch(kernel, batch);
    state.Download(steps, batch.d_steps, n * sizeof(Step));
  };
  launch(BeginKernel());
  const std::size_t few = kFewOfThread * static_cast<std::size_t>(ThreadsOf(job->threads));
  std::size_t left = 0;  // to the host, at a step that they still wait for
  for (const StepKernel& next : KernelsInOrder()) {
    count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (steps[i] == next.step) list[count++] = static_cast<std::int32_t>(i);
    }
    if (IsLong(next.step) && count < few) {
      const std::size_t named = KeepNamed({list, count}, places, job);
      left += count - named;
      count = named;
    }
    if (count == 0) continue;
    batch.d_memory = state.memory.Reserve(count * next.kernel.bytes_of_thread);
    launch(next.kernel);
  }
  if (static_cast<std::size_t>(std::count(steps, steps + n, kDone)) + left != n) {
    throw std::logic_error("ComputeOnCuda: a pair was left without an outcome");
  }
  state.Download(outcomes, batch.d_outcomes, n * sizeof(PairOutcome));
  Unpack(places, outcomes, job);
}

// All places in chunks. Two are under way where there are threads and room: the device computes one
// while the host packs the other, and a launch's last threads leave it no multiprocessor idle.
void ComputeInChunks(Job* job, DeviceState& state, int device) {
  const std::size_t free = FreeMemory(device);
  std::size_t chunk = state.ThreadsWithin(RoomOf(state, free), free, "pairs");
  std::optional<StateLease> second;
  if (job->threads != 1 && job->places.size() > chunk) {
    second.emplace(device);
    const std::size_t room = RoomOf(**second, free);
    if (room < kThreadsPerBlock) {
      second.reset();
    } else {
      chunk = std::min(chunk, room);
    }
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&](DeviceState& mine) {
    try {
      for (std::size_t begin; (begin = next.fetch_add(chunk)) < job->places.size();) {
        ComputeChunk(job->places.subspan(begin, std::min(chunk, job->places.size() - begin)), mine,
                     job);
      }
    } catch (...) {
      next = job->places.size();  // for the other
      throw;
    }
  };
  std::future<void> other;
  if (second) {
    other = std::async(std::launch::async, [&] {
      const DeviceScope scope(device);
      work(**second);
    });
  }
  work(state);
  if (second) other.get();
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
  DeviceCells cells;
  std::vector<std::size_t> grids, on_cpu;
  const std::vector<Place> places = SortedByKind(PlacesOf(queries, &cells, &grids, &on_cpu), cells);
  if (!places.empty()) {
    const DeviceScope scope(device);
    const StateLease state(device);
    cells.Upload(threads, &*state);
    Job job{queries, metrics, places, cells.d_views(), threads, {}, &on_cpu};
    ComputeInChunks(&job, *state, device);
  }
  if (!grids.empty()) {
    const DeviceScope scope(device);
    ComputeGridsOnCuda(queries, grids, metrics, device, threads);
  }
  ForEach(on_cpu.size(), 1, threads,
          [&](std::size_t k) { metrics[on_cpu[k]] = ComputeMetrics(queries[on_cpu[k]]); });
}

}  // namespace intervox::cuda
