#include "host/mesh/bodies.h"

#include <algorithm>

#include "geometry/interior.h"
#include "geometry/make_surface.h"

namespace intervox::host {

std::vector<geometry::Cell> CutToBox(std::span<const geometry::Cell> cells,
                                     const geometry::Aabb& box) {
  std::vector<geometry::Cell> out;
  for (const geometry::Cell& cell : cells) {
    if (cell.bounded) {
      out.push_back(cell);
      continue;
    }
    std::vector<geometry::Surface> surfaces = cell.surfaces;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 n;
      n[axis] = 1;
      surfaces.push_back(geometry::MakePlane(n, box.upper[axis]));
      surfaces.push_back(geometry::MakePlane(-n, -box.lower[axis]));
    }
    if (geometry::FindInterior(surfaces).verdict == geometry::Interior::kEmpty) continue;
    out.push_back(geometry::MakeCellWithin(box, std::move(surfaces), cell.name));
  }
  return out;
}

double DefaultDeviation(std::span<const geometry::Cell> cells) {
  const geometry::Aabb box = geometry::BoundsInPose(cells, Pose::Identity());
  return 1e-3 * Norm(box.upper - box.lower);
}

}  // namespace intervox::host
