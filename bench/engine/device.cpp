// Batches of pairs through Engine::Compute: one core, all cores, the device; rows for the device
// say that it is absent where it is. Mpairs/s: millions of pairs a second, from poses in the
// caller's memory to metrics there; other_bits: pairs of the batch whose metrics are not those of
// one core; first_ms: the first batch, with the start of the device.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/engine/query_sets.h"
#include "tests/cuda/same_bits.h"

namespace intervox {
namespace {

using bench::QuerySet;

// Random poses; larger batches repeat them.
constexpr int kPoses = 20000;
constexpr int kDearPoses = 4000;

struct Case {
  std::string name;
  std::function<QuerySet()> make;
  int largest;  // batch
};

QuerySet WithRule(QuerySet set, LeafRule rule, double tolerance, double voxel_size) {
  for (PairQuery& query : set.queries) {
    query.rule = rule;
    query.tolerance = tolerance;
    query.voxel_size = voxel_size;
  }
  return set;
}

// A cell of its own for each pose, as in scenes of many parts.
QuerySet BoxesOfTheirOwn() {
  const QuerySet two = bench::BoxPairs(kPoses);
  QuerySet set;
  set.cells.reserve(2 * two.queries.size());
  for (const PairQuery& query : two.queries) {
    set.cells.push_back(*query.a);
    set.cells.push_back(*query.b);
    set.queries.push_back(query);
    set.queries.back().a = &set.cells[set.cells.size() - 2];
    set.queries.back().b = &set.cells.back();
  }
  return set;
}

// Two of AllFamilies at random poses.
QuerySet Two(std::size_t a, std::size_t b, int count) {
  const auto families = testing::AllFamilies();
  return bench::RandomPairs(families[a].cell, families[b].cell, 0.3, 8, count);
}

// Blocks of a grid that lie on each other, as a simulation asks for them.
QuerySet BlocksOfGrids(int count) {
  QuerySet set(geometry::SplitGrids({testing::GridCell(geometry::Torus{12, 5}, 1)}));
  testing::Random random(1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    PairQuery query;
    query.a = &set.cells[i % set.cells.size()];
    query.b = &set.cells[7 * i % set.cells.size()];
    query.X_WA.p = -query.a->bounds.X.p;
    query.X_WB = random.RandomPose(5);
    query.X_WB.p -= query.X_WB.R * query.b->bounds.X.p;
    query.rule = LeafRule::kClip;
    set.queries.push_back(query);
  }
  return set;
}

// Two balls of R = 20 voxels that are whole grids, two voxels deep.
QuerySet WholeGrids(int count) {
  QuerySet set({testing::GridCell(geometry::Sphere{20}, 1)});
  testing::Random random(1);
  for (int i = 0; i < count; ++i) {
    const Pose X_WA = random.RandomPose(1), X_WB = random.RandomPose(1);
    set.queries.push_back(
        {&set.cells[0], &set.cells[0], X_WA, {X_WB.R, X_WA.p + 38 * random.Direction()}});
    set.queries.back().rule = LeafRule::kClip;
  }
  return set;
}

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      {"box_miss", [] { return bench::MissingBoxes(kPoses); }, 1000000},
      {"box_box", [] { return bench::BoxPairs(kPoses); }, 1000000},
      {"box_box_40000_cells", BoxesOfTheirOwn, 1000000},
      {"box_box_near_aligned", [] { return bench::NearlyAlignedBoxes(kPoses); }, 1000000},
      {"ellipsoids_thin_1e-4", [] { return bench::EllipsoidPairs(kPoses, 1e-3, 1e-4); }, 1000000},
      {"ellipsoids_deep_1e-4", [] { return bench::EllipsoidPairs(kPoses, 0.1, 1e-4); }, 1000000},
      {"peg_in_hole_1e-3", [] { return bench::PegsInHoles(kPoses); }, 1000000},
      {"cylinder_box_1e-3", [] { return Two(1, 4, kPoses); }, 1000000},
      {"ellipsoid_cylinder_1e-3", [] { return Two(0, 1, kPoses); }, 100000},
      {"families_mixed_1e-4", [] { return bench::FamilyPairs(kDearPoses, 1e-4); }, 20000},
      {"torus_box_1e-3", [] { return Two(6, 4, kDearPoses); }, 20000},
      {"ellipsoid_box_clip_1e-2",
       [] { return WithRule(Two(0, 4, kDearPoses), LeafRule::kClip, 1e-2, 0); }, 20000},
      {"ellipsoids_center_h_0.02",
       [] {
         return WithRule(bench::EllipsoidPairs(kDearPoses, 0.1, 1e-3), LeafRule::kCenter, 1e-3,
                         0.02);
       },
       20000},
      {"grid_blocks_clip", [] { return BlocksOfGrids(kDearPoses); }, 100000},
      {"grid_balls_clip", [] { return WholeGrids(kDearPoses); }, 10000}};
  return kCases;
}

double SecondsOf(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void RunBatch(benchmark::State& state, const Case& c, EngineOptions options, int batch) {
  try {
    const Engine engine(options);
    const QuerySet set = c.make();
    std::vector<PairQuery> queries;
    for (int i = 0; i < batch; ++i) {
      queries.push_back(set.queries[static_cast<std::size_t>(i) % set.queries.size()]);
    }
    std::vector<InterferenceMetrics> metrics(queries.size());
    const double first = SecondsOf([&] { engine.Compute(queries, metrics); });
    for (auto _ : state) engine.Compute(queries, metrics);
    state.SetItemsProcessed(state.iterations() * batch);
    state.counters["Mpairs/s"] =
        benchmark::Counter(1e-6 * batch, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["first_ms"] = 1e3 * first;
    if (options.device == Device::kSerial) return;
    const std::size_t distinct = std::min(set.queries.size(), queries.size());
    queries.resize(distinct);
    const auto serial = Engine({Device::kThreads}).Compute(queries);
    int other = 0;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      other += !testing::SameBits(metrics[i], serial[i % distinct]);
    }
    state.counters["other_bits"] = other;
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

const int kRegistered = [] {
  for (const Case& c : Cases()) {
    const auto add = [&](const std::string& where, EngineOptions options, int batch) {
      benchmark::RegisterBenchmark(
          (c.name + "/" + where + "/" + std::to_string(batch)).c_str(),
          [&c, options, batch](benchmark::State& state) { RunBatch(state, c, options, batch); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond)
          ->MinTime(0.2);
    };
    add("one_core", {Device::kSerial}, std::min(c.largest, 1000));
    add("all_cores", {Device::kThreads}, std::min(c.largest, 100000));
    for (int batch = 1000; batch <= c.largest; batch *= 10) add("device", {Device::kCuda}, batch);
  }
  return 0;
}();

}  // namespace
}  // namespace intervox
