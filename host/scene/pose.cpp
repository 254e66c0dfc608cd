#include <cmath>
#include <limits>
#include <numbers>

#include "host/scene/shapes.h"

namespace intervox::host {
namespace {

/** RᵀR − I of a matrix that is refused, and of one that is taken as it stands. */
constexpr double kNoRotation = 1e-5, kRounding = 1e-12;

/** A turn about one axis; multiples of 90° are exact, so that faces which ought to touch do. */
Mat3 Turn(int axis, double degrees) {
  const double reduced = std::remainder(degrees, 360.0);
  double c = std::cos(reduced * std::numbers::pi / 180);
  double s = std::sin(reduced * std::numbers::pi / 180);
  if (reduced == 0) c = 1, s = 0;
  if (reduced == 90 || reduced == -90) c = 0, s = reduced > 0 ? 1 : -1;
  if (reduced == 180 || reduced == -180) c = -1, s = 0;
  if (axis == 0) return {{1, 0, 0}, {0, c, -s}, {0, s, c}};
  if (axis == 1) return {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
  return {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
}

Quaternion FromVector(const Vec3& v) {
  const double angle = Norm(v);
  if (angle == 0) return {};
  const double s = std::sin(angle / 2) / angle;
  return {std::cos(angle / 2), s * v.x, s * v.y, s * v.z};
}

Quaternion FromList(const Cursor& cursor) {
  const std::vector<double> q = cursor.Numbers(4);
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm > 1e-12)) {
    cursor.Fail("the quaternion is zero", "Write [1, 0, 0, 0] for no rotation.");
  }
  return UnitQuaternion({q[0], q[1], q[2], q[3]});
}

/** Three rows, of columns that are orthonormal within rounding, or made so. */
Mat3 FromRows(const Cursor& cursor) {
  const char* const remedy = "Give three orthonormal rows, or another kind of rotation.";
  if (cursor.Count() != 3) cursor.Fail("expected three rows, found " + cursor.Found(), remedy);
  Mat3 R;
  for (int i = 0; i < 3; ++i) R.Row(i) = cursor.Item(i).Vector();
  const Mat3 off = Transpose(R) * R - Mat3::Identity();
  const double error =
      std::sqrt(SquaredNorm(off.row0) + SquaredNorm(off.row1) + SquaredNorm(off.row2));
  if (!(error < kNoRotation) || Determinant(R) < 0) cursor.Fail("it is no rotation", remedy);
  return error < kRounding ? R : ToRotation(UnitQuaternion(ToQuaternion(R)));
}

Mat3 FromRollPitchYaw(const Vec3& degrees) {
  return Turn(2, degrees.z) * (Turn(1, degrees.y) * Turn(0, degrees.x));
}

}  // namespace

Quaternion UnitQuaternion(const Quaternion& q) {
  constexpr double kUnit = 8 * std::numeric_limits<double>::epsilon();
  const double squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  return std::fabs(squared - 1) <= kUnit ? q : Normalized(q);
}

Quaternion ReadRotation(const Cursor& cursor) {
  if (cursor.Has("quaternion")) return FromList(cursor.At("quaternion"));
  if (cursor.Has("rotation_vector")) {
    return UnitQuaternion(FromVector(cursor.At("rotation_vector").Vector()));
  }
  return UnitQuaternion(ToQuaternion(ReadPose(cursor).R));
}

Pose ReadPose(const Cursor& cursor) {
  Pose X;
  X.p = cursor.Vector("position", {});
  if (cursor.Has("rpy_deg")) {
    X.R = FromRollPitchYaw(cursor.At("rpy_deg").Vector());
  } else if (cursor.Has("matrix")) {
    X.R = FromRows(cursor.At("matrix"));
  } else if (cursor.Has("quaternion") || cursor.Has("rotation_vector")) {
    X.R = ToRotation(ReadRotation(cursor));
  }
  return X;
}

}  // namespace intervox::host
