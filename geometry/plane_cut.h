/** @file Half-spaces and the points where three of them meet. */
#pragma once

#include <cmath>

#include "geometry/linear.h"

namespace intervox::geometry {

/** The half-space n·x ≤ d, n a unit vector; `id` is the caller's. */
struct PlaneCut {
  Vec3 n;
  double d = 0.0;
  int id = -1;
};

/** Below this determinant three unit normals do not define a point well. */
inline constexpr double kIndependent = 1e-5;

/** The point where three cuts meet, or `near` where their normals do not define one well.
 @param near  the point but for rounding, so that offsets from it are small. */
inline Vec3 CommonPoint(const PlaneCut& a, const PlaneCut& b, const PlaneCut& c, const Vec3& near) {
  const Vec3 bc = Cross(b.n, c.n), ca = Cross(c.n, a.n), ab = Cross(a.n, b.n);
  const double det = Dot(a.n, bc);
  if (std::abs(det) < kIndependent) return near;
  const auto offset = [&near](const PlaneCut& cut) { return cut.d - Dot(cut.n, near); };
  return near + (offset(a) * bc + offset(b) * ca + offset(c) * ab) / det;
}

/** Whether the cut's normal is that of another, but for rounding. */
inline bool Parallel(const PlaneCut& a, const PlaneCut& b) {
  return std::abs(a.n.x - b.n.x) < 1e-12 && SquaredNorm(a.n - b.n) < 1e-24;
}

}  // namespace intervox::geometry
