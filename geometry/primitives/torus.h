/** @file The torus primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** One torus surface.
 @throws std::invalid_argument for radii that are not positive and finite, or a minor radius that is
 not below the major one. */
Pieces ToPieces(const Torus& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Torus&) { return "torus"; }

}  // namespace intervox::geometry
