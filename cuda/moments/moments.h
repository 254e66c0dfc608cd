/** @file Raw moments of an overlap about a pair-local origin, and their way to metrics. */
#pragma once

#include "cuda/metrics.h"

namespace intervox::cuda {

/** Raw integrals over Ω and over its weighted boundary, about the pair-local origin L, world axes.
 */
struct Moments {
  double v = 0.0;  ///< ∫ dV
  Vec3 m;          ///< ∫ r dV
  Vec3 q;          ///< ∫ (xx, yy, zz) dV
  Vec3 d;          ///< ∫ (xy, xz, yz) dV
  Vec3 s;          ///< Σ_f w_f ∫_f n dS, n out of Ω; w: LocalSurface::weight
  Vec3 g;          ///< Σ_f w_f ∫_f r × n dS

  /** Adds other. */
  INTERVOX_HD Moments& operator+=(const Moments& other) {
    v += other.v;
    m += other.m;
    q += other.q;
    d += other.d;
    s += other.s;
    g += other.g;
    return *this;
  }
};

/** a moments, for extrapolation. */
INTERVOX_HD inline Moments operator*(double a, const Moments& x) {
  return {a * x.v, a * x.m, a * x.q, a * x.d, a * x.s, a * x.g};
}

/** The moments about the origin, from those about the point c. */
INTERVOX_HD inline Moments Shifted(const Moments& x, const Vec3& c) {
  Moments out = x;
  out.m += x.v * c;
  out.q += 2.0 * Scaled(c, x.m) + x.v * Scaled(c, c);
  out.d += Vec3{c.x * x.m.y + c.y * x.m.x, c.x * x.m.z + c.z * x.m.x, c.y * x.m.z + c.z * x.m.y} +
           x.v * Vec3{c.x * c.y, c.x * c.z, c.y * c.z};
  out.g += Cross(c, x.s);
  return out;
}

/** The moments in other axes, whose rotation takes vectors of theirs to new ones. */
INTERVOX_HD inline Moments Turned(const Mat3& R, const Moments& x) {
  const Mat3 second =
      R * Mat3{{x.q.x, x.d.x, x.d.y}, {x.d.x, x.q.y, x.d.z}, {x.d.y, x.d.z, x.q.z}} * Transpose(R);
  return {x.v,
          R * x.m,
          {second(0, 0), second(1, 1), second(2, 2)},
          {second(0, 1), second(0, 2), second(1, 2)},
          R * x.s,
          R * x.g};
}

/** Metrics from raw moments about p_WL; fills V, centroid, J, S, G only. Requires v > 0. */
INTERVOX_HD inline InterferenceMetrics ToMetrics(const Moments& x, const Vec3& p_WL) {
  InterferenceMetrics out;
  const Vec3 c = x.m / x.v;
  const Vec3 e = x.q - Vec3{x.v * c.x * c.x, x.v * c.y * c.y, x.v * c.z * c.z};
  const Vec3 d = x.d - Vec3{x.v * c.x * c.y, x.v * c.x * c.z, x.v * c.y * c.z};
  out.volume = x.v;
  out.p_WC = p_WL + c;
  out.J_W = {{e.y + e.z, -d.x, -d.y}, {-d.x, e.x + e.z, -d.z}, {-d.y, -d.z, e.x + e.y}};
  out.area_vector = x.s;
  out.area_moment = x.g - Cross(c, x.s);
  return out;
}

}  // namespace intervox::cuda
