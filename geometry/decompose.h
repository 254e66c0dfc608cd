/** @file Set operations on lists of disjoint cells, before names, bounds and neighbours. */
#pragma once

#include <string>
#include <vector>

#include "geometry/bounds.h"
#include "geometry/surface.h"

namespace intervox::geometry {

/** A cell under construction. */
struct RawCell {
  std::vector<Surface> surfaces;
  std::string name;  ///< empty: takes the name of the union around it
  int node = -1;
  Aabb box;  ///< encloses the cell; infinite where unknown
};

/** A raw cell with its box. */
RawCell MakeRawCell(std::vector<Surface> surfaces, std::string name, int node);

/** The part of A outside T = ∩ t_k as disjoint pieces: A∩¬t_1, A∩t_1∩¬t_2, …; curved surfaces
 first, surfaces that do not cut A skipped, empty pieces dropped. A itself where T does not meet it.
 */
std::vector<RawCell> Subtract(const RawCell& A, const RawCell& T);

/** A∩T, or nothing when that is certified empty; named after A. */
std::vector<RawCell> Intersect(const RawCell& A, const RawCell& T);

/** Drops surfaces that are certified not to bound the cell: first doubles, then planes, then curved
 ones. False when what is left shows that the cell is empty or flat: a sliver between faces that
 are parallel but for rounding can look like a cell until then. */
bool Simplify(std::vector<Surface>* surfaces);

}  // namespace intervox::geometry
