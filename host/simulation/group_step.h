/** @file A step of a group of bodies, in as many substeps as it takes. */
#pragma once

#include "host/simulation/energy_guard.h"
#include "host/simulation/stage.h"

namespace intervox::host {

/** Steps a group to `end`. With an implicit scheme the step is cut at events, where loads begin or
 end, and as SubstepPlan says; beyond a budget of substeps the rest of the step is a dissipative
 one. A substep that would gain energy is done again, shorter and dissipatively. Explicit schemes
 keep their steps.
 @throws std::runtime_error naming time and body when a state is not finite. */
void StepGroup(const StageTools& tools, double end, BodyGroup* group, StageScratch* scratch);

/** The next time up to `end` at which a step is to be cut for a load or a motion [s]. */
double NextCut(const StageTools& tools, const BodyGroup& group, double end);

/** Accepts the trial in the scratch, which ends at t.
 @throws std::runtime_error where joints do not close or a state is not finite. */
void CommitSubstep(const StageTools& tools, const Substep& substep, double t,
                   const EnergyCheck& check, BodyGroup* group, StageScratch* scratch);

}  // namespace intervox::host
