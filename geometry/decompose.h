/** @file Set operations on lists of disjoint cells, before names, bounds and neighbours. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "geometry/bounds.h"
#include "geometry/enclose.h"
#include "geometry/shape.h"

namespace intervox::geometry {

/** A point that proves that a surface bounds a cell: inside all its other surfaces, outside this
 * one.
 */
struct Proof {
  bool known = false;
  Vec3 point;
};

/** A cell under construction. */
struct RawCell {
  std::vector<Surface> surfaces;
  std::string name;  ///< empty: takes the name of the union around it
  int node = -1;
  Aabb box;  ///< encloses the cell; infinite where unknown
  /** Of the leading surfaces, as the last Simplify found them; the surfaces beyond are new. */
  std::vector<Proof> proofs;
  std::shared_ptr<const EnclosingPolytope> hull;  ///< of its surfaces; null where none is kept
};

/** What a decomposition has done so far: a measure of its cost that no clock disturbs. */
struct Effort {
  std::int64_t cuts = 0;      ///< pieces compared with an operand whose box they meet
  std::int64_t searches = 0;  ///< emptiness searches
  std::int64_t surfaces = 0;  ///< surfaces in those searches
  std::int64_t pairs = 0;     ///< pairs of near cells compared for a common face
};

/** A raw cell with its box. */
RawCell MakeRawCell(std::vector<Surface> surfaces, std::string name, int node);

/** A cell to be cut further, in the box of its bounds. */
RawCell RawCellOf(const Cell& cell);

/** The part of A outside T = ∩ t_k as disjoint pieces: A∩¬t_1, A∩t_1∩¬t_2, …; curved surfaces
 first, surfaces that do not cut A skipped, empty pieces dropped. A itself where T does not meet it.
 */
std::vector<RawCell> Subtract(const RawCell& A, const RawCell& T, Effort* effort);

/** A∩T, or nothing when that is certified empty; named after A. */
std::vector<RawCell> Intersect(const RawCell& A, const RawCell& T, Effort* effort);

/** The parts of a piece below and above a plane, or the piece itself where one of them has no
 volume. The names of parts get the suffixes "-" and "+". */
std::vector<RawCell> Halves(const RawCell& piece, const Surface& plane, Effort* effort);

/** Drops surfaces that are certified not to bound the cell: first doubles, then planes, then curved
 ones. A surface is judged again only where new surfaces have taken its proof away, so that a cut
 costs what it changes. False when what is left shows that the cell is empty or flat: a sliver
 between faces that are parallel but for rounding can look like a cell until then. */
bool Simplify(RawCell* cell, Effort* effort);

/** ToCells of shape.h that adds up its effort. */
std::vector<Cell> ToCells(const Shape& shape, Effort* effort);

}  // namespace intervox::geometry
