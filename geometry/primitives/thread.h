/** @file The screw thread primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Widest angle between the flanks of a thread [°]. */
inline constexpr double kMostFlankDeg = 150;
/** Most pieces of a thread. */
inline constexpr double kMostThreadPieces = 100'000;

/** The ridge in convex pieces of one side each, each the hull of the profiles at its two ends, and
 for a bolt its core, a prism.
 @throws std::invalid_argument for sizes that are not positive and finite, turns of the ridge that
 overlap at the root, and too many pieces. */
Pieces ToPieces(const Thread& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Thread&) { return "thread"; }

}  // namespace intervox::geometry
