#include "cuda/engine.h"

#include <array>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "cuda/device/engine_cuda.h"
#include "cuda/device/executor.h"
#include "cuda/moments/metrics_sum.h"
#include "cuda/planner.h"
#include "cuda/proved_apart.h"
#include "cuda/rules/grid/pair.h"
#include "geometry/make_surface.h"

namespace intervox {

namespace {

// Hulls of hundreds of faces; about 1 MiB for each thread that meets one.
using LargePolyhedron = cuda::Polyhedron<8192, 4096>;

// A pair is microseconds of work: enough of them must go together to be worth a task.
constexpr int kGrain = 8;

// A crowded pair is halved at most so often.
constexpr int kMostHalvings = 12;

/** The metrics, with the large workspace where the small one does not suffice; `full` remains where
 more surfaces meet than a pair can hold. */
cuda::PairOutcome ComputeWhole(const PairQuery& query) {
  thread_local const auto small = std::make_unique<cuda::Workspace<>>();
  const cuda::PairView view = cuda::MakeView(query);
  cuda::PairOutcome out = cuda::ComputePair(view, small.get());
  if (!out.full) return out;
  thread_local std::unique_ptr<cuda::Workspace<LargePolyhedron>> large;
  if (large == nullptr) large = std::make_unique<cuda::Workspace<LargePolyhedron>>();
  return cuda::ComputePair(view, large.get());
}

double BoundsVolume(const geometry::Cell& cell) {
  const Vec3& half = cell.bounds.half;
  return cell.bounded ? 8 * half.x * half.y * half.z : std::numeric_limits<double>::infinity();
}

/** The part of a cell on one side of the middle of its bounds, across their longest axis. The new
 face lies inside the body. */
geometry::Cell Half(const geometry::Cell& cell, double side) {
  geometry::Cell half = cell;
  const Vec3 h = cell.bounds.half;
  const int axis = h.x >= h.y && h.x >= h.z ? 0 : h.y >= h.z ? 1 : 2;
  const Vec3 n = side * cell.bounds.X.R.Col(axis);
  half.surfaces.push_back(geometry::MakePlane(-n, cell.bounds.X.p));
  half.surfaces.back().cut = true;
  // Wider bounds than needed: what touches them is then a face of the surfaces, and not of them.
  constexpr double kWider = 1e-3;
  half.bounds.half = (1 + kWider) * h;
  half.bounds.half[axis] = 0.5 * (1 + kWider) * h[axis];
  half.bounds.X.p += 0.5 * h[axis] * n;
  half.faces.clear();  // the engine clips the bounds instead
  half.corners = {};
  return half;
}

/** Hulls of many faces may bring more of them to a curved surface than a pair holds: the smaller
 cell is halved until each part is left with few enough. */
InterferenceMetrics ComputeHalves(const PairQuery& query, int halvings) {
  const cuda::PairOutcome whole = ComputeWhole(query);
  if (!whole.full) return whole.metrics;
  const bool first = BoundsVolume(*query.a) <= BoundsVolume(*query.b);
  const geometry::Cell& cell = first ? *query.a : *query.b;
  if (halvings == 0 || !cell.bounded) {  // nothing is known beyond its bounds
    InterferenceMetrics unknown;
    unknown.status = Status::kToleranceNotMet;
    unknown.rule = query.rule;
    unknown.volume_hi = unknown.volume_error = BoundsVolume(cell);
    return unknown;
  }
  std::array<InterferenceMetrics, 2> parts;
  for (const int k : {0, 1}) {
    const geometry::Cell half = Half(cell, k == 0 ? -1.0 : 1.0);
    PairQuery part = query;
    (first ? part.a : part.b) = &half;
    parts[static_cast<std::size_t>(k)] = ComputeHalves(part, halvings - 1);
  }
  InterferenceMetrics sum = SumOfParts(parts, query.tolerance);
  sum.contained = false;
  return sum;
}

}  // namespace

InterferenceMetrics ComputeMetrics(const PairQuery& query) {
  if (query.a == nullptr || query.b == nullptr) {
    InterferenceMetrics invalid;
    invalid.status = Status::kInvalid;
    return invalid;
  }
  return cuda::HasGrid(query) ? cuda::ComputeGridPair(query) : ComputeHalves(query, kMostHalvings);
}

InterferenceMetrics ComputeMetrics(const PairQuery& query, const geometry::RangeLoop& loop) {
  const bool shared = loop && query.a != nullptr && query.b != nullptr && cuda::HasGrid(query);
  return shared ? cuda::ComputeGridPair(query, loop) : ComputeMetrics(query);
}

bool ProvedApart(const PairQuery& query) {
  PairQuery bounds = query;
  // The rule for planes refuses what curved surfaces bound: only bounds are left.
  bounds.rule = LeafRule::kPolytope;
  const InterferenceMetrics metrics = ComputeMetrics(bounds);
  return metrics.status == Status::kDisjoint && !(metrics.volume_hi > 0);
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
    cuda::ComputeOnCuda(queries, metrics, options_.cuda_device, options_.threads);
    return;
  }
  const int threads = options_.device == Device::kSerial ? 1 : options_.threads;
  cuda::ForEach(queries.size(), kGrain, threads,
                [&](std::size_t i) { metrics[i] = ComputeMetrics(queries[i]); });
}

}  // namespace intervox
