/** @file What a run comes down to. */
#pragma once

#include <string>

#include "host/results/recorder.h"
#include "host/simulation.h"

namespace intervox::cli {

/** The text for the user. @param wall  seconds spent since `begin` [s] of simulated time. */
std::string SummaryText(const Simulation& simulation, double wall, double begin);
/** The same figures as one JSON object in full precision; SI units. */
std::string SummaryJson(const Simulation& simulation, double wall, double begin);
/** The same figures as root attributes `summary_…` of the results. */
void WriteSummary(const Simulation& simulation, double wall, double begin,
                  host::Recorder& recorder);

}  // namespace intervox::cli
