/** @file One run of a batch. */
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/batch/batch.h"
#include "host/results/recorder.h"
#include "host/simulation.h"

namespace intervox::host {

/** How a run ended. */
struct RunResult {
  std::int64_t id = 0;
  bool ok = false;                  ///< else it failed
  std::string reason;               ///< why it failed
  std::string replay;               ///< of a failed run: the command that runs it alone
  std::vector<std::string> values;  ///< sampled, as YAML, in the order of the paths
  std::vector<double> outcomes;     ///< in the order of the outcomes; empty when it failed
  double seconds = 0.0;             ///< of wall time
};

/** A trajectory to be written beside the outcomes. */
struct Trajectory {
  std::filesystem::path path;
  Provenance provenance;
};

/** Runs number `id` of a batch alone, on the calling thread. What goes wrong with the run is in the
 result: a scene that refuses its values, a state or an outcome that is not finite, energy that
 nothing gave.
 @param like    a simulation of the batch's scene, whose cells are shared
 @param record  where its trajectory is written; null: nowhere
 @param cancel  set on another thread: ends it without a result
 @throws std::runtime_error when the trajectory cannot be written. */
std::optional<RunResult> ComputeRun(const Batch& batch, const Simulation& like, std::int64_t id,
                                    const Trajectory* record = nullptr,
                                    const std::atomic<bool>* cancel = nullptr);

}  // namespace intervox::host
