/** @file The sphere primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** One ellipsoid surface.
 @throws std::invalid_argument for a radius that is not positive and finite. */
Pieces ToPieces(const Sphere& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Sphere&) { return "sphere"; }

}  // namespace intervox::geometry
