/** @file The bounding surface of a cell: a closed tagged variant of plane, quadric and torus.

 Every solid of Intervox is a set of cells, and every cell is an intersection of sides of these
 surfaces. A surface has a level function f; the side +1 keeps f ≤ 0, the side −1 keeps f ≥ 0. */
#pragma once

#include <cstdint>

#include "geometry/linear.h"

namespace intervox::geometry {

/** The kinds of level function. */
enum class SurfaceKind : std::uint8_t {
  kPlane,      ///< f(x) = n·(x − o), n = R.Col(2)
  kEllipsoid,  ///< quadric with e > 0, c < 0 (spheres too)
  kCylinder,   ///< circular: e = (s, s, 0), axis R.Col(2)
  kCone,       ///< circular: apex o, axis R.Col(2); only the nappe z ≥ 0 bounds the cell
  kQuadric,    ///< any other quadric
  kTorus,      ///< e = (major, minor, 0), axis R.Col(2), centre o
};

/** A bounding surface of a cell, in the frame of whoever holds it.

 With y = Rᵀ(x − o), a quadric's level function is f = Σ e_i y_i² + 2 Σ l_i y_i + c (l = 0 except
 for general quadrics without a centre), scaled so that |∇f| ≈ 1 near the surface: f [m]
 approximates the signed distance there. A torus has f = √((√(y₀²+y₁²) − major)² + y₂²) − minor. A
 plane's f is the signed distance. */
struct Surface {
  SurfaceKind kind = SurfaceKind::kPlane;
  std::int8_t side = 1;    ///< +1: the cell has f ≤ 0; −1: f ≥ 0 (a complement)
  bool cut = false;        ///< both sides lie inside the same body: left out of area vectors
  std::int32_t node = -1;  ///< the CSG node that this surface stems from
  Mat3 R;                  ///< principal axes as columns; right-handed, orthonormal
  Vec3 o;                  ///< [m] centre, apex, or a point of the plane
  Vec3 e;  ///< quadric: curvature coefficients [1/m] (cone: dimensionless/m scaled); torus: (major,
           ///< minor, 0) [m]
  Vec3 l;  ///< quadric: linear coefficients [–]
  double c = 0.0;  ///< quadric: constant [m]

  /** The outward normal of a plane's side f ≤ 0. */
  INTERVOX_HD Vec3 PlaneNormal() const { return R.Col(2); }
};

/** The surface as seen from an outer frame: S_A = X_AB S_B. */
INTERVOX_HD inline Surface operator*(const Pose& X_AB, const Surface& S_B) {
  Surface S_A = S_B;
  S_A.R = X_AB.R * S_B.R;
  S_A.o = X_AB * S_B.o;
  return S_A;
}

}  // namespace intervox::geometry
