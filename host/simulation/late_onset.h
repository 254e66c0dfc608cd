/** @file Contacts that begin within a substep that is not cut at their onset. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** A contact may be begun late up to this phase ω (t − t*) since its onset. */
inline constexpr double kLatePhase = 0.2;

/** Whether a group steps past onsets: where bodies are many, cutting the steps of all of them for
 each contact would cost more than all else. */
bool StepsPastOnsets(const BodyGroup& group);

/** Begins the contacts whose onset lies within the trial in the scratch, of this length [s], and
 was awaited. Each gives its two bodies at the trial's end the impulse that it owes them since then:
 that along its force which takes as much energy as pressing into the overlap does, damping
 included. */
void BeginLateContacts(const StageTools& tools, const BodyGroup& group, double length,
                       StageScratch* scratch);

}  // namespace intervox::host
