/** @file The rounded box primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** A box from face to face in x, one for each other face, quarters of cylinders for the edges,
 eighths of balls for the corners, separated by cut planes; those that have no size are left out.
 @throws std::invalid_argument for sizes that are not positive and finite, and for a radius of more
 than half the shortest edge. */
Pieces ToPieces(const RoundedBox& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const RoundedBox&) { return "rounded_box"; }

}  // namespace intervox::geometry
