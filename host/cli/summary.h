/** @file What a run comes down to. */
#pragma once

#include <string>
#include <vector>

#include "host/results/recorder.h"
#include "host/simulation.h"

namespace intervox::cli {

/** Gathers figures while a simulation steps, and prints them. */
class Summary {
 public:
  /** Starts at the simulation's present state. */
  explicit Summary(const Simulation& simulation);
  /** Takes in an accepted step. */
  void Update(const Simulation& simulation);
  /** The text for the user. @param wall  seconds spent since `begin` [s] of simulated time. */
  std::string Text(const Simulation& simulation, double wall, double begin) const;
  /** The same figures as root attributes `summary_…` of the results. */
  void Write(const Simulation& simulation, double wall, double begin,
             host::Recorder& recorder) const;

 private:
  std::vector<Vec3> peak_force_;  ///< of each body, componentwise magnitude of contact force [N]
};

}  // namespace intervox::cli
