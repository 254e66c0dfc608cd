/** @file The last resort where no substep, however short, goes without gaining energy. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Makes the bodies of a group go on as one rigid body: with their momentum and angular momentum
 where all are free, at rest where one is fixed or driven. No other motion with these momenta has
 less kinetic energy, so it is only taken. Places and what contacts store stay.
 @return the energy taken, which enters the ledger as numerical [J] */
double Arrest(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

}  // namespace intervox::host
