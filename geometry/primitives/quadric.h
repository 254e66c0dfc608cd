/** @file The general quadric primitive. */
#pragma once

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {

/** Classifies q ≤ 0 by its principal axes. Ellipsoids, circular cylinders, their complements, pairs
 of planes and half-spaces become the surfaces of those kinds; a circular double cone becomes two
 cells, one for each nappe; the rest stays a general quadric. Eigenvalues and their differences
 below 1e-12 of the largest count as zero.
 @throws std::invalid_argument for coefficients that are not finite, a quadric without interior, or
 one that fills all of space. */
Pieces ToPieces(const Quadric& primitive, const std::string& place);

/** Its key in files. */
inline const char* KeyOf(const Quadric&) { return "quadric"; }

}  // namespace intervox::geometry
