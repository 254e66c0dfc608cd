/** @file Cells cut around the axes of their hollow faces. */
#pragma once

#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

struct Effort;

/** The cells of one body, those with a hollow face cut by planes through its axis into sectors of
 90°: holes, funnels and grooves, tori from either side (but for rounded rims), and pockets, which
 have three such planes. A general quadric is cut in its planes of symmetry.

 A solid may touch opposite walls of a hole at once. Where both belong to one cell, one pair of
 cells has two overlaps, and one set of metrics for both. Cells without hollow faces stay as they
 are, and so do those whose hollow faces lie against a neighbour, as a strut's end on its node;
 neighbours are linked anew when anything was cut. */
std::vector<Cell> SplitHollows(std::vector<Cell> cells);

/** The same, adding up its effort. */
std::vector<Cell> SplitHollows(std::vector<Cell> cells, Effort* effort);

}  // namespace intervox::geometry
