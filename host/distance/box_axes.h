/** @file Two oriented boxes: their separating axes, and a point where both are deep. */
#pragma once

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

/** For each of nine numbers of a rotation, four of them together, whether it is that of none. */
inline TripleMask OfNoRotation(const Mat3& R) {
  const auto* r = reinterpret_cast<const double*>(&R);
  constexpr Triple kFirst{1, 0, 0, 0};
  return (FourFrom(r) == kFirst) & (FourFrom(r + 4) == kFirst) &
         (Triple{r[8], r[8], r[8], r[8]} == AllOf(1.0));
}

/** Whether a rotation is none, exactly. */
inline bool IsIdentity(const Mat3& R) { return AllOfFour(OfNoRotation(R)); }

/** Whether none of two boxes is turned in its frame. */
inline bool AreUpright(const geometry::OrientedBox& a, const geometry::OrientedBox& b) {
  return AllOfFour(OfNoRotation(a.X.R) & OfNoRotation(b.X.R));
}

/** A box' half extents. */
inline Triple HalfOf(const geometry::OrientedBox& box) {
  static_assert(sizeof(geometry::OrientedBox) == 15 * sizeof(double));
  return Following(&box.X.p.z);
}

/** Turns boxes that were placed as if their axes were those of their frames. */
[[gnu::noinline]] inline void Turn(const Mat3& R_A, const Mat3& R_B, BoxPair* boxes) {
  const Triples a = RowsOf(R_A);
  boxes->columns = Combined(a, Transposed(Combined(RowsOf(R_B), boxes->rows)));
  boxes->rows = Transposed(boxes->columns);
  boxes->way = Combined(a, boxes->way);
}

/** Two boxes that are not turned in their frames.
 @param X_AB  of the second one's frame in that of the first */
inline BoxPair PlaceUpright(const geometry::OrientedBox& a, const geometry::OrientedBox& b,
                            const Placement& X_AB) {
  const Vec3& p = b.X.p;
  const Triples &rows = X_AB.rows, columns = Transposed(rows);
  // Triples that are copied whole would go through memory.
  return {HalfOf(a),
          HalfOf(b),
          Combined(columns, p.x, p.y, p.z) + X_AB.position - PositionOf(a.X),
          {rows.x, rows.y, rows.z},
          {columns.x, columns.y, columns.z}};
}

/** The bounds of two cells, however turned.
 @param X_AB  of the second cell in the frame of the first */
inline BoxPair PlaceBoxes(const geometry::OrientedBox& a, const geometry::OrientedBox& b,
                          const Placement& X_AB) {
  BoxPair boxes = PlaceUpright(a, b, X_AB);
  if (!AreUpright(a, b)) Turn(a.X.R, b.X.R, &boxes);
  return boxes;
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

/** Where two boxes tend to be deep, as seen from the first. */
struct DeepPlace {
  Vec3 point;    ///< [m]
  Triple apart;  ///< from the shrunk first one to the shrunk second one; rounding where these meet
};

/** A point of the second box is projected onto the first and back by turns, both of 0.6 of their
 size. */
inline DeepPlace FindDeepPlace(const BoxPair& boxes) {
  constexpr int kTurns = 2;
  const auto nearest = [](const Triple& x, const Triple& half) {
    return Larger(-0.6 * half, Smaller(0.6 * half, x));
  };
  Triple x = boxes.way, y;
  for (int k = 0; k < kTurns; ++k) {
    y = nearest(x, boxes.a);
    x = boxes.way + Combined(boxes.columns, nearest(Combined(boxes.rows, y - boxes.way), boxes.b));
  }
  return {ToVec3(0.5 * (x + y)), x - y};
}

/** Of the smaller cell's size: shrunk boxes that are less apart leave room for deep cells. */
inline constexpr double kHardlyApart = 0.2;

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
