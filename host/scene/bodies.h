/** @file Bodies and their motions from YAML. */
#pragma once

#include "host/scene/scene.h"
#include "host/scene/shapes.h"

namespace intervox::host {

/** A prescribed motion; a constant velocity is one key at `start`, from which it goes on for ever.
 */
PrescribedMotion ReadMotion(const Cursor& cursor, const Pose& start);

/** One body, without its shape or cells, checked for itself. */
BodySettings ReadBody(const Cursor& cursor, const std::string& name);

}  // namespace intervox::host
