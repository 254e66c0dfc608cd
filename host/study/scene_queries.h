/** @file The pairs that a scene's bodies make as they move. */
#pragma once

#include <functional>

#include "host/scene/pairs.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** Simulates a scene and notes which bodies are in contact, and where, at `samples` times that
 divide its duration evenly. Pairs of the same bodies have the same name.
 @param cancelled  asked at every step: what was noted until then is returned
 @throws InputError as Simulation does. */
PairsFile QueriesOf(const Scene& scene, int samples, const std::function<bool()>& cancelled = {});

}  // namespace intervox::host
