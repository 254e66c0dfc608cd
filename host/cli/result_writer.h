/** @file When and in which order a run's results and checkpoints reach the disk. */
#pragma once

#include <chrono>
#include <filesystem>
#include <future>

#include "host/results/recorder.h"
#include "host/simulation.h"

namespace intervox::cli {

/** Writes results and checkpoints, the results first: a checkpoint is never newer than they are.
 Disks are synced on a thread of their own, which takes milliseconds in which the simulation can go
 on. No signal ends the program while results are written. */
class ResultWriter {
 public:
  /** All three outlive the writer. */
  ResultWriter(const Simulation& simulation, host::Recorder& recorder,
               const std::filesystem::path& checkpoint)
      : simulation_(simulation), recorder_(recorder), checkpoint_(checkpoint) {}

  /** Whether so many seconds have passed since the last writing, and so many times what it took
   that writing takes but a small share of the time. */
  bool FitsIn(double least_seconds) const;
  /** Whether a checkpoint may be taken now: it waits while what a kill would cost is soon run
   * again. */
  bool CheckpointFitsIn() const;
  /** Writes the results so far, and a checkpoint where that is wanted.
   @throws std::runtime_error of this writing or the one before. */
  void Write(bool with_checkpoint);
  /** Waits until all is on the disk. @throws std::runtime_error when it cannot be. */
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  const Simulation& simulation_;
  host::Recorder& recorder_;
  const std::filesystem::path& checkpoint_;
  Clock::time_point last_ = Clock::now();
  double took_ = 0.0;  ///< the last writing, without the sync [s]
  std::future<void> syncing_;
};

}  // namespace intervox::cli
