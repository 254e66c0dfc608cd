/** @file Rays against cells and sets of cells: what the ray caster and the column rules ask. */
#pragma once

#include <span>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

/** Where a ray enters a union of cells. */
struct RayHit {
  double t = 0.0;    ///< parameter along the ray, in units of |direction|
  Vec3 normal;       ///< outward unit normal of the surface that was hit
  int surface = -1;  ///< index into the cell's surfaces; −1: the ray starts inside
  int cell = -1;     ///< index into the cells
};

/** One stretch of a ray inside a cell, with the surfaces where it begins and ends. */
struct RaySpan {
  double lo = 0.0;
  double hi = 0.0;
  int entry = -1;  ///< index of the surface entered through; −1: clipped by t_min
  int exit = -1;   ///< index of the surface left through; −1: clipped by t_max
  int cell = -1;   ///< the cell (set by the call over many cells)
};

/** Finds where the ray origin + t direction, t_min ≤ t ≤ t_max, first enters the union of the
 cells. Faces between cells of the set are no entries. A ray that starts inside the union hits at
 t_min with surface −1 and the normal −direction/|direction|.
 @param direction any length but 0; all vectors in the frame of the cells.
 @returns whether there is a hit; `hit` is written only then. */
bool FirstHit(std::span<const Cell> cells, const Vec3& origin, const Vec3& direction, double t_min,
              double t_max, RayHit* hit);

/** All stretches of the ray inside one cell, ascending and disjoint; stretches of zero length are
 left out. */
std::vector<RaySpan> RaySpans(const Cell& cell, const Vec3& origin, const Vec3& direction,
                              double t_min, double t_max);

/** All stretches inside the union of disjoint cells, ascending; stretches that touch are merged,
 so that faces between cells do not show. The entry and exit of a merged stretch are those of its
 first and last part; `cell` is the first part's. */
std::vector<RaySpan> RaySpans(std::span<const Cell> cells, const Vec3& origin,
                              const Vec3& direction, double t_min, double t_max);

}  // namespace intervox::geometry
