/** @file Cells with more surfaces than a pair can hold become several. */
#pragma once

#include <span>
#include <vector>

#include "geometry/decompose.h"

namespace intervox::geometry {

/** Most curved surfaces of a cell that CSG makes: the engine's rules cost more than one for each.
 */
inline constexpr int kMostCurved = 12;
/** Most surfaces of such a cell when some are curved: the engine takes 48 of the two of a pair. */
inline constexpr int kMostSurfaces = 24;

/** Whether a cell with these surfaces goes beyond the limits. */
bool IsCrowded(std::span<const Surface> surfaces);

/** The cell as parts that keep to the limits, cut by planes across the axes of its frame: each time
 the plane that leaves the fuller side with the fewest surfaces. A cell within the limits comes back
 as it is, and so does one that no plane relieves, such as the inside of many coaxial surfaces. In
 order along the planes' normals; deterministic. */
std::vector<RawCell> SplitCrowd(RawCell cell, Effort* effort);

/** Tools above this number are shared out among the halves of a cell before any of them cuts it. */
inline constexpr std::size_t kMostTools = 1000;

/** The two halves of a bounded cell that more than kMostTools tools may cut, divided across an axis
 where few tools' boxes reach both sides; nothing for fewer tools, or where no such plane is found.
 So a plate with n holes costs n log n: what is cut is never much larger than what cuts it. */
std::vector<RawCell> SplitForTools(const RawCell& cell, std::span<const int> near,
                                   const std::vector<RawCell>& tools, Effort* effort);

}  // namespace intervox::geometry
