/** @file The sphere primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** One ellipsoid surface.
 @throws std::invalid_argument for a radius that is not positive and finite. */
Pieces ToPieces(const Sphere& primitive, const std::string& place);

}  // namespace intervox::geometry
