/** @file The intersection of half-spaces. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Its planes without the redundant ones.
 @throws std::invalid_argument for an empty list, bad half-spaces, or an empty or flat intersection.
 */
Pieces ToPieces(const HalfSpaces& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const HalfSpaces&) { return "half_spaces"; }

}  // namespace intervox::geometry
