/** @file The energies of a state. */
#pragma once

#include "host/simulation/report.h"
#include "host/simulation/state.h"
#include "host/world/world.h"

namespace intervox::host {

/** What the patches of all contacts hold by their geometry [J]. */
double ElasticSum(const World& world, const State& state);

/** Kinetic and gravity's energy of a free body [J]. */
double FreeEnergy(const World& world, const State& state, std::size_t body);

/** The energy audit of an accepted state. */
EnergyAudit MakeAudit(const World& world, const State& state);

}  // namespace intervox::host
