/** @file In which axes an overlap may be a box of few boxes. */
#pragma once

#include <cmath>
#include <vector>

#include "geometry/cell.h"

namespace intervox::cuda::internal::certify {

/** Two cells, posed in a frame L. */
struct PosedCells {
  const geometry::Cell* cell[2] = {};
  Pose X[2];  ///< of the cells' frames in L
};

/** The parallelepiped x = p + edges v, |v_i| ≤ 1, in L. */
struct Region {
  Vec3 p;
  Mat3 edges;

  /** Its volume but for rounding [m³]. */
  double Volume() const { return 8 * std::fabs(Determinant(edges)); }
};

/** A region with the axes R, a rotation, that contains another with all rounding. */
Region Around(const Region& region, const Mat3& R);

/** Rotations, no two alike. */
struct Axes {
  std::vector<Mat3> contact;  ///< column 2 across the contact
  std::vector<Mat3> solids;   ///< those of surfaces and bounds
};

/** What the surfaces say that may cut the region. Nothing here needs to be exact. */
Axes FindAxes(const PosedCells& cells, const Region& region);

}  // namespace intervox::cuda::internal::certify
