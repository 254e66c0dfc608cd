/** @file The cylinder primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** The lateral surface, then the bottom and the top plane.
 @throws std::invalid_argument for sizes that are not positive and finite. */
Pieces ToPieces(const Cylinder& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Cylinder&) { return "cylinder"; }

}  // namespace intervox::geometry
