/** @file Levels of many points over a half-space, four at once. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "geometry/plane_cut.h"

namespace intervox::geometry {

/** Four numbers that are computed together. */
using Four = double __attribute__((vector_size(32)));

/** Sets the levels of points over a cut; returns the least and the greatest. The coordinates are
 padded with those of the first point to a multiple of four. */
inline std::pair<double, double> Levels(const PlaneCut& cut, const double* x, const double* y,
                                        const double* z, std::size_t count, double* level) {
  Four lo{}, hi{};
  for (std::size_t k = 0; k < count; k += 4) {
    Four p[3];
    std::memcpy(&p[0], x + k, sizeof p[0]);
    std::memcpy(&p[1], y + k, sizeof p[1]);
    std::memcpy(&p[2], z + k, sizeof p[2]);
    const Four four = cut.n.x * p[0] + cut.n.y * p[1] + cut.n.z * p[2] - cut.d;
    std::memcpy(level + k, &four, sizeof four);
    lo = k == 0 || four < lo ? four : lo;
    hi = k == 0 || four > hi ? four : hi;
  }
  return {std::min(std::min(lo[0], lo[1]), std::min(lo[2], lo[3])),
          std::max(std::max(hi[0], hi[1]), std::max(hi[2], hi[3]))};
}

}  // namespace intervox::geometry
