/** @file Bodies and their motions from YAML. */
#pragma once

#include "host/scene/scene.h"
#include "host/scene/shapes.h"

namespace intervox::host {

/** A prescribed motion from `start`; a constant velocity becomes key poses up to `duration` [s]. */
PrescribedMotion ReadMotion(const Cursor& cursor, const Pose& start, double duration);

/** One body, without its shape or cells, checked for itself. */
BodySettings ReadBody(const Cursor& cursor, const std::string& name, double duration);

}  // namespace intervox::host
