/** @file The last resort where no substep, however short, goes without gaining energy. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Makes the bodies of a group go on as one rigid body: with their momentum and angular momentum
 where all are free, at rest where one is fixed or driven. No other motion with these momenta has
 less kinetic energy, so it is only taken. Places and what contacts store stay.
 @return the energy taken, which enters the ledger as numerical [J] */
double Arrest(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

/** Slows a free body of the trial in the scratch, and those that touch it in it or touch those,
 against each other, so that their motion has so much less energy: what it has beyond that of one
 rigid body is scaled. Their momentum and angular momentum stay where all of them are free. Else it
 is their motion against the fixed or driven body that they touch.
 @param body    local index of the free body
 @param energy  to be taken [J]
 @return false, with nothing changed, where that is too much of their motion, or where what they
 touch does not move as one */
bool SlowDown(const BodyGroup& group, int body, double energy, StageScratch* scratch);

}  // namespace intervox::host
