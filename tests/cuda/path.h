/** @file Jumps of the volume along a path of poses. */
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace intervox::testing {

/** What a pose of a path gives: V [m³] and its slope −S·e [m²] along the path. Both are 0 apart. */
struct PathPose {
  double volume = 0;
  double slope = 0;
};

/** The largest jump of V from a pose to the next, over V: what the slope's integral by the
 trapezoidal rule does not explain, less what that rule itself may be off where the slope bends or
 jumps: half a step times the second differences of the slope on either side. */
inline double LargestJump(const std::vector<PathPose>& path, double step) {
  double largest = 0;
  for (std::size_t i = 1; i + 2 < path.size(); ++i) {
    const PathPose *p = &path[i], &next = path[i + 1];
    if (!(p->volume > 0) || !(next.volume > 0)) continue;
    const double left = std::fabs(p[-1].slope - 2 * p[0].slope + p[1].slope);
    const double right = std::fabs(p[0].slope - 2 * p[1].slope + p[2].slope);
    const double jump = next.volume - p->volume - 0.5 * step * (p->slope + next.slope);
    largest = std::max(largest, (std::fabs(jump) - 0.5 * step * std::max(left, right)) /
                                    std::max(p->volume, next.volume));
  }
  return largest;
}

}  // namespace intervox::testing
