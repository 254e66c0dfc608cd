/** @file Runs a list of queries under Google Benchmark and counts what it reached. */
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "bench/instructions.h"
#include "cuda/engine.h"

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

}  // namespace intervox::bench
