/** @file The last resort where no substep, however short, goes without gaining energy. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Makes the bodies of a group go on as one rigid body: with their momentum and angular momentum
 where all are free, at rest where one is fixed or driven. No other motion with these momenta has
 less kinetic energy, so it is only taken. Places and what contacts store stay.
 @return the energy taken, which enters the ledger as numerical [J] */
double Arrest(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

/** Slows the free bodies of the trial in the scratch that touch, so that their motion has so much
 less energy. What bodies that touch each other have beyond one rigid body's motion, or against the
 fixed or driven body that they touch, is scaled, all of it alike. Momentum and angular momentum
 stay where they touch free bodies alone. Bodies that touch nothing are left alone, and so are those
 that touch several fixed or driven ones which do not move as one.
 @param energy  to be taken [J]
 @return false, with nothing changed, where that is too much of their motion */
bool SlowDown(const BodyGroup& group, double energy, StageScratch* scratch);

}  // namespace intervox::host
