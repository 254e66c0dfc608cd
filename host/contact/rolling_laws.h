/** @file Rolling resistance: the moment of the damping pressure over the patch. */
#pragma once

#include "host/contact/laws.h"
#include "host/contact/patch_depth.h"

namespace intervox::host {

/** T = I − n nᵀ. */
inline Mat3 TangentProjection(const Vec3& n) { return Mat3::Identity() - Outer(n, n); }

/** No rolling resistance. */
class NoRolling : public RollingLaw {
 public:
  explicit NoRolling(Parameters& /*p*/) {}
  Mat3 Moment(const PatchGeometry& /*geometry*/) const override { return Mat3::Zero(); }
};

/** τ_r = k_v a T J_v ω_t, Gonthier (4.183); T keeps it passive where n is no eigenvector of J_v. */
class GonthierRolling : public RollingLaw {
 public:
  explicit GonthierRolling(Parameters& /*p*/) {}
  Mat3 Moment(const PatchGeometry& geometry) const override {
    const Mat3 T = TangentProjection(geometry.n);
    return T * geometry.J_W * T;
  }
};

/** The exact flat plate: τ_r = k_v a (tr(M) I − M) ω_t, M = T E_v T, E_v = ½ tr(J_v) I − J_v.
 Friction then has the cross term that the thesis drops from (4.71)–(4.73) and (4.80): it acts at
 the centre of the pressure, which k_v a M (n×ω_t)/f_n takes away from the centroid. */
class ExactRolling : public RollingLaw {
 public:
  explicit ExactRolling(Parameters& /*p*/) {}
  Mat3 Moment(const PatchGeometry& geometry) const override {
    const Mat3 T = TangentProjection(geometry.n);
    const Mat3 M = T * SecondMoment(geometry) * T;
    return Trace(M) * T - M;
  }
  bool LeansPressure() const override { return true; }
};

}  // namespace intervox::host
