#include "cuda/engine.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "cuda/engine_cuda.h"
#include "cuda/executor.h"
#include "cuda/planner.h"

namespace intervox {

namespace {

// Hulls of hundreds of faces; about 1 MiB for each thread that meets one.
using LargePolyhedron = cuda::Polyhedron<8192, 4096>;

// A pair is microseconds of work: enough of them must go together to be worth a task.
constexpr int kGrain = 8;

double BoundsVolume(const geometry::Cell& cell) {
  const Vec3& half = cell.bounds.half;
  return cell.bounded ? 8 * half.x * half.y * half.z : std::numeric_limits<double>::infinity();
}

}  // namespace

InterferenceMetrics ComputeMetrics(const PairQuery& query) {
  if (query.a == nullptr || query.b == nullptr) {
    InterferenceMetrics invalid;
    invalid.status = Status::kInvalid;
    return invalid;
  }
  thread_local const auto small = std::make_unique<cuda::Workspace<>>();
  const cuda::PairView view = cuda::MakeView(query);
  cuda::PairOutcome out = cuda::ComputePair(cuda::SerialTeam{}, view, small.get());
  if (!out.full) return out.metrics;
  thread_local std::unique_ptr<cuda::Workspace<LargePolyhedron>> large;
  if (large == nullptr) large = std::make_unique<cuda::Workspace<LargePolyhedron>>();
  out = cuda::ComputePair(cuda::SerialTeam{}, view, large.get());
  if (!out.full) return out.metrics;
  // Nothing is known beyond the smaller cell's bounds.
  InterferenceMetrics unknown;
  unknown.status = Status::kToleranceNotMet;
  unknown.rule = query.rule;
  unknown.volume_hi = unknown.volume_error =
      std::min(BoundsVolume(*query.a), BoundsVolume(*query.b));
  return unknown;
}

Engine::Engine(EngineOptions options) : options_(options) {
  if (options_.device == Device::kCuda) cuda::RequireCudaDevice(options_.cuda_device);
}

std::vector<InterferenceMetrics> Engine::Compute(std::span<const PairQuery> queries) const {
  std::vector<InterferenceMetrics> metrics(queries.size());
  Compute(queries, metrics);
  return metrics;
}

void Engine::Compute(std::span<const PairQuery> queries,
                     std::span<InterferenceMetrics> metrics) const {
  if (metrics.size() < queries.size()) {
    throw std::invalid_argument("Engine::Compute: room for " + std::to_string(metrics.size()) +
                                " metrics, but " + std::to_string(queries.size()) +
                                " queries; pass a span at least as long");
  }
  if (options_.device == Device::kCuda) {
    cuda::ComputeOnCuda(queries, metrics, options_.cuda_device);
    return;
  }
  const int threads = options_.device == Device::kSerial ? 1 : options_.threads;
  cuda::ParallelFor(static_cast<int>(queries.size()), kGrain, threads, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) metrics[i] = ComputeMetrics(queries[i]);
  });
}

}  // namespace intervox
