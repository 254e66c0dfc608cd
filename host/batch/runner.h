/** @file Runs a batch on threads and keeps its results. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/batch/batch.h"
#include "host/batch/journal.h"
#include "host/batch/run.h"
#include "host/batch/wilson.h"

namespace intervox::host {

/** How far a batch is. */
struct BatchProgress {
  std::int64_t finished = 0;  ///< of all, with those of earlier calls
  std::int64_t failed = 0;    ///< of them
  std::int64_t total = 0;     ///< to be finished; with `until` at most
  double seconds = 0.0;       ///< since this call began
  std::int64_t here = 0;      ///< finished by this call
  std::int64_t pending = 0;   ///< left for this call; with `until` at most
  int outcome = -1;           ///< index of the first boolean outcome; −1: none
  Rate rate;                  ///< of that outcome
};

/** How to run a batch. */
struct BatchOptions {
  std::filesystem::path folder;
  int threads = 0;  ///< 0: all cores
  int shard = 1;    ///< of `shards`: runs k with k mod shards = shard − 1
  int shards = 1;
  bool resume = false;
  bool retry_failed = false;  ///< resume, and do what failed again; by another controller too
  Provenance provenance;
  double tick_seconds = 10.0;                              ///< between two calls of `tick`
  std::function<void(const BatchProgress&)> tick;          ///< on the calling thread; may be empty
  std::function<void(std::span<const std::string>)> warn;  ///< of the scene, once; may be empty
  std::function<bool()> cancelled;      ///< on the calling thread: true ends it soon
  std::function<Controller()> control;  ///< of each run, see RunOptions
};

/** How a call of RunBatch ended. */
struct BatchSummary {
  BatchProgress progress;
  FinishedRuns finished;  ///< what the folder holds now, all shards
  bool cancelled = false;
  bool decided = false;  ///< `until` ended it
};

/** Runs what is not finished yet, each run on one thread, and leaves journal and table in the
 folder. The same bits for any number of threads, shards and resumes, but for `seconds`.
 @throws InputError for a folder of another batch, one with finished runs without `resume`, or of
 another controller without `retry_failed`, a shard of a batch with `until`; std::runtime_error when
 the disk is full. Finished runs are never lost. */
BatchSummary RunBatch(const Batch& batch, const BatchOptions& options);

}  // namespace intervox::host
