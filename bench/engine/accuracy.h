/** @file Runs a list of queries, or of pairs for one rule, under Google Benchmark and counts what
 it reached. */
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "bench/instructions.h"
#include "cuda/engine.h"
#include "cuda/local_pair.h"
#include "cuda/moments/moments.h"

namespace intervox::bench {

/** The shortest of five runs of f [µs]; of three where they take more than 20 ms together. */
template <class F>
double ShortestRun(F&& f) {
  using Clock = std::chrono::steady_clock;
  double best = 0, total = 0;
  for (int i = 0; i < 3 || (i < 5 && total < 2e4); ++i) {
    const auto start = Clock::now();
    f();
    const double us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    best = i == 0 ? us : std::min(best, us);
    total += us;
  }
  return best;
}

/** Times ComputeMetrics on one core, a different query each time, and prints beside the time: the
 user instructions of a query, the time of the slowest query alone, the median and worst error of V
 relative to a run at `reference`, the share of queries that miss their tolerance, the mean work. */
inline void RunQueries(benchmark::State& state, const std::vector<PairQuery>& queries,
                       double reference) {
  std::size_t next = 0;
  TimedLoop(state, [&] {
    benchmark::DoNotOptimize(ComputeMetrics(queries[next]));
    next = next + 1 < queries.size() ? next + 1 : 0;
  });
  std::vector<double> errors;
  double missed = 0, work = 0, slowest = 0;
  for (PairQuery query : queries) {
    slowest =
        std::max(slowest, ShortestRun([&] { benchmark::DoNotOptimize(ComputeMetrics(query)); }));
    const InterferenceMetrics m = ComputeMetrics(query);
    query.tolerance = reference;
    const InterferenceMetrics fine = ComputeMetrics(query);
    missed += m.status != Status::kOk && m.status != Status::kDisjoint;
    work += m.work;
    if (fine.volume > 0) errors.push_back(std::fabs(m.volume / fine.volume - 1));
  }
  std::sort(errors.begin(), errors.end());
  const double count = static_cast<double>(queries.size());
  state.counters["worst_us"] = slowest;
  state.counters["err_median"] = errors.empty() ? 0 : errors[errors.size() / 2];
  state.counters["err_worst"] = errors.empty() ? 0 : errors.back();
  state.counters["missed_%"] = 100 * missed / count;
  state.counters["work"] = work / count;
}

/** Times one rule on one core, a different pair each time, and prints beside the time: the user
 instructions of a pair, the time of the slowest pair alone, the worst error of V relative to
 `truth(pair)` and the mean work over the pairs that it accepted, and their share. */
template <class Rule, class Truth>
void RunRule(benchmark::State& state, const std::vector<cuda::LocalPair>& pairs, const Rule& rule,
             const Truth& truth) {
  const auto run = [&](const cuda::LocalPair& pair) {
    cuda::Moments moments;
    benchmark::DoNotOptimize(rule(pair, &moments));
    benchmark::DoNotOptimize(moments);
  };
  std::size_t next = 0;
  TimedLoop(state, [&] {
    run(pairs[next]);
    next = next + 1 < pairs.size() ? next + 1 : 0;
  });
  double slowest = 0, worst = 0, work = 0, accepted = 0;
  for (const cuda::LocalPair& pair : pairs) {
    slowest = std::max(slowest, ShortestRun([&] { run(pair); }));
    cuda::Moments moments;
    const cuda::RuleResult result = rule(pair, &moments);
    const double v = truth(pair);
    if (!result.accepted || !(v > 0)) continue;
    accepted += 1;
    work += result.work;
    worst = std::max(worst, std::fabs(moments.v / v - 1));
  }
  state.counters["worst_us"] = slowest;
  state.counters["err_worst"] = worst;
  state.counters["work"] = accepted > 0 ? work / accepted : 0;
  state.counters["accepted_%"] = 100 * accepted / static_cast<double>(pairs.size());
}

}  // namespace intervox::bench
