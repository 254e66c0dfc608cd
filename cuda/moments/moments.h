/** @file Raw moments of an overlap about a pair-local origin, and their way to metrics. */
#pragma once

#include "cuda/metrics.h"
#include "cuda/numerics/sym3.h"

namespace intervox::cuda {

/** ∫ dV, ∫ r dV and ∫ r rᵀ dV; of a face, the same over its area. */
struct VolumeMoments {
  double v = 0.0;
  Vec3 m;
  Sym3 second;

  /** Adds other. */
  INTERVOX_HD VolumeMoments& operator+=(const VolumeMoments& other) {
    v += other.v;
    m += other.m;
    second += other.second;
    return *this;
  }
  /** Adds the element dv at p. */
  INTERVOX_HD void AddPoint(double dv, const Vec3& p) {
    const Vec3 first = dv * p;
    v += dv;
    m += first;
    second += {Scaled(first, p), {first.x * p.y, first.x * p.z, first.y * p.z}};
  }
};

/** a moments. */
INTERVOX_HD inline VolumeMoments operator*(double a, const VolumeMoments& x) {
  return {a * x.v, a * x.m, a * x.second};
}

/** The moments about the origin, from those about the point c: the parallel-axis theorem. */
INTERVOX_HD inline VolumeMoments Shifted(const VolumeMoments& x, const Vec3& c) {
  return {x.v, x.m + x.v * c, x.second + (Mixed(c, x.m) + x.v * Square(c))};
}

/** Raw integrals over Ω and over its weighted boundary, about the pair-local origin L, world axes.
 */
struct Moments : VolumeMoments {
  Vec3 s;  ///< Σ_f w_f ∫_f n dS, n out of Ω; w: LocalSurface::weight
  Vec3 g;  ///< Σ_f w_f ∫_f r × n dS

  /** Adds other. */
  INTERVOX_HD Moments& operator+=(const Moments& other) {
    VolumeMoments::operator+=(other);
    s += other.s;
    g += other.g;
    return *this;
  }
};

/** a moments, for extrapolation. */
INTERVOX_HD inline Moments operator*(double a, const Moments& x) {
  const VolumeMoments& volume = x;
  return {a * volume, a * x.s, a * x.g};
}

/** The moments about the origin, from those about the point c. */
INTERVOX_HD inline Moments Shifted(const Moments& x, const Vec3& c) {
  const VolumeMoments& volume = x;
  return {Shifted(volume, c), x.s, x.g + Cross(c, x.s)};
}

/** The moments in other axes, whose rotation takes vectors of theirs to new ones. */
INTERVOX_HD inline Moments Turned(const Mat3& R, const Moments& x) {
  return {{x.v, R * x.m, Congruent(R, x.second)}, R * x.s, R * x.g};
}

/** The moments of Ω about L from integrals over y, x = p + F y: volumes grow by |det F|, areas turn
 by its cofactor C = |det F| F⁻ᵀ.
 @param s  Σ w ∫ n dS in y.
 @param t  Σ w ∫ y nᵀ dS in y. */
INTERVOX_HD inline Moments Mapped(const Mat3& F, const Vec3& p, const VolumeMoments& y,
                                  const Vec3& s, const Mat3& t) {
  const double scale = std::fabs(Determinant(F));
  const Mat3 C = scale * Transpose(Inverse(F));
  const Moments about_p{scale * VolumeMoments{y.v, F * y.m, Congruent(F, y.second)}, C * s,
                        Axial(F * t * Transpose(C))};
  return Shifted(about_p, p);
}

/** ∫((ρ·ρ)I − ρρᵀ)dV of a volume V at ρ. */
INTERVOX_HD inline Mat3 PointInertia(double V, const Vec3& rho) {
  return V * (SquaredNorm(rho) * Mat3::Identity() - Outer(rho, rho));
}

/** Metrics from raw moments about p_WL; fills V, centroid, J, S, G only. Requires v > 0. */
INTERVOX_HD inline InterferenceMetrics ToMetrics(const Moments& x, const Vec3& p_WL) {
  InterferenceMetrics out;
  const Vec3 c = x.m / x.v, vc = x.v * c;
  const Vec3 e = x.second.diag - Scaled(vc, c);
  const Vec3 d = x.second.off - Vec3{vc.x * c.y, vc.x * c.z, vc.y * c.z};
  out.volume = x.v;
  out.p_WC = p_WL + c;
  out.J_W = {{e.y + e.z, -d.x, -d.y}, {-d.x, e.x + e.z, -d.z}, {-d.y, -d.z, e.x + e.y}};
  out.area_vector = x.s;
  out.area_moment = x.g - Cross(c, x.s);
  return out;
}

}  // namespace intervox::cuda
