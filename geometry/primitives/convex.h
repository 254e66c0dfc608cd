/** @file The convex hull primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** The hull's planes, coplanar facets merged.
 @throws std::invalid_argument for fewer than four points, points that are not finite, a flat hull,
 or one of more than kMostHullTriangles triangles. */
Pieces ToPieces(const Convex& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Convex&) { return "convex"; }

}  // namespace intervox::geometry
