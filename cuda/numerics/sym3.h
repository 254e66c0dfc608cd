/** @file Symmetric 3 × 3 matrices: second moments, and the quadratic parts of levels. */
#pragma once

#include "geometry/linear.h"

namespace intervox::cuda {

/** A symmetric matrix by its six elements. */
struct Sym3 {
  Vec3 diag;  ///< (xx, yy, zz)
  Vec3 off;   ///< (xy, xz, yz)

  /** Element (i, j). */
  INTERVOX_HD constexpr double operator()(int i, int j) const {
    return i == j ? diag[i] : off[i + j - 1];
  }
  /** All nine elements. */
  INTERVOX_HD constexpr Mat3 Full() const {
    return {{diag.x, off.x, off.y}, {off.x, diag.y, off.z}, {off.y, off.z, diag.z}};
  }
  /** Adds other. */
  INTERVOX_HD constexpr Sym3& operator+=(const Sym3& other) {
    diag += other.diag;
    off += other.off;
    return *this;
  }
};

/** A + B. */
INTERVOX_HD constexpr Sym3 operator+(const Sym3& a, const Sym3& b) {
  return {a.diag + b.diag, a.off + b.off};
}
/** A − B. */
INTERVOX_HD constexpr Sym3 operator-(const Sym3& a, const Sym3& b) {
  return {a.diag - b.diag, a.off - b.off};
}
/** s A. */
INTERVOX_HD constexpr Sym3 operator*(double s, const Sym3& a) { return {s * a.diag, s * a.off}; }
/** A v. */
INTERVOX_HD constexpr Vec3 operator*(const Sym3& a, const Vec3& v) { return a.Full() * v; }
/** Elementwise product. */
INTERVOX_HD constexpr Sym3 Scaled(const Sym3& a, const Sym3& b) {
  return {Scaled(a.diag, b.diag), Scaled(a.off, b.off)};
}
/** tr A. */
INTERVOX_HD constexpr double Trace(const Sym3& a) { return a.diag.x + a.diag.y + a.diag.z; }
/** a aᵀ. */
INTERVOX_HD constexpr Sym3 Square(const Vec3& a) {
  return {Scaled(a, a), {a.x * a.y, a.x * a.z, a.y * a.z}};
}
/** a bᵀ + b aᵀ. */
INTERVOX_HD constexpr Sym3 Mixed(const Vec3& a, const Vec3& b) {
  return {2.0 * Scaled(a, b),
          {a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y}};
}
/** The upper triangle of a matrix that is symmetric but for rounding. */
INTERVOX_HD constexpr Sym3 Upper(const Mat3& a) {
  return {{a(0, 0), a(1, 1), a(2, 2)}, {a(0, 1), a(0, 2), a(1, 2)}};
}
/** M A Mᵀ. */
INTERVOX_HD constexpr Sym3 Congruent(const Mat3& M, const Sym3& a) {
  return Upper(M * a.Full() * Transpose(M));
}
/** The axial vector of Tᵀ − T: of T = Σ a bᵀ it is Σ a × b. */
INTERVOX_HD constexpr Vec3 Axial(const Mat3& T) {
  return {T(1, 2) - T(2, 1), T(2, 0) - T(0, 2), T(0, 1) - T(1, 0)};
}

}  // namespace intervox::cuda
