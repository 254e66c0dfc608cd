/** @file The wedge primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** One piece of planes.
 @throws std::invalid_argument for sizes that are not positive and finite, and for a top that is
 negative or longer than the box. */
Pieces ToPieces(const Wedge& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Wedge&) { return "wedge"; }

}  // namespace intervox::geometry
