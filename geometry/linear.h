/** @file Small fixed-size linear algebra for host and device: plain data, only + − × ÷ and sqrt.

 Notation is monogram: `R_WA` takes coordinates in A to coordinates in W, `X_WA` is the pose of
 frame A in W, `p_WQ` the position of Q in W. */
#pragma once

#include <cmath>

#include "geometry/hd.h"

namespace intervox {

/** A vector of three doubles. */
struct Vec3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;

  /** Component i of 0, 1, 2. */
  INTERVOX_HD constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  /** Component i of 0, 1, 2. */
  INTERVOX_HD constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  /** Adds v. */
  INTERVOX_HD constexpr Vec3& operator+=(const Vec3& v) {
    x += v.x;
    y += v.y;
    z += v.z;
    return *this;
  }
  /** Subtracts v. */
  INTERVOX_HD constexpr Vec3& operator-=(const Vec3& v) {
    x -= v.x;
    y -= v.y;
    z -= v.z;
    return *this;
  }
  /** Scales by s. */
  INTERVOX_HD constexpr Vec3& operator*=(double s) {
    x *= s;
    y *= s;
    z *= s;
    return *this;
  }
  /** Equal in all components. */
  INTERVOX_HD constexpr bool operator==(const Vec3& v) const {
    return x == v.x && y == v.y && z == v.z;
  }
};

/** a + b. */
INTERVOX_HD constexpr Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
/** a − b. */
INTERVOX_HD constexpr Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
/** −a. */
INTERVOX_HD constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
/** s a. */
INTERVOX_HD constexpr Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
/** a s. */
INTERVOX_HD constexpr Vec3 operator*(const Vec3& a, double s) { return s * a; }
/** a / s. */
INTERVOX_HD constexpr Vec3 operator/(const Vec3& a, double s) {
  return {a.x / s, a.y / s, a.z / s};
}
/** a · b. */
INTERVOX_HD constexpr double Dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/** a × b. */
INTERVOX_HD constexpr Vec3 Cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/** |a|². */
INTERVOX_HD constexpr double SquaredNorm(const Vec3& a) { return Dot(a, a); }
/** |a|. */
INTERVOX_HD inline double Norm(const Vec3& a) { return std::sqrt(Dot(a, a)); }
/** a / |a|; a must not be zero. */
INTERVOX_HD inline Vec3 Normalized(const Vec3& a) { return a / Norm(a); }
/** The components' magnitudes. */
INTERVOX_HD constexpr Vec3 Abs(const Vec3& a) {
  return {a.x < 0 ? -a.x : a.x, a.y < 0 ? -a.y : a.y, a.z < 0 ? -a.z : a.z};
}
/** Componentwise product. */
INTERVOX_HD constexpr Vec3 Scaled(const Vec3& a, const Vec3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
/** Componentwise minimum. */
INTERVOX_HD constexpr Vec3 Min(const Vec3& a, const Vec3& b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
/** Componentwise maximum. */
INTERVOX_HD constexpr Vec3 Max(const Vec3& a, const Vec3& b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
/** A unit vector orthogonal to the unit vector n. */
INTERVOX_HD inline Vec3 AnyOrthogonal(const Vec3& n) {
  const Vec3 a = Abs(n);
  const Vec3 e = a.x <= a.y && a.x <= a.z ? Vec3{1, 0, 0}
                 : a.y <= a.z             ? Vec3{0, 1, 0}
                                          : Vec3{0, 0, 1};
  return Normalized(Cross(n, e));
}

/** A 3 × 3 matrix, stored by rows. */
struct Mat3 {
  Vec3 row0{1, 0, 0};
  Vec3 row1{0, 1, 0};
  Vec3 row2{0, 0, 1};

  /** Row i. */
  INTERVOX_HD constexpr const Vec3& Row(int i) const {
    return i == 0 ? row0 : i == 1 ? row1 : row2;
  }
  /** Row i. */
  INTERVOX_HD constexpr Vec3& Row(int i) { return i == 0 ? row0 : i == 1 ? row1 : row2; }
  /** Column j. */
  INTERVOX_HD constexpr Vec3 Col(int j) const { return {row0[j], row1[j], row2[j]}; }
  /** Element (i, j). */
  INTERVOX_HD constexpr double operator()(int i, int j) const { return Row(i)[j]; }
  /** Element (i, j). */
  INTERVOX_HD constexpr double& operator()(int i, int j) { return Row(i)[j]; }
  /** The identity. */
  INTERVOX_HD static constexpr Mat3 Identity() { return {}; }
  /** All zeros. */
  INTERVOX_HD static constexpr Mat3 Zero() { return {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}; }
  /** diag(d). */
  INTERVOX_HD static constexpr Mat3 Diagonal(const Vec3& d) {
    return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}};
  }
  /** The matrix with the given columns. */
  INTERVOX_HD static constexpr Mat3 FromColumns(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
  }
};

/** M v. */
INTERVOX_HD constexpr Vec3 operator*(const Mat3& m, const Vec3& v) {
  return {Dot(m.row0, v), Dot(m.row1, v), Dot(m.row2, v)};
}
/** Mᵀ v. */
INTERVOX_HD constexpr Vec3 TransposeTimes(const Mat3& m, const Vec3& v) {
  return v.x * m.row0 + v.y * m.row1 + v.z * m.row2;
}
/** Mᵀ. */
INTERVOX_HD constexpr Mat3 Transpose(const Mat3& m) { return {m.Col(0), m.Col(1), m.Col(2)}; }
/** A B. */
INTERVOX_HD constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {TransposeTimes(b, a.row0), TransposeTimes(b, a.row1), TransposeTimes(b, a.row2)};
}
/** A + B. */
INTERVOX_HD constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  return {a.row0 + b.row0, a.row1 + b.row1, a.row2 + b.row2};
}
/** A − B. */
INTERVOX_HD constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
  return {a.row0 - b.row0, a.row1 - b.row1, a.row2 - b.row2};
}
/** s A. */
INTERVOX_HD constexpr Mat3 operator*(double s, const Mat3& a) {
  return {s * a.row0, s * a.row1, s * a.row2};
}
/** a bᵀ. */
INTERVOX_HD constexpr Mat3 Outer(const Vec3& a, const Vec3& b) {
  return {a.x * b, a.y * b, a.z * b};
}
/** tr A. */
INTERVOX_HD constexpr double Trace(const Mat3& a) { return a.row0.x + a.row1.y + a.row2.z; }
/** det A. */
INTERVOX_HD constexpr double Determinant(const Mat3& a) {
  return Dot(a.row0, Cross(a.row1, a.row2));
}
/** A⁻¹; A must be regular. */
INTERVOX_HD constexpr Mat3 Inverse(const Mat3& a) {
  const Vec3 c0 = Cross(a.row1, a.row2);
  const Vec3 c1 = Cross(a.row2, a.row0);
  const Vec3 c2 = Cross(a.row0, a.row1);
  return (1.0 / Dot(a.row0, c0)) * Mat3::FromColumns(c0, c1, c2);
}
/** The matrix [v]× with [v]× u = v × u. */
INTERVOX_HD constexpr Mat3 CrossMatrix(const Vec3& v) {
  return {{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}};
}

/** A quaternion (w, x, y, z), Hamilton's convention. */
struct Quaternion {
  double w = 1.0;
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

/** The Hamilton product a b: first b, then a. */
INTERVOX_HD constexpr Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
/** q / |q|; q must not be zero. */
INTERVOX_HD inline Quaternion Normalized(const Quaternion& q) {
  const double s = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
/** The rotation matrix of the unit quaternion q. */
INTERVOX_HD constexpr Mat3 ToRotation(const Quaternion& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
          {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
          {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}
/** The unit quaternion of the rotation matrix R, w ≥ 0 (Shepperd's branches). */
INTERVOX_HD Quaternion ToQuaternion(const Mat3& R);

/** A rigid transform: x_A = R_AB x_B + p_AB. */
struct Pose {
  Mat3 R;
  Vec3 p;

  /** The identity. */
  INTERVOX_HD static constexpr Pose Identity() { return {}; }
};

/** X_AB p_BQ = p_AQ: the point's coordinates in the outer frame. */
INTERVOX_HD constexpr Vec3 operator*(const Pose& X_AB, const Vec3& p_BQ) {
  return X_AB.R * p_BQ + X_AB.p;
}
/** X_AB X_BC = X_AC. */
INTERVOX_HD constexpr Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.R * X_BC.R, X_AB * X_BC.p};
}
/** X_AB⁻¹ = X_BA. */
INTERVOX_HD constexpr Pose Inverse(const Pose& X_AB) {
  return {Transpose(X_AB.R), -TransposeTimes(X_AB.R, X_AB.p)};
}

INTERVOX_HD inline Quaternion ToQuaternion(const Mat3& R) {
  const double t = Trace(R);
  Quaternion q;
  if (t > 0) {
    const double s = 2 * std::sqrt(1 + t);
    q = {0.25 * s, (R(2, 1) - R(1, 2)) / s, (R(0, 2) - R(2, 0)) / s, (R(1, 0) - R(0, 1)) / s};
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    const double s = 2 * std::sqrt(1 + R(0, 0) - R(1, 1) - R(2, 2));
    q = {(R(2, 1) - R(1, 2)) / s, 0.25 * s, (R(0, 1) + R(1, 0)) / s, (R(0, 2) + R(2, 0)) / s};
  } else if (R(1, 1) >= R(2, 2)) {
    const double s = 2 * std::sqrt(1 + R(1, 1) - R(0, 0) - R(2, 2));
    q = {(R(0, 2) - R(2, 0)) / s, (R(0, 1) + R(1, 0)) / s, 0.25 * s, (R(1, 2) + R(2, 1)) / s};
  } else {
    const double s = 2 * std::sqrt(1 + R(2, 2) - R(0, 0) - R(1, 1));
    q = {(R(1, 0) - R(0, 1)) / s, (R(0, 2) + R(2, 0)) / s, (R(1, 2) + R(2, 1)) / s, 0.25 * s};
  }
  return q.w < 0 ? Quaternion{-q.w, -q.x, -q.y, -q.z} : q;
}

}  // namespace intervox
