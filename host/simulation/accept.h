/** @file A trial substep becomes the accepted state. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Makes the trial in the scratch the group's state at t: bodies move, contacts are born, merged,
 split and retired, latches move, impacts are recorded. Contacts keep the wrenches of the last
 stage, which the schemes' stiff accuracy makes those of the accepted state; those without any get
 theirs. */
void AcceptSubstep(const StageTools& tools, const Substep& substep, double t, BodyGroup* group,
                   StageScratch* scratch);

/** Solves the wrenches of contacts that have none, at the accepted state. */
void SolveNewContacts(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

/** Evaluates and accepts the contacts at the group's time, as a run begins or a body was placed. */
void StartGroup(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

}  // namespace intervox::host
