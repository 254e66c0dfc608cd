/** @file Cells with more surfaces than a pair can hold become several. */
#pragma once

#include <vector>

#include "geometry/decompose.h"

namespace intervox::geometry {

/** Most curved surfaces of a cell that CSG makes: the engine's rules cost more than one for each.
 */
inline constexpr int kMostCurved = 12;
/** Most surfaces of such a cell when some are curved: the engine takes 48 of the two of a pair. */
inline constexpr int kMostSurfaces = 24;

/** The cell as parts that keep to the limits, cut by planes across the axes of its frame: each time
 the plane that leaves the fuller side with the fewest surfaces. A cell within the limits comes back
 as it is, and so does one that no plane relieves, such as the inside of many coaxial surfaces. In
 order along the planes' normals; deterministic. */
std::vector<RawCell> SplitCrowd(RawCell cell, Effort* effort);

}  // namespace intervox::geometry
