/** @file Reads and writes the joints of a scene. */
#pragma once

#include <string>

#include "host/scene/cursor.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** Reads one joint and checks it for itself. @throws InputError naming line, key and remedy. */
JointSettings ReadJoint(const Cursor& cursor, const std::string& name);

/** Returns a joint as the value of a YAML key with every default explicit. */
std::string JointText(const JointSettings& joint);

}  // namespace intervox::host
