/** @file Constants and comparisons of numbers. */
#pragma once

#include "geometry/linear.h"

namespace intervox::cuda::internal {

inline constexpr double kPi = 3.14159265358979323846;
/** "Beyond any scene": stands for infinity. */
inline constexpr double kFar = 1e300;

/** The largest component. */
INTERVOX_HD constexpr double Largest(const Vec3& v) {
  return v.x > v.y ? (v.x > v.z ? v.x : v.z) : (v.y > v.z ? v.y : v.z);
}
/** The smallest component. */
INTERVOX_HD constexpr double Smallest(const Vec3& v) {
  return v.x < v.y ? (v.x < v.z ? v.x : v.z) : (v.y < v.z ? v.y : v.z);
}

}  // namespace intervox::cuda::internal
