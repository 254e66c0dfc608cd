/** @file Two oriented boxes: their separating axes, and a point where both are deep. */
#pragma once

#include <bit>
#include <cmath>

#include "geometry/cell.h"
#include "host/distance/triple.h"

namespace intervox::host::distance {

/** Edges whose product is shorter than this are parallel, as far as their axis is concerned. */
inline constexpr double kParallel = 1e-6;
/** Rounding of normals and of offsets over the size. */
inline constexpr double kSame = 1e-14;

/** Two boxes as seen from the first one's centre and axes. */
struct BoxPair {
  Triple a, b;            ///< half extents [m]
  Triple way;             ///< of the second one's centre [m]
  Triples rows, columns;  ///< of the matrix whose columns are the second one's axes
};

/** What the products of the boxes' edges say. */
enum class EdgeAxes : std::uint8_t {
  kApart,    ///< the boxes overlap by `thin` at most
  kOverlap,  ///< no axis separates them, if their faces' do not
  kOpen,     ///< some edges are parallel, and no other axis separates them
};

/** |x| + |y| + |z|. */
inline double OneNorm(const Vec3& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); }

/** Whether a rotation is none. */
inline bool IsIdentity(const Mat3& R) {
  constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
  const auto off = [](double x) { return std::bit_cast<std::uint64_t>(x) ^ kOne; };
  return (off(R.row0.x) | off(R.row1.y) | off(R.row2.z)) == 0;
}

/** A box' half extents. */
inline Triple HalfOf(const geometry::OrientedBox& box) {
  static_assert(sizeof(geometry::OrientedBox) == 15 * sizeof(double));
  return Following(&box.X.p.z);
}

/** A frame that was placed as if axes were those of the cells, turned to those of the boxes. */
[[gnu::noinline]] inline void Turn(const Mat3& R_A, const Mat3& R_B, Placement* X) {
  const Triples a = RowsOf(R_A), columns = Transposed(Combined(RowsOf(R_B), X->rows));
  *X = {Transposed(Combined(a, columns)), Combined(a, X->position)};
}

/** Places the bounds of two cells.
 @param X_AB  of the second cell in the frame of the first; becomes that of the second box in the
              frame of the first */
inline BoxPair PlaceBoxes(const geometry::OrientedBox& a, const geometry::OrientedBox& b,
                          Placement* X_AB) {
  const Vec3& p = b.X.p;
  X_AB->position =
      Combined(Transposed(X_AB->rows), p.x, p.y, p.z) + X_AB->position - PositionOf(a.X);
  if (!(IsIdentity(a.X.R) && IsIdentity(b.X.R))) Turn(a.X.R, b.X.R, X_AB);
  const Triples& rows = X_AB->rows;
  return {HalfOf(a), HalfOf(b), X_AB->position, {rows.x, rows.y, rows.z}, Transposed(rows)};
}

/** Whether an axis of one of the boxes shows that they overlap by `thin` [m] at most. */
inline bool AreApartAlongFaces(const BoxPair& boxes, double thin) {
  const Triple of_a =
      Magnitudes(boxes.way) - boxes.a - Combined(Magnitudes(boxes.columns), boxes.b);
  if (AnyOf(of_a >= -thin)) return true;
  const Triple of_b = Magnitudes(Combined(boxes.rows, boxes.way)) - boxes.b -
                      Combined(Magnitudes(boxes.rows), boxes.a);
  return AnyOf(of_b >= -thin);
}

/** Looks along the products of edges (Gottschalk, Lin and Manocha 1996). */
inline EdgeAxes LookAlongEdges(const BoxPair& boxes, double thin) {
  bool all = true;
  const Triple b_yzx = Cycled(boxes.b), b_zxy = Cycled(b_yzx);
  // The products of a's axis i with b's axes have the components 0, −turn(i2, ·), turn(i1, ·).
  const auto apart = [&](const Triple& way1, const Triple& way2, const Triple& a1, const Triple& a2,
                         const Triple& turn0, const Triple& turn1, const Triple& turn2) {
    const Triple size0 = Magnitudes(turn0), yzx = Cycled(size0);
    const Triple between = Magnitudes(way2 * turn1 - way1 * turn2);
    const Triple shadow_a = a1 * Magnitudes(turn2) + a2 * Magnitudes(turn1);
    const Triple shadow_b = b_yzx * Cycled(yzx) + b_zxy * yzx;
    const Triple gap = between - shadow_a - shadow_b;
    // The products' lengths are 1 at most, and what they round by is far less than `thin`.
    if (!AnyOf(gap >= -thin)) return false;
    const Triple square = turn1 * turn1 + turn2 * turn2;
    constexpr double kLeast = kParallel * kParallel;
    all = all && !AnyOf(square < kLeast);
    for (int j = 0; j < 3; ++j) {
      if (square[j] >= kLeast && gap[j] >= -thin * std::sqrt(square[j])) return true;
    }
    return false;
  };
  const Triple &a = boxes.a, &way = boxes.way;
  const Triple &x = boxes.rows.x, &y = boxes.rows.y, &z = boxes.rows.z;
  if (apart(All<1>(way), All<2>(way), All<1>(a), All<2>(a), x, y, z) ||
      apart(All<2>(way), All<0>(way), All<2>(a), All<0>(a), y, z, x) ||
      apart(All<0>(way), All<1>(way), All<0>(a), All<1>(a), z, x, y)) {
    return EdgeAxes::kApart;
  }
  return all ? EdgeAxes::kOverlap : EdgeAxes::kOpen;
}

/** A point that tends to lie deep in both, as seen from the first: projected by turns onto boxes of
 0.6 of the size [m]. */
inline Vec3 DeepPoint(const BoxPair& boxes) {
  constexpr int kTurns = 2;
  const auto nearest = [](const Triple& x, const Triple& half) {
    return Larger(-0.6 * half, Smaller(0.6 * half, x));
  };
  Triple x = boxes.way, y;
  for (int k = 0; k < kTurns; ++k) {
    y = nearest(x, boxes.a);
    x = boxes.way + Combined(boxes.columns, nearest(Combined(boxes.rows, y - boxes.way), boxes.b));
  }
  return ToVec3(0.5 * (x + y));
}

/** Whether a cell may be its bounds: six planes. */
inline bool MayBeItsBounds(const geometry::Cell& cell) {
  return cell.polytope && cell.surfaces.size() == 6;
}

/** Whether a polytope of eight corners is its bounds by these: no corner is as far from their
 middle as theirs, so that the sum of squares tells. Rounding is no more than 1e-12 of the size in
 boxes that are not thinner than a fiftieth of it; of others nothing is said. */
inline bool HasCornersOfItsBounds(const geometry::Cell& cell) {
  constexpr double kRounding = 4e-15, kThinnest = 0.02;
  const Triple half = HalfOf(cell.bounds), squares = half * half;
  const double square = squares[0] + squares[1] + squares[2];
  if (AnyOf(squares < kThinnest * kThinnest * square)) return false;
  if (cell.corners.p_C.size() != 8) return false;
  // Twelve coordinates, those of four corners, at a time.
  const Triple p = PositionOf(cell.bounds.X);
  const auto* corner = reinterpret_cast<const double*>(cell.corners.p_C.data());
  Triple sums{};
  for (const double* x = corner; x != corner + 24; x += 12) {
    const Triple first = FourFrom(x) - __builtin_shufflevector(p, p, 0, 1, 2, 0);
    const Triple second = FourFrom(x + 4) - __builtin_shufflevector(p, p, 1, 2, 0, 1);
    const Triple third = FourFrom(x + 8) - __builtin_shufflevector(p, p, 2, 0, 1, 2);
    sums += first * first + second * second + third * third;
  }
  return sums[0] + sums[1] + (sums[2] + sums[3]) >= 8.0 * (1.0 - kRounding) * square;
}

/** Whether a polytope's bounds lie within all of its surfaces. */
[[gnu::noinline]] inline bool HasSurfacesOfItsBounds(const geometry::Cell& cell) {
  const geometry::OrientedBox& box = cell.bounds;
  const double room = kSame * (OneNorm(box.half) + OneNorm(box.X.p));
  const bool straight = IsIdentity(box.X.R);
  for (const geometry::Surface& s : cell.surfaces) {
    const Vec3 n = s.PlaneNormal(), along = straight ? n : TransposeTimes(box.X.R, n);
    const double away = s.side * Dot(n, s.o - box.X.p);
    if (!(away >= Dot(Abs(along), box.half) - room)) return false;
  }
  return true;
}

/** Whether a bounded polytope is its bounds. */
inline bool IsItsBounds(const geometry::Cell& cell) {
  return HasCornersOfItsBounds(cell) || HasSurfacesOfItsBounds(cell);
}

}  // namespace intervox::host::distance
