/** @file Runs a list of queries under Google Benchmark and counts what it reached. */
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/engine.h"

namespace intervox::bench {

/** Times ComputeMetrics on one core, a different query each time, and prints beside the time: the
 median and worst error of V relative to a run at `reference`, the share of queries that miss their
 tolerance, and the mean work. */
inline void RunQueries(benchmark::State& state, const std::vector<PairQuery>& queries,
                       double reference) {
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ComputeMetrics(queries[next]));
    next = next + 1 < queries.size() ? next + 1 : 0;
  }
  std::vector<double> errors;
  double missed = 0, work = 0;
  for (PairQuery query : queries) {
    const InterferenceMetrics m = ComputeMetrics(query);
    query.tolerance = reference;
    const InterferenceMetrics fine = ComputeMetrics(query);
    missed += m.status != Status::kOk && m.status != Status::kDisjoint;
    work += m.work;
    if (fine.volume > 0) errors.push_back(std::fabs(m.volume / fine.volume - 1));
  }
  std::sort(errors.begin(), errors.end());
  const double count = static_cast<double>(queries.size());
  state.counters["err_median"] = errors.empty() ? 0 : errors[errors.size() / 2];
  state.counters["err_worst"] = errors.empty() ? 0 : errors.back();
  state.counters["missed_%"] = 100 * missed / count;
  state.counters["work"] = work / count;
}

}  // namespace intervox::bench
