/** @file A cell grown by a distance: what shows that two cells are that far apart. */
#pragma once

#include <optional>

#include "geometry/cell.h"

namespace intervox::geometry {

/** A cell that holds every point within `distance` > 0 [m] of the given one: each surface moved
 outward, so corners stay sharp. If it is disjoint from another cell, the two are `distance` apart.
 Empty for cells with general quadrics, with a torus that would close its hole, or with nothing but
 holes that close. */
std::optional<Cell> Grow(const Cell& cell, double distance);

}  // namespace intervox::geometry
