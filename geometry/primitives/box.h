/** @file The box primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Six planes, in the order −x, +x, −y, +y, −z, +z.
 @throws std::invalid_argument for sizes that are not positive and finite. */
Pieces ToPieces(const Box& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Box&) { return "box"; }

}  // namespace intervox::geometry
