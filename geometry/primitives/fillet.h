/** @file The fillet primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Five planes and the outside of a cylinder; the slanted plane, between the lines in which the
 cylinder touches the walls, holds no face. Of the box around it or of an outline's parts the
 engine would have more to do.
 @throws std::invalid_argument for sizes that are not positive and finite. */
Pieces ToPieces(const Fillet& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Fillet&) { return "fillet"; }

}  // namespace intervox::geometry
