// Grouping of n overlapping cell pairs of two bodies in the steady state. Stage: Evaluate with all
// pairs held. Question: Group and Regroups. Accept: Group and Accept. Birth: all of it for patches
// that begin. Case 0 (one): one patch over all pairs, on linked tiles; case 1 (each): each pair a
// patch of its own, on separate tiles; case 2 (many_bodies): one pair for each two bodies.
// contacts: how many come out; per_pair: time for each cell pair, which shows the growth.

#include <benchmark/benchmark.h>

#include <cmath>

#include "tests/host/two_bodies.h"

namespace intervox::host {
namespace {

enum Case { kOne, kEach, kManyBodies };

struct Tiles {
  explicit Tiles(benchmark::State& state)
      : n(static_cast<int>(std::lround(std::sqrt(static_cast<double>(state.range(0)))))),
        floor(1),
        tiles(static_cast<std::size_t>(n * n)),
        rules({}, floor, tiles) {
    const auto kind = static_cast<Case>(state.range(1));
    for (int k = 0; k < n * n; ++k) {
      std::vector<int>& near = tiles[static_cast<std::size_t>(k)].neighbours;
      if (kind == kOne) {
        if (k >= n) near.push_back(k - n);
        if (k % n > 0) near.push_back(k - 1);
        if (k % n < n - 1) near.push_back(k + 1);
        if (k < n * (n - 1)) near.push_back(k + n);
      }
      ActivePair pair;
      pair.j = kind == kManyBodies ? k + 1 : 1;
      pair.b = kind == kManyBodies ? 0 : k;
      const double area = 1e-4 * (1 + 1e-12 * std::sin(k));  // alike up to rounding
      pair.metrics.status = Status::kOk;
      pair.metrics.volume = 1e-5 * area;
      pair.metrics.p_WC = {0.01 * (k % n), 0.01 * (k / n), 0};
      pair.metrics.area_vector = {0, 0, area};
      pair.metrics.J_W = (1e-5 * area * area / 12) * Mat3::Diagonal({1, 1, 2});
      pairs.push_back(pair);
    }
  }
  int n;
  std::vector<geometry::Cell> floor, tiles;
  testing::TwoBodyRules rules;
  std::vector<ActivePair> pairs;
  Patches patches;
  PatchScratch scratch;
  Grouping grouping;
};

constexpr std::size_t kCapacity = 10000000;

void Report(benchmark::State& state, const Tiles& tiles) {
  state.counters["contacts"] = static_cast<double>(tiles.patches.contacts.size());
  state.counters["per_pair"] = benchmark::Counter(
      static_cast<double>(tiles.pairs.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Accept(Tiles* tiles) {
  Group(tiles->rules, tiles->pairs, &tiles->scratch, &tiles->grouping);
  Accept(tiles->rules, tiles->pairs, tiles->grouping, 0.0, &tiles->patches, &tiles->scratch);
}

void Stage(benchmark::State& state) {
  Tiles tiles(state);
  Accept(&tiles);
  for (auto _ : state) {
    Evaluate(tiles.rules, tiles.pairs, kCapacity, &tiles.patches, &tiles.scratch);
  }
  Report(state, tiles);
}

void Question(benchmark::State& state) {
  Tiles tiles(state);
  Accept(&tiles);
  for (auto _ : state) {
    Group(tiles.rules, tiles.pairs, &tiles.scratch, &tiles.grouping);
    benchmark::DoNotOptimize(Regroups(tiles.patches, tiles.pairs, tiles.grouping, &tiles.scratch));
  }
  Report(state, tiles);
}

void AcceptedStep(benchmark::State& state) {
  Tiles tiles(state);
  Accept(&tiles);
  for (auto _ : state) Accept(&tiles);
  Report(state, tiles);
}

void Birth(benchmark::State& state) {
  Tiles tiles(state);
  for (auto _ : state) {
    tiles.patches.contacts.clear();
    tiles.patches.held.clear();
    Evaluate(tiles.rules, tiles.pairs, kCapacity, &tiles.patches, &tiles.scratch);
    Accept(&tiles);
  }
  Report(state, tiles);
}

void Cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"pairs", "case"});
  for (const int kind : {kOne, kEach, kManyBodies}) {
    for (const int pairs : {100, 1024, 10000, 102400}) bench->Args({pairs, kind});
  }
  bench->Unit(benchmark::kMillisecond);
}
BENCHMARK(Stage)->Apply(Cases);
BENCHMARK(Question)->Apply(Cases);
BENCHMARK(AcceptedStep)->Apply(Cases);
BENCHMARK(Birth)->Apply(Cases);

}  // namespace
}  // namespace intervox::host
