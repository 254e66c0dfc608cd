/** @file The regular prism primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Most sides of a prism: cells cost the square of their faces. */
inline constexpr int kMostPrismSides = 1000;

/** One piece of planes.
 @throws std::invalid_argument for fewer than 3 or more than kMostPrismSides sides, and for sizes
 that are not positive and finite. */
Pieces ToPieces(const Prism& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Prism&) { return "prism"; }

}  // namespace intervox::geometry
