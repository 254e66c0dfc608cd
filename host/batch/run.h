/** @file One run of a batch. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
  std::string controller;           ///< ControllerMark of what steered it
  int attempt = 1;                  ///< above 1: done again after it had failed
};

/** A trajectory to be written beside the outcomes. */
struct Trajectory {
  std::filesystem::path path;
  Provenance provenance;
};

/** Puts inputs into a run before each of its steps, on the run's thread. */
using Controller = std::function<void(Simulation&)>;

/** How to compute a run. */
struct RunOptions {
  const Trajectory* record = nullptr;   ///< where its trajectory is written; null: nowhere
  std::function<bool()> cancelled;      ///< asked at every stage; true: ends it without a result
  std::function<Controller()> control;  ///< makes the controller of one run; empty: none
};

/** Runs number `id` of a batch alone, on the calling thread. What goes wrong with the run is in the
 result: a scene that refuses its values, a state or an outcome that is not finite, energy that
 nothing gave.
 @param like  a simulation of the batch's scene, whose cells are shared
 @throws std::runtime_error when the trajectory cannot be written; what the controller throws. */
std::optional<RunResult> ComputeRun(const Batch& batch, const Simulation& like, std::int64_t id,
                                    const RunOptions& options = {});

}  // namespace intervox::host
