/** @file Whether a pair's solids nearly coincide, so that rules divide where there is little. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/surface/surface_bound.h"

namespace intervox::cuda {

/** Curved surfaces that differ by less than this share of their size nearly coincide: beyond it no
 pair of equal solids was seen to take more than 50 ms. */
inline constexpr double kNearlyCoincident = 0.02;

/** Whether a curved surface of one body nearly coincides with one of the other. What lies between
 them is thin all over, and dividing it stops only at rounding: rules then stop at less work. */
INTERVOX_HD inline bool NearlyCoincides(const LocalPair& pair) {
  const Vec3 span = pair.upper - pair.lower;
  const double size = span.x + span.y + span.z;
  for (int i = pair.planes; i < pair.count; ++i) {
    for (int j = i + 1; j < pair.count; ++j) {
      const LocalSurface &a = pair.surface[i], &b = pair.surface[j];
      if (a.body != b.body && Coincidence(a.surface, b.surface, kNearlyCoincident, size) != 0) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace intervox::cuda
