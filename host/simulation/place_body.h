/** @file Bodies put where they are told to be. */
#pragma once

#include "host/simulation/state.h"
#include "host/world/world.h"

namespace intervox::host {

/** Puts the driven bodies where they are at the state's time. */
void PlaceDriven(const World& world, State* state);

/** Places a free body where the key says, or has a driven one go on from there. Its contacts end,
 unless a driven one goes on from where it is.
 @return whether its contacts have ended. */
bool PlaceBody(const World& world, int body, const PrescribedMotion::Key& at, State* state);

}  // namespace intervox::host
