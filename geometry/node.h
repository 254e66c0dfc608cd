/** @file Names and checks of CSG nodes. */
#pragma once

#include <string>

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** A node's name, or its operation's or primitive's where it has none. */
std::string NodeLabel(const Shape& shape);

/** A node's place for messages: "shape 'PARENT/LABEL'". */
std::string NodePlace(const Shape& shape, const std::string& parent_place);

/** Checks pose, scale and children.
 @throws std::invalid_argument naming place, value and remedy. */
void CheckNode(const Shape& shape, const std::string& place);

}  // namespace intervox::geometry
