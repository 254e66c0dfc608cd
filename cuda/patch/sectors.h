/** @file The sectors that divide a patch around its centroid, each with a profile along its middle.
 */
#pragma once

#include <cmath>
#include <vector>

#include "cuda/patch/ellipse.h"
#include "cuda/patch/profile.h"

namespace intervox::cuda::internal {

/** No point of a convex body is farther from its centroid than √15 standard deviations; 1 % is for
 the moments' own error. */
inline constexpr double kReach = 1.01 * 3.87298334620741688518;

/** Sectors of a patch, whose memory is used again. Directions are given in coordinates in which the
 ellipse of inertia is the unit circle. */
struct Sectors {
  Columns columns;
  std::vector<Vec2> uniform;      ///< directions at equal angles
  std::vector<Vec2> borders;      ///< of the sectors, each up to the next
  std::vector<Profile> profiles;  ///< along the middles of the sectors
  bool is_round = false;          ///< one rim without corners, all around
};

/** The middle of two points. */
inline Vec2 Middle(const Vec2& a, const Vec2& b) { return 0.5 * (a + b); }

/** Whether a border is a direction, not a point of a straight edge. */
inline bool IsUnit(const Vec2& a) { return std::fabs(Dot(a, a) - 1) <= 1e-12; }

/** Divides a patch, whose columns are set, into so many sectors, a multiple of four, or between the
 corners of its rim, and looks along each, or lets what is smooth follow from its neighbours. */
void LookAlongSectors(const Stretching& L, int count, Sectors* sectors);

}  // namespace intervox::cuda::internal
