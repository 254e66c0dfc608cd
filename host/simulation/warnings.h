/** @file What must be known of a run before its motion is trusted. */
#pragma once

#include <string>
#include <vector>

#include "host/simulation.h"

namespace intervox::host {

/** The energy that has gone through a run, as an audit shows it [J]. */
double EnergyThrough(const EnergyAudit& e);

/** The warnings of a run so far, with their remedies: overlaps that missed the tolerance, bodies
 that were stopped, energy left over or given by a law, and substeps that gained energy.
 @param through  the largest EnergyThrough of the run [J] */
std::vector<std::string> WarningsOfRun(const Simulation& simulation, double through);

}  // namespace intervox::host
