/** @file The ellipsoid primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** One ellipsoid surface.
 @throws std::invalid_argument for radii that are not positive and finite. */
Pieces ToPieces(const Ellipsoid& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Ellipsoid&) { return "ellipsoid"; }

}  // namespace intervox::geometry
