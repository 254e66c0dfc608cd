// The 50 pairs of data/oracle, on one core. Oracle/d: one call is one pair to 10^-d, summed over
// the cells of both shapes; worst_us and the label: the slowest pair alone and its name; err_worst:
// the largest error of volume, centroid (over the radius of gyration) and inertia (a fifth) over
// all pairs; missed: pairs with another status than ok. Memory: what one pair needs, see
// bench/stack.h.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/engine/accuracy.h"
#include "bench/stack.h"
#include "cuda/planner.h"
#include "host/scene/pairs.h"
#include "host/scene/shape_metrics.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

struct Expected {
  double volume = 0.0;
  Vec3 centroid;
  Mat3 inertia;
};

struct OraclePair {
  std::string name;
  std::vector<geometry::Cell> a, b;
  Pose X_WA, X_WB;
  Expected expected;
};

std::vector<OraclePair> LoadOracle() {
  const std::string folder = INTERVOX_DATA_DIR "/oracle/";
  nlohmann::json values;
  std::ifstream(folder + "expected.json") >> values;
  std::vector<OraclePair> out;
  for (const PosedPair& pair : LoadPairs(folder + "pairs.yaml").pairs) {
    const nlohmann::json& v = values.at(pair.name);
    Expected expected{v["volume"], {v["centroid"][0], v["centroid"][1], v["centroid"][2]}, {}};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) expected.inertia(i, j) = v["inertia"][i][j];
    }
    out.push_back({pair.name, geometry::ToCells(*pair.a), geometry::ToCells(*pair.b), pair.X_WA,
                   pair.X_WB, expected});
  }
  return out;
}

// The largest of the errors that the oracle's checker looks at, each over its allowance.
double Error(const InterferenceMetrics& m, const Expected& e) {
  const double r = std::sqrt(0.5 * Trace(e.inertia) / e.volume);
  return std::max({std::fabs(m.volume / e.volume - 1), Norm(m.p_WC - e.centroid) / r,
                   testing::Frobenius(m.J_W - e.inertia) / testing::Frobenius(e.inertia) / 5});
}

void Oracle(benchmark::State& state) {
  static const std::vector<OraclePair> pairs = LoadOracle();
  const Engine engine({Device::kSerial});
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  const auto measure = [&](const OraclePair& p) {
    return host::MeasurePair(engine, p.a, p.b, p.X_WA, p.X_WB, {tolerance}).sum;
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
    worst = std::max(worst, Error(m, pair.expected));
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
  const std::vector<OraclePair> pairs = LoadOracle();
  const std::vector<testing::Family> families = testing::AllFamilies();
  testing::Random random(6);
  std::vector<PairQuery> queries;
  for (const OraclePair& p : pairs) {
    for (const geometry::Cell& a : p.a) {
      for (const geometry::Cell& b : p.b) queries.push_back({&a, &b, p.X_WA, p.X_WB, 1e-4});
    }
  }
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
