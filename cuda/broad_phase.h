/** @file Which cells of which bodies may touch: everything that goes on to the engine.

 Candidates are certain not to miss a pair that overlaps; they may hold pairs that do not. */
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "geometry/cell.h"

namespace intervox {

/** The cells of a body and its pose. */
struct BodyCells {
  std::span<const geometry::Cell> cells;
  Pose X_WB;
};

/** Cell a of one body, cell b of another. */
struct CellPair {
  std::int32_t a = 0;
  std::int32_t b = 0;
  /** By a, then by b. */
  auto operator<=>(const CellPair&) const = default;
};

/** A pair of cells of two bodies, body_a < body_b. */
struct BodyCellPair {
  std::int32_t body_a = 0;
  std::int32_t cell_a = 0;
  std::int32_t body_b = 0;
  std::int32_t cell_b = 0;
  /** By bodies, then by cells. */
  auto operator<=>(const BodyCellPair&) const = default;
};

/** Clears `pairs` and fills it with the candidates of two bodies, ascending. Boxes in B's frame,
 then oriented boxes. Allocates nothing once `pairs` and the thread's memory have grown; a few µs
 for 20 × 60 cells. Poses must be finite. */
void FindCandidates(const BodyCells& a, const BodyCells& b, std::vector<CellPair>* pairs);

/** Clears `pairs` and fills it with the candidates of all bodies, ascending; pairs of one body are
 left out. A linear bounding volume hierarchy over the cells' boxes, so the cost follows cells plus
 overlapping boxes. The same result for any number of threads (0: all cores). */
void FindAllCandidates(std::span<const BodyCells> bodies, std::vector<BodyCellPair>* pairs,
                       int threads = 0);

}  // namespace intervox
