/** @file Two balls, or a ball and a half-space: closed forms. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/moments/moments.h"
#include "cuda/numerics/scalar.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/pair_frame.h"

namespace intervox::cuda {

/** The overlap of a pair that BallRule takes. */
struct BallOutcome {
  bool taken = false;      ///< false: the cells are others
  bool contained = false;  ///< one cell contains the other
  RuleResult result;
  Moments moments;  ///< about p_WL
  Vec3 p_WL;        ///< centre of the rim, or of the ball that is inside [m]
};

namespace internal::ball {

/** A cell of one surface in L: the ball |x − p| ≤ radius, or with radius 0 the half-space
 n·(x − p) ≤ 0. */
struct BallOrHalfSpace {
  double radius = 0.0;
  Vec3 p, n;
  double weight = 0.0;  ///< of its face in S and G
};

INTERVOX_HD inline bool AsBallOrHalfSpace(const CellView& cell, const Pose& X_LC, int body,
                                          BallOrHalfSpace* out) {
  if (cell.surface_count != 1) return false;
  const geometry::Surface& s = cell.surfaces[0];
  out->p = X_LC * s.o;
  out->weight = s.cut ? 0.0 : body == 0 ? -0.5 : 0.5;
  if (s.kind == geometry::SurfaceKind::kPlane) {
    out->n = static_cast<double>(s.side) * (X_LC.R * s.PlaneNormal());
    return true;
  }
  if (s.kind != geometry::SurfaceKind::kEllipsoid || s.side < 0) return false;
  if (s.e.x != s.e.y || s.e.x != s.e.z) return false;
  out->radius = std::sqrt(-s.c / s.e.x);
  return true;
}

/** (B2): the cap of height h of a ball, and its moments about the centre of its rim. */
struct Cap {
  double v = 0.0;       ///< ∫ dV
  double m = 0.0;       ///< ∫ z dV, z along the axis
  double along = 0.0;   ///< ∫ z² dV
  double across = 0.0;  ///< ∫ x² dV, x across the axis
};

INTERVOX_HD inline Cap MakeCap(double r, double h) {
  const double w = kPi * h * h;
  return {w * (3 * r - h) / 3, w * h * (4 * r - h) / 12, w * h * h * (5 * r - h) / 30,
          w * h * (20 * r * r - 15 * r * h + 3 * h * h) / 60};
}

}  // namespace internal::ball

/** Metrics of the lens or cap in which two balls, or a ball and a half-space, overlap, by (B1)
 to (B4). The two faces meet in one rim, and each has an area vector along the axis through its
 centre. Exact to rounding.
 @return taken = false for other cells; error estimates |error of V| [m³] */
INTERVOX_HD inline BallOutcome BallRule(const PairFrame& frame) {
  BallOutcome out;
  internal::ball::BallOrHalfSpace a, b;
  if (!internal::ball::AsBallOrHalfSpace(frame.a, frame.X_LA, 0, &a)) return out;
  if (!internal::ball::AsBallOrHalfSpace(frame.b, frame.X_LB, 1, &b)) return out;
  if (!(a.radius > 0) && !(b.radius > 0)) return out;
  out.taken = out.result.accepted = true;
  out.result.work = 1;
  // Heights of the caps of a and b beyond the rim's plane, and the axis from a to b.
  double h_a = 0, h_b = 0;
  Vec3 axis;
  const Vec3 D = b.p - a.p;
  double reach = a.radius + b.radius;
  if (a.radius > 0 && b.radius > 0) {
    const double d = Norm(D), depth = a.radius + b.radius - d;
    if (!(depth > 0)) return out;
    out.contained = d <= std::fabs(a.radius - b.radius);
    if (!out.contained) {
      axis = D / d;
      h_a = depth * (b.radius + d - a.radius) / (2 * d);
      h_b = depth * (a.radius + d - b.radius) / (2 * d);
    }
    reach += d;
  } else {
    const bool a_is_plane = !(a.radius > 0);
    axis = a_is_plane ? a.n : -b.n;
    const double depth = reach - Dot(axis, D);
    if (!(depth > 0)) return out;
    out.contained = depth >= 2 * reach;
    (a_is_plane ? h_b : h_a) = depth;
    reach += std::fabs(Dot(axis, D));
  }
  if (out.contained) {
    const bool a_is_inside = a.radius > 0 && (!(b.radius > 0) || a.radius < b.radius);
    const internal::ball::BallOrHalfSpace& ball = a_is_inside ? a : b;
    const internal::ball::Cap half = internal::ball::MakeCap(ball.radius, ball.radius);
    out.p_WL = frame.p_WL + ball.p;
    out.moments.v = 2 * half.v;
    out.moments.second.diag = 2 * half.along * Vec3{1, 1, 1};
    out.result.error = internal::kLevelRounding * out.moments.v;
    return out;
  }
  const internal::ball::Cap of_a = internal::ball::MakeCap(a.radius, h_a);
  const internal::ball::Cap of_b = internal::ball::MakeCap(b.radius, h_b);
  const bool by_a = a.radius > 0;
  out.p_WL = frame.p_WL + (by_a ? a.p + (a.radius - h_a) * axis : b.p - (b.radius - h_b) * axis);
  // The rim has radius √(h (2r − h)), of either cap.
  const double rim =
      internal::kPi * (by_a ? h_a * (2 * a.radius - h_a) : h_b * (2 * b.radius - h_b));
  const double across = of_a.across + of_b.across, along = of_a.along + of_b.along - across;
  Moments& x = out.moments;
  x.v = of_a.v + of_b.v;
  x.m = (of_a.m - of_b.m) * axis;
  x.second = Sym3{{across, across, across}, {}} + along * Square(axis);
  x.s = (rim * (a.weight - b.weight)) * axis;
  // What rounding of the distance makes of the volume.
  out.result.error = internal::kPositionRounding * reach * rim;
  return out;
}

}  // namespace intervox::cuda
