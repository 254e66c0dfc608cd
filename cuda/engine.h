/** @file The interference engine's one call. */
#pragma once

#include <span>
#include <vector>

#include "cuda/metrics.h"
#include "geometry/grid/make_level_set.h"

namespace intervox {

/** Where the engine runs. */
enum class Device : std::uint8_t { kSerial, kThreads, kCuda };

/** Options of an engine. */
struct EngineOptions {
  Device device = Device::kThreads;
  int threads = 0;  ///< 0: all cores
  int cuda_device = 0;
};

/** Computes interference metrics of posed cell pairs.

 A pure function of each query: the same bits for any device, number of threads, batch size and
 order. Never throws for a bad pair: its status says what is wrong. */
class Engine {
 public:
  /** @throws std::runtime_error when the device is absent; the message says what is there. */
  explicit Engine(EngineOptions options = {});

  /** Metrics of each query, in order. */
  std::vector<InterferenceMetrics> Compute(std::span<const PairQuery> queries) const;
  /** The same into caller-owned memory of at least queries.size() entries; on the CPU it allocates
   nothing in the steady state. May be called from several threads at once.
   @throws std::runtime_error when a device fails: what was done, and a remedy where there is one */
  void Compute(std::span<const PairQuery> queries, std::span<InterferenceMetrics> metrics) const;

  /** The options it was made with. */
  const EngineOptions& options() const { return options_; }

 private:
  EngineOptions options_;
};

/** The metrics of one pair on the calling thread. */
InterferenceMetrics ComputeMetrics(const PairQuery& query);

/** The same bits; of a pair with a grid the loop shares the parts. For few large pairs. */
InterferenceMetrics ComputeMetrics(const PairQuery& query, const geometry::RangeLoop& loop);

}  // namespace intervox
