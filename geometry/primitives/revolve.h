/** @file The revolved outline primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** The outline's parts (outline.h) turned about the axis: lines become planes, cylinders and cones,
 arcs balls and tori.
 @throws std::invalid_argument for an outline that RequireOutline refuses, that reaches beyond the
 axis, or that has an arc whose circle crosses the axis without being centred on it. */
Pieces ToPieces(const Revolve& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Revolve&) { return "revolve"; }

}  // namespace intervox::geometry
