/** @file Vectors, rotations and poses in registers of four numbers, of which the last is unused. */
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "geometry/linear.h"

namespace intervox::host::distance {

/** Three numbers that are computed together, each with the bits that a double has. The fourth says
 nothing. */
using Triple [[gnu::vector_size(32)]] = double;
/** A mask for each number. */
using TripleMask [[gnu::vector_size(32)]] = std::int64_t;
/** Four numbers, wherever they begin. */
using FourAnywhere [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/** Four numbers from x on. */
inline Triple FourFrom(const double* x) { return *reinterpret_cast<const FourAnywhere*>(x); }

/** The vector's components. */
inline Triple ToTriple(const Vec3& v) { return Triple{v.x, v.y, v.z, 0.0}; }
/** The components as a vector. */
inline Vec3 ToVec3(const Triple& v) { return {v[0], v[1], v[2]}; }

/** Component k in all places. */
template <int k>
inline Triple All(const Triple& v) {
  return __builtin_shufflevector(v, v, k, k, k, k);
}

/** (y, z, x). */
inline Triple Cycled(const Triple& v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }

/** The components' magnitudes. */
inline Triple Magnitudes(const Triple& v) {
  constexpr std::int64_t kButSign = INT64_MAX;
  return reinterpret_cast<Triple>(reinterpret_cast<TripleMask>(v) & kButSign);
}

/** A number in all places. */
inline Triple AllOf(double x) { return Triple{x, x, x, x}; }

/** a · b. */
inline double Dot(const Triple& a, const Triple& b) {
  const Triple products = a * b;
  return products[0] + products[1] + products[2];
}

/** a × b. */
inline Triple Cross(const Triple& a, const Triple& b) {
  return Cycled(a * Cycled(b) - Cycled(a) * b);
}

/** The square root of each. */
inline Triple Roots(const Triple& v) { return _mm256_sqrt_pd(v); }

/** The magnitudes of the first with the signs of the second. */
inline Triple WithSigns(const Triple& v, const Triple& signs) {
  constexpr std::int64_t kSign = INT64_MIN;
  return reinterpret_cast<Triple>((reinterpret_cast<TripleMask>(v) & ~kSign) |
                                  (reinterpret_cast<TripleMask>(signs) & kSign));
}

/** Whether a condition holds for one of the three. */
inline bool AnyOf(const TripleMask& mask) {
  return (_mm256_movemask_pd(reinterpret_cast<Triple>(mask)) & 7) != 0;
}

/** Whether a condition holds for all four. */
inline bool AllOfFour(const TripleMask& mask) {
  return _mm256_movemask_pd(reinterpret_cast<Triple>(mask)) == 15;
}

/** a > b ? a : b of each. */
inline Triple Larger(const Triple& a, const Triple& b) { return _mm256_max_pd(a, b); }
/** a < b ? a : b of each. */
inline Triple Smaller(const Triple& a, const Triple& b) { return _mm256_min_pd(a, b); }

/** Three vectors: the rows of a matrix, or its columns. */
struct Triples {
  Triple x, y, z;
};

/** The components' magnitudes. */
inline Triples Magnitudes(const Triples& t) {
  return {Magnitudes(t.x), Magnitudes(t.y), Magnitudes(t.z)};
}

/** v.x t₀ + v.y t₁ + v.z t₂: M v by the columns of M, Mᵀ v by its rows. */
inline Triple Combined(const Triples& t, const Triple& v) {
  return All<0>(v) * t.x + All<1>(v) * t.y + All<2>(v) * t.z;
}

/** The same of numbers that stand in memory. */
inline Triple Combined(const Triples& t, double x, double y, double z) {
  return x * t.x + y * t.y + z * t.z;
}

/** That of each of three vectors: the rows of A B by those of B and A, the columns of Aᵀ B by the
 rows of A and the columns of B. */
inline Triples Combined(const Triples& t, const Triples& v) {
  return {Combined(t, v.x), Combined(t, v.y), Combined(t, v.z)};
}

static_assert(sizeof(Pose) == 12 * sizeof(double));

/** The rows of the rotation of a pose. */
inline Triples RowsOf(const Mat3& R) {
  const auto* rows = reinterpret_cast<const double*>(&R);
  return {FourFrom(rows), FourFrom(rows + 3), FourFrom(rows + 6)};
}

/** The three numbers that follow one. */
inline Triple Following(const double* x) {
  const Triple four = FourFrom(x);
  return __builtin_shufflevector(four, four, 1, 2, 3, 0);
}

/** A pose's position. */
inline Triple PositionOf(const Pose& X) { return Following(&X.R.row2.z); }

/** Rows from columns, or columns from rows. */
inline Triples Transposed(const Triples& t) {
  const Triple low = __builtin_shufflevector(t.x, t.y, 0, 4, 2, 6);
  const Triple high = __builtin_shufflevector(t.x, t.y, 1, 5, 3, 7);
  const Triple even = __builtin_shufflevector(t.z, t.z, 0, 0, 2, 2);
  const Triple odd = __builtin_shufflevector(t.z, t.z, 1, 1, 3, 3);
  return {__builtin_shufflevector(low, even, 0, 1, 4, 5),
          __builtin_shufflevector(high, odd, 0, 1, 4, 5),
          __builtin_shufflevector(low, even, 2, 3, 6, 7)};
}

/** A pose in registers. */
struct Placement {
  Triples rows;     ///< of the rotation
  Triple position;  ///< [m]
};

/** Where nothing is moved. */
inline constexpr Placement kHere{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, {0, 0, 0, 0}};

/** The pose. */
inline Pose ToPose(const Placement& placement) {
  Pose X;
  auto* out = reinterpret_cast<double*>(&X);
  // Each writes a number too many, which the next one replaces.
  *reinterpret_cast<FourAnywhere*>(out) = placement.rows.x;
  *reinterpret_cast<FourAnywhere*>(out + 3) = placement.rows.y;
  *reinterpret_cast<FourAnywhere*>(out + 6) = placement.rows.z;
  X.p = ToVec3(placement.position);
  return X;
}

/** X_WA⁻¹ X_WB, with the bits of Transpose(R_WA) R_WB and of R_WAᵀ (p_WB − p_WA). */
inline Placement Relative(const Pose& X_WA, const Pose& X_WB) {
  const Triples a = RowsOf(X_WA.R), b = RowsOf(X_WB.R);
  const Mat3& R = X_WA.R;
  return {{Combined(b, R.row0.x, R.row1.x, R.row2.x), Combined(b, R.row0.y, R.row1.y, R.row2.y),
           Combined(b, R.row0.z, R.row1.z, R.row2.z)},
          Combined(a, PositionOf(X_WB) - PositionOf(X_WA))};
}

/** X p, with the bits of X * p. */
inline Triple Moved(const Pose& X, const Vec3& p) {
  return Combined(Transposed(RowsOf(X.R)), p.x, p.y, p.z) + PositionOf(X);
}

/** Y q − X p. */
inline Triple WayBetween(const Pose& X, const Vec3& p, const Pose& Y, const Vec3& q) {
  const Triple a = FourFrom(&p.x), b = FourFrom(&q.x);
  const Triples x = RowsOf(X.R), y = RowsOf(Y.R);
  const Triples sums = Transposed({y.x * b - x.x * a, y.y * b - x.y * a, y.z * b - x.z * a});
  return sums.x + sums.y + sums.z + (PositionOf(Y) - PositionOf(X));
}

/** Whether all numbers of two poses, and their sums, are finite. */
inline bool AreFinite(const Pose& X, const Pose& Y) {
  const auto sum = [](const Pose& pose) {
    const auto* x = reinterpret_cast<const double*>(&pose);
    return FourFrom(x) + FourFrom(x + 4) + FourFrom(x + 8);
  };
  const Triple all = sum(X) + sum(Y);
  return AllOfFour(0.0 * all == 0.0);
}

}  // namespace intervox::host::distance
