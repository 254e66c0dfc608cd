/** @file The distinct surfaces of a solid's cells, and points on them. */
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "geometry/bounds.h"
#include "geometry/cell.h"

namespace intervox::host {

/** One side of one surface: the numbers of surfaces are those of a SurfaceSet. */
struct SurfaceSide {
  int surface = 0;
  int side = 1;  ///< +1: the cell has f ≤ 0
};

/** The surfaces of a set of cells, each once, in axes through `origin`: far from it digits are
 * lost. */
struct SurfaceSet {
  Vec3 origin;                                  ///< in the cells' frame [m]
  std::vector<geometry::Surface> surfaces;      ///< side +1
  std::vector<std::vector<SurfaceSide>> cells;  ///< by cell; planes first
  std::vector<geometry::Aabb> boxes;            ///< of the cells
  double size = 0.0;                            ///< diagonal of all boxes [m]
};

/** Collects the surfaces of bounded cells. Surfaces that agree within 1e-10 of the size are one.
 The origin is that of the cells, or their middle where that is far from it. */
SurfaceSet CollectSurfaces(std::span<const geometry::Cell> cells);

/** The distance from p to a surface, to first order: |f| / |∇f| [m]. */
double DistanceTo(const geometry::Surface& surface, const Vec3& p);

/** Moves *p to where all the surfaces meet, by the shortest way, to rounding. Where surfaces touch
 without crossing they count as one.
 @returns whether it converged; *p is written only then. */
bool MoveOnto(const SurfaceSet& set, std::span<const int> surfaces, Vec3* p);

}  // namespace intervox::host
