/** @file Makes surfaces from sizes, scaled as surface.h documents. */
#pragma once

#include "geometry/surface.h"

namespace intervox::geometry {

/** A right-handed rotation whose column 2 is the unit vector n. */
INTERVOX_HD inline Mat3 FrameAlong(const Vec3& n) {
  const Vec3 a = AnyOrthogonal(n);
  return Mat3::FromColumns(a, Cross(n, a), n);
}

/** The plane n·x = offset, solid below; n a unit vector. */
INTERVOX_HD inline Surface MakePlane(const Vec3& n, double offset) {
  Surface S;
  S.kind = SurfaceKind::kPlane;
  S.R = FrameAlong(n);
  S.o = offset * n;
  return S;
}

/** The plane through a point, solid against the unit normal n. */
INTERVOX_HD inline Surface MakePlane(const Vec3& n, const Vec3& point) {
  Surface S = MakePlane(n, 0.0);
  S.o = point;
  return S;
}

/** The ellipsoid Σ y_i²/r_i² = 1; |∇f| runs from r̄/r_max to r̄/r_min, r̄ the geometric mean of
 the largest and the smallest semi-axis. */
INTERVOX_HD inline Surface MakeEllipsoid(const Vec3& radii, const Pose& X = {}) {
  const double a = radii.x < radii.y ? radii.x : radii.y;
  const double b = radii.x < radii.y ? radii.y : radii.x;
  const double lo = a < radii.z ? a : radii.z;
  const double hi = b < radii.z ? radii.z : b;
  const double s = 0.5 * (lo == hi ? lo : std::sqrt(lo) * std::sqrt(hi));
  Surface S;
  S.kind = SurfaceKind::kEllipsoid;
  S.R = X.R;
  S.o = X.p;
  S.e = {s / radii.x / radii.x, s / radii.y / radii.y, s / radii.z / radii.z};
  S.c = -s;
  return S;
}

/** The circular cylinder of the given radius about the z axis of X. */
INTERVOX_HD inline Surface MakeCylinder(double radius, const Pose& X = {}) {
  Surface S;
  S.kind = SurfaceKind::kCylinder;
  S.R = X.R;
  S.o = X.p;
  S.e = {0.5 / radius, 0.5 / radius, 0};
  S.c = -0.5 * radius;
  return S;
}

/** The circular cone √(x²+y²) ≤ slope·z with apex and axis those of X; |∇f| = 1 at the height
 `reference` above the apex. */
INTERVOX_HD inline Surface MakeCone(double slope, double reference, const Pose& X = {}) {
  const double s = 0.5 / (slope * reference * std::sqrt(1 + slope * slope));
  Surface S;
  S.kind = SurfaceKind::kCone;
  S.R = X.R;
  S.o = X.p;
  S.e = {s, s, -s * slope * slope};
  return S;
}

/** The torus about the z axis of X. */
INTERVOX_HD inline Surface MakeTorus(double major, double minor, const Pose& X = {}) {
  Surface S;
  S.kind = SurfaceKind::kTorus;
  S.R = X.R;
  S.o = X.p;
  S.e = {major, minor, 0};
  return S;
}

/** The complement: the same surface with the other side kept. A plane turns round instead, so that
 planes always keep f ≤ 0. */
INTERVOX_HD inline Surface Complement(const Surface& S) {
  Surface T = S;
  if (S.kind == SurfaceKind::kPlane) {
    T.R = Mat3::FromColumns(S.R.Col(1), S.R.Col(0), -S.R.Col(2));
  } else {
    T.side = static_cast<std::int8_t>(-S.side);
  }
  return T;
}

/** The surface scaled by s > 0 about the origin of its frame: f'(x) = s f(x/s). */
INTERVOX_HD inline Surface ScaledBy(const Surface& S, double s) {
  Surface T = S;
  T.o = s * S.o;
  if (S.kind == SurfaceKind::kTorus) {
    T.e = s * S.e;
  } else {
    T.e = S.e / s;
    T.c = s * S.c;
  }
  return T;
}

}  // namespace intervox::geometry
