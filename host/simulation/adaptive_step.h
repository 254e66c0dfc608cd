/** @file A step of a group of bodies by a method that chooses its own steps. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Steps a group to `end`. The method begins anew where a contact begins or ends, where contacts
 are grouped in another way, where loads begin or end, and at `end`; events are found by bisection
 on its dense output. What gains energy from nothing, or loses much to nothing, is done
 again with a tenth of the tolerance.
 @throws std::runtime_error naming time, state and contact where the method cannot go on. */
void StepAdaptively(const StageTools& tools, double end, BodyGroup* group, StageScratch* scratch);

}  // namespace intervox::host
