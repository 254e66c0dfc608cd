/** @file Whether two ellipsoids meet, by their contact function. */
#pragma once

#include <cmath>

#include "geometry/surface_eval.h"
#include "host/distance/box_axes.h"
#include "host/distance/hull_pair.h"

namespace intervox::host::distance {

/** Whether a cell is an ellipsoid. */
inline bool IsEllipsoid(const geometry::Cell& cell) {
  if (cell.surfaces.size() != 1) return false;
  const geometry::Surface& s = cell.surfaces[0];
  return s.kind == geometry::SurfaceKind::kEllipsoid && s.side > 0;
}

/** The squares of an ellipsoid's semi-axes [m²]. */
inline Vec3 SquaresOf(const geometry::Surface& s) {
  return {-s.c / s.e.x, -s.c / s.e.y, -s.c / s.e.z};
}

/** A symmetric matrix, packed. */
struct Packed {
  double xx, yy, zz, yz, zx, xy;
};

/** R diag(d) Rᵀ. */
inline Packed Turned(const Mat3& R, const Vec3& d) {
  const Vec3 x = Scaled(R.row0, d), y = Scaled(R.row1, d), z = Scaled(R.row2, d);
  return {Dot(x, R.row0), Dot(y, R.row1), Dot(z, R.row2),
          Dot(y, R.row2), Dot(z, R.row0), Dot(x, R.row1)};
}

/** Solves M w = r. */
inline Vec3 Solve(const Packed& M, const Vec3& r) {
  const Packed C{M.yy * M.zz - M.yz * M.yz, M.zz * M.xx - M.zx * M.zx, M.xx * M.yy - M.xy * M.xy,
                 M.zx * M.xy - M.xx * M.yz, M.xy * M.yz - M.yy * M.zx, M.yz * M.zx - M.zz * M.xy};
  const double det = M.xx * C.xx + M.xy * C.xy + M.zx * C.zx;
  return Vec3{C.xx * r.x + C.xy * r.y + C.zx * r.z, C.xy * r.x + C.yy * r.y + C.yz * r.z,
              C.zx * r.x + C.yz * r.y + C.zz * r.z} /
         det;
}

/** Looks whether two ellipsoids meet (Perram and Wertheim 1985).

 With P and Q their matrices of squared semi-axes, xᵀ P⁻¹ x ≤ 1, and r from A's centre to B's, let
 w = ((1 − λ) P + λ Q)⁻¹ r, 0 < λ < 1. The point (1 − λ) P w from A's centre has the levels
 s² = (1 − λ)² wᵀPw in A and t² = λ² wᵀQw in B, so s, t < 1 shows a point of both; and along w the
 ellipsoids are apart by r·w − √(wᵀPw) − √(wᵀQw). Where λ makes s = t one of both is the case.
 @param X_AB    of B's surface' frame in that of A's
 @param margin  by what they must be apart [m]
 @param point   of both, in the frame of A's surface */
inline HullVerdict LookAtEllipsoids(const geometry::Surface& a, const geometry::Surface& b,
                                    const Pose& X_AB, double margin, Vec3* point, int* steps) {
  constexpr int kMostSteps = 12;
  const Vec3 P = SquaresOf(a), squares = SquaresOf(b);
  const bool straight = IsIdentity(a.R);
  const Vec3 way = X_AB * b.o - a.o, r = straight ? way : TransposeTimes(a.R, way);
  const Mat3 turn = straight ? X_AB.R : Transpose(a.R) * X_AB.R;
  const Packed Q = Turned(IsIdentity(b.R) ? turn : turn * b.R, squares);
  const double of_a = std::sqrt(P.x + P.y + P.z), of_b = std::sqrt(Q.xx + Q.yy + Q.zz);
  double lambda = of_a / (of_a + of_b);
  double last = 0.0, last_lambda = 0.0;
  for (int k = 0; k < kMostSteps; ++k) {
    ++*steps;
    const double mu = 1.0 - lambda;
    const Vec3 w = Solve({mu * P.x + lambda * Q.xx, mu * P.y + lambda * Q.yy,
                          mu * P.z + lambda * Q.zz, lambda * Q.yz, lambda * Q.zx, lambda * Q.xy},
                         r);
    const Vec3 Pw = Scaled(P, w);
    const double square_a = Dot(w, Pw), along = Dot(w, r);
    const double alpha = std::sqrt(square_a),
                 beta = std::sqrt(std::fmax(0.0, (along - mu * square_a) / lambda));
    if (mu * alpha < 1 && lambda * beta < 1) {
      *point = a.o + (straight ? mu * Pw : a.R * (mu * Pw));
      return HullVerdict::kMeet;
    }
    if (along - alpha - beta > margin * Norm(w)) return HullVerdict::kApart;
    const double off = alpha / (alpha + beta) - lambda;
    double next = lambda + off;
    if (k > 0 && off != last) {  // the secant's root
      const double secant = lambda - off * (lambda - last_lambda) / (off - last);
      if (secant > 0 && secant < 1) next = secant;
    }
    last = off;
    last_lambda = lambda;
    lambda = next;
  }
  return HullVerdict::kUndecided;
}

}  // namespace intervox::host::distance
