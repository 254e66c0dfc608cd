/** @file The last resort where no substep, however short, goes without gaining energy. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Makes the bodies of a group go on as one rigid body: with their momentum and angular momentum
 where all are free, at rest where one is fixed or driven. No other motion with these momenta has
 less kinetic energy, so it is only taken. Places and what contacts store stay.
 @return the energy taken, which enters the ledger as numerical [J] */
double Arrest(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

/** Slows the bodies of the trial in the scratch against each other, so that it gains nothing: what
 is left of its motion beyond that of one rigid body is scaled. Momentum and angular momentum stay
 where all bodies are free.
 @param gain  what the trial gains [J]
 @return false, with nothing changed, where that is too much of their motion */
bool SlowDown(const BodyGroup& group, double gain, StageScratch* scratch);

}  // namespace intervox::host
