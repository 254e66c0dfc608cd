/** @file The half-space primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** One plane; normal and offset are normalised together.
 @throws std::invalid_argument for a normal that is zero or not finite, or an offset that is not
 finite. */
Pieces ToPieces(const HalfSpace& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const HalfSpace&) { return "half_space"; }

}  // namespace intervox::geometry
