/** @file The share of a cube that lies on one side of a plane. */
#pragma once

#include <cmath>
#include <utility>

#include "geometry/linear.h"

namespace intervox::cuda::internal::certify {

/** x³ where x > 0. */
inline double CubeOfPositive(double x) { return x > 0 ? x * x * x : 0.0; }

/** (V2): the volume of {w ∈ [0,1]³ : m·w < α} for m₁ ≤ m₂ ≤ m₃ with sum 1 and 0 ≤ α ≤ ½, by
 inclusion and exclusion with the small divisor cancelled: to 32 roundings of itself. */
inline double CornerShare(double m1, double m2, double m3, double alpha) {
  const double both = m1 + m2;
  if (alpha < m1) return alpha * (alpha / m1) * (alpha / m2) / (6 * m3);
  if (both <= m3 && alpha >= both) return (2 * alpha - both) / (2 * m3);
  double share = (3 * alpha * (alpha - m1) + m1 * m1) / (6 * m2 * m3);
  if (m1 > 0) {
    // Each of the two is at most m₁³: the quotients stay below m₁².
    share -= (CubeOfPositive(alpha - m2) + CubeOfPositive(alpha - m3)) / m1 / (6 * m2 * m3);
  }
  return share;
}

/** (V1): the share of the cube |v_i| ≤ 1 with c + g·v > 0, to 1e-14 of itself for these c and g. */
inline double HalfSpaceShare(double c, const Vec3& g) {
  double m1 = std::fabs(g.x), m2 = std::fabs(g.y), m3 = std::fabs(g.z);
  if (m1 > m2) std::swap(m1, m2);
  if (m2 > m3) std::swap(m2, m3);
  if (m1 > m2) std::swap(m1, m2);
  const double sum = m1 + m2 + m3;
  if (!(c < sum)) return 1.0;
  if (!(c > -sum)) return 0.0;
  m1 /= sum;
  m2 /= sum;
  m3 /= sum;
  const double alpha = 0.5 * (sum + c) / sum;
  return alpha <= 0.5 ? CornerShare(m1, m2, m3, alpha)
                      : 1.0 - CornerShare(m1, m2, m3, 0.5 * (sum - c) / sum);
}

}  // namespace intervox::cuda::internal::certify
