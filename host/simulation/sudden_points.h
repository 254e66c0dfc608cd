/** @file Points that are found deep without having been pressed there: they give back no more than
 was put into them. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Moves the offsets of points that in a trial have become deeper than the motion of their bodies
 tells, so that they store less by what the trial gains, as far as they store more by that jump: the
 deepest point is elsewhere, or points take over from others. @return whether any did */
bool TakeFromSuddenPoints(const StageTools& tools, const BodyGroup& group, double gain,
                          StageScratch* scratch);

}  // namespace intervox::host
