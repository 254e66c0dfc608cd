// The 50 pairs of data/oracle, on one core. Oracle/d: one call is one pair to 10^-d; worst_us and
// the label: the slowest pair alone and its name; err_worst: the largest error of volume, centroid
// (over the radius of gyration) and inertia (a fifth) over all pairs; missed: pairs with another
// status than ok. Memory: what one pair needs, see bench/stack.h.

#include "tests/cuda/oracle.h"
#include "bench/engine/accuracy.h"
#include "bench/stack.h"
#include "cuda/planner.h"
#include "host/scene/shape_metrics.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

using testing::OraclePair;

void Oracle(benchmark::State& state) {
  const std::vector<OraclePair>& pairs = testing::OraclePairs();
  const Engine engine({Device::kSerial});
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  const auto measure = [&](const OraclePair& p) {
    return host::MeasurePair(engine, {&p.a, 1}, {&p.b, 1}, p.X_WA, p.X_WB, {tolerance}).sum;
  };
  std::size_t next = 0;
  bench::TimedLoop(state, [&] {
    benchmark::DoNotOptimize(measure(pairs[next]));
    next = next + 1 < pairs.size() ? next + 1 : 0;
  });
  double worst_us = 0, worst = 0, missed = 0;
  for (const OraclePair& pair : pairs) {
    const double us = bench::ShortestRun([&] { benchmark::DoNotOptimize(measure(pair)); });
    if (us > worst_us) {
      worst_us = us;
      state.SetLabel(pair.name);
    }
    const InterferenceMetrics m = measure(pair);
    missed += m.status != Status::kOk;
    worst = std::max(worst, testing::WorstError(m, pair));
  }
  state.counters["worst_us"] = worst_us;
  state.counters["err_worst"] = worst;
  state.counters["missed"] = missed;
}
BENCHMARK(Oracle)
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(4)
    ->Arg(6)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(50);

// Workspace and deepest stack over the oracle, and over random poses of every two families.
void Memory(benchmark::State& state) {
  const std::vector<testing::Family> families = testing::AllFamilies();
  testing::Random random(6);
  std::vector<PairQuery> queries;
  for (const OraclePair& p : testing::OraclePairs()) queries.push_back(p.Query(1e-4));
  for (const testing::Family& a : families) {
    for (const testing::Family& b : families) {
      queries.push_back({&a.cell, &b.cell, random.RandomPose(0.4), random.RandomPose(0.4)});
    }
  }
  std::size_t stack = 0;
  bench::TimedLoop(state, [&] {
    for (const PairQuery& q : queries) {
      stack = std::max(stack, bench::StackOf([&] { benchmark::DoNotOptimize(ComputeMetrics(q)); }));
    }
  });
  constexpr double kKiB = 1024;
  state.counters["workspace_KiB"] = sizeof(cuda::Workspace<>) / kKiB;
  state.counters["stack_KiB"] = static_cast<double>(stack) / kKiB;
  state.counters["total_KiB"] = (sizeof(cuda::Workspace<>) + static_cast<double>(stack)) / kKiB;
}
BENCHMARK(Memory)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace intervox
