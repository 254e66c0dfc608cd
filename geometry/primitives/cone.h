/** @file The cone and frustum primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** The lateral surface, then the planes of the ends whose radius is not 0; equal radii give a
 cylinder.
 @throws std::invalid_argument for a height that is not positive and finite, negative radii, or two
 zero radii. */
Pieces ToPieces(const Cone& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Cone&) { return "cone"; }

}  // namespace intervox::geometry
