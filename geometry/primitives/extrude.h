/** @file The extruded outline primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** The outline's parts (outline.h) between two planes.
 @throws std::invalid_argument for an outline that RequireOutline refuses, and for a height that is
 not positive and finite. */
Pieces ToPieces(const Extrude& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Extrude&) { return "extrude"; }

}  // namespace intervox::geometry
