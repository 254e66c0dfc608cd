/** @file Steps a simulation to its end as `intervox run` does: progress, results, signals, summary.
 */
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "host/results/recorder.h"
#include "host/simulation.h"

namespace intervox::cli {

/** A run: what is stepped, to where, and what is written of it. */
struct Course {
  Simulation& simulation;
  host::Recorder& recorder;
  std::filesystem::path checkpoint;  ///< empty: none is written
  double end = 0.0;                  ///< simulated time at which it is done [s]
  std::function<bool()> done;        ///< whether it is
  std::function<bool()> step;        ///< false: a signal had the step given up
  std::string go_on;                 ///< what is told to who interrupts it
};

/** What a run says of itself. */
struct Telling {
  bool quiet = false;
  bool json = false;       ///< the summary
  double progress = 10.0;  ///< time between lines where there is no terminal [s]
};

/** Steps to the end, or until a signal asks for an end; either way the results are on the disk when
 it returns. CatchInterrupts comes before it.
 @return an exit status. @throws std::runtime_error when the results cannot be written. */
int Simulate(const Course& course, const Telling& telling);

}  // namespace intervox::cli
