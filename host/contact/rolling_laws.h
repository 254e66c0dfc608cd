/** @file Rolling resistance: the moment of the damping pressure over the patch. */
#pragma once

#include <algorithm>
#include <cmath>

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

/** Gonthier's moment against rocking alone. Where the gap curves the patch travels along as the
 bodies roll, and its depths stay as they are: there is none. With the mean square σ² of the
 distances from the centroid along a principal direction of curvature k, and the mean depth V/S,

   share = 1 − 2 k σ² S/V, cut off at 0 and 1:

 k σ² S/V is 2/3 where curves bound the patch, 0.6 where one does, and 0 between flat faces. */
class RockingResistance : public RollingLaw {
 public:
  explicit RockingResistance(Parameters& /*p*/) {}
  Mat3 Moment(const PatchGeometry& geometry) const override {
    const Mat3 T = TangentProjection(geometry.n);
    const Vec3 along = T * geometry.d_1;
    const double length = Norm(along);
    if (!(length > 0.0)) return Mat3::Zero();
    const Vec3 d_1 = along / length, d_2 = Cross(geometry.n, d_1);
    const Mat3 second = SecondMoment(geometry);
    const double thin = Norm(geometry.S) / (geometry.V * geometry.V);
    const auto share = [&](double k, const Vec3& d) {
      const double travels = 2.0 * k * thin * Dot(d, second * d);
      return travels < 1.0 ? std::min(1.0, 1.0 - travels) : 0.0;
    };
    // What tilts the patch along d_1 turns about d_2.
    const Mat3 by = std::sqrt(share(geometry.k_1, d_1)) * Outer(d_2, d_2) +
                    std::sqrt(share(geometry.k_2, d_2)) * Outer(d_1, d_1);
    return by * geometry.J_W * by;
  }
  bool FollowsCurvature() const override { return true; }
};

}  // namespace intervox::host
