/** @file A bounding hierarchy over posed cells: first hits and occlusion of rays. */
#pragma once

#include <limits>
#include <vector>

#include "geometry/box_tree.h"
#include "geometry/cell.h"
#include "host/render/render.h"

namespace intervox::host::internal {

/** No hit, or no limit. */
inline constexpr double kFar = std::numeric_limits<double>::infinity();

/** A hit on a grid, which is no surface of its cell. */
inline constexpr int kGridSurface = -2;

/** Where a ray enters the first body. */
struct SurfaceHit {
  double t = kFar;   ///< distance along the unit direction [m]
  Vec3 normal;       ///< outward, unit
  int body = -1;     ///< index into the scene's bodies; −1: nothing was hit
  int cell = -1;     ///< index over all posed cells
  int surface = -1;  ///< index into the cell's surfaces, or kGridSurface
  bool cut = false;  ///< on a cut plane
};

/** Cells in world coordinates, found by rays in logarithmic time. Immutable; safe from all threads.
 */
class Hierarchy {
 public:
  /** Poses the cells of the listed bodies. */
  Hierarchy(const std::vector<RenderBody>& bodies, const std::vector<int>& listed);

  /** The first entry into a cell with t_min < t < t_max; body −1 without one. */
  SurfaceHit FirstHit(const Vec3& origin, const Vec3& direction, double t_min, double t_max) const;
  /** Whether any cell is hit between t_min and t_max. */
  bool Occluded(const Vec3& origin, const Vec3& direction, double t_min, double t_max) const;

 private:
  struct PosedCell {
    geometry::Cell cell;  // surfaces and bounds in the world frame
    int body = -1;
    int first_cut = 0;  // surfaces from here on are cut planes
  };

  /** Calls visit(cell, t_max) for the cells whose boxes the ray meets between t_min and t_max. What
   it returns is the t_max of the cells that follow; t_min ends the walk. */
  template <class Visit>
  void Walk(const Vec3& origin, const Vec3& direction, double t_min, double t_max,
            Visit&& visit) const;
  bool HitCell(int index, const Vec3& origin, const Vec3& direction, double t_min, double t_max,
               SurfaceHit* hit) const;

  std::vector<PosedCell> cells_;  // unbounded ones last
  geometry::BoxTree boxes_;       // of the bounded ones
  int bounded_ = 0;               // how many there are
};

}  // namespace intervox::host::internal
