/** @file The capsule primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Cylinder, lower and upper half ball, separated by cut planes.
 @throws std::invalid_argument for sizes that are not positive and finite. */
Pieces ToPieces(const Capsule& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Capsule&) { return "capsule"; }

}  // namespace intervox::geometry
