/** @file Two oriented boxes: their separating axes, and a point where both are deep. */
#pragma once

#include <cmath>

#include "geometry/cell.h"

namespace intervox::host::distance {

/** Edges whose product is shorter than this are parallel, as far as their axis is concerned. */
inline constexpr double kParallel = 1e-6;
/** Rounding of normals and of offsets over the size. */
inline constexpr double kSame = 1e-14;

/** Two boxes as seen from the first one's centre and axes. */
struct BoxPair {
  Vec3 a, b;  ///< half extents [m]
  Vec3 way;   ///< of the second one's centre [m]
  Mat3 turn;  ///< the second one's axes
  Mat3 size;  ///< magnitudes of `turn`
};

/** What the products of the boxes' edges say. */
enum class EdgeAxes : std::uint8_t {
  kApart,    ///< the boxes overlap by `thin` at most
  kOverlap,  ///< no axis separates them, if their faces' do not
  kOpen,     ///< some edges are parallel, and no other axis separates them
};

/** |x| + |y| + |z|. */
inline double OneNorm(const Vec3& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); }

/** The components' magnitudes, by a mask each. */
inline Vec3 Magnitudes(const Vec3& v) { return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}; }

/** Whether a rotation is none. */
inline bool IsIdentity(const Mat3& R) { return R.row0.x == 1 && R.row1.y == 1 && R.row2.z == 1; }

/** Places the bounds of two cells.
 @param X_AB  of the second cell in the frame of the first */
inline BoxPair PlaceBoxes(const geometry::OrientedBox& a, const geometry::OrientedBox& b,
                          const Pose& X_AB) {
  BoxPair out{a.half, b.half, X_AB * b.X.p - a.X.p, X_AB.R, {}};
  if (!IsIdentity(b.X.R)) out.turn = out.turn * b.X.R;
  if (!IsIdentity(a.X.R)) {
    out.turn = Transpose(a.X.R) * out.turn;
    out.way = TransposeTimes(a.X.R, out.way);
  }
  out.size = {Magnitudes(out.turn.row0), Magnitudes(out.turn.row1), Magnitudes(out.turn.row2)};
  return out;
}

/** Whether an axis of one of the boxes shows that they overlap by `thin` [m] at most. */
inline bool AreApartAlongFaces(const BoxPair& boxes, double thin) {
  const Vec3 of_a = Magnitudes(boxes.way) - boxes.a - boxes.size * boxes.b;
  if (of_a.x >= -thin || of_a.y >= -thin || of_a.z >= -thin) return true;
  const Vec3 seen = Magnitudes(TransposeTimes(boxes.turn, boxes.way));
  const Vec3 of_b = seen - boxes.b - TransposeTimes(boxes.size, boxes.a);
  return of_b.x >= -thin || of_b.y >= -thin || of_b.z >= -thin;
}

/** Looks along the products of edges (Gottschalk, Lin and Manocha 1996). */
inline EdgeAxes LookAlongEdges(const BoxPair& boxes, double thin) {
  const Vec3 &a = boxes.a, &b = boxes.b, &way = boxes.way;
  bool all = true;
  // The products of a's axis i with b's axes have the components 0, −turn(i2, ·), turn(i1, ·).
  const auto apart = [&](double way1, double way2, double a1, double a2, const Vec3& turn1,
                         const Vec3& turn2, const Vec3& size0, const Vec3& size1,
                         const Vec3& size2) {
    const Vec3 between = Magnitudes(way2 * turn1 - way1 * turn2);
    const Vec3 shadow_a = a1 * size2 + a2 * size1;
    const Vec3 shadow_b{b.y * size0.z + b.z * size0.y, b.z * size0.x + b.x * size0.z,
                        b.x * size0.y + b.y * size0.x};
    const Vec3 gap = between - shadow_a - shadow_b;
    // The products' lengths are 1 at most, and what they round by is far less than `thin`.
    if (gap.x < -thin && gap.y < -thin && gap.z < -thin) return false;
    const Vec3 square = Scaled(turn1, turn1) + Scaled(turn2, turn2);
    constexpr double kLeast = kParallel * kParallel;
    all = all && square.x >= kLeast && square.y >= kLeast && square.z >= kLeast;
    for (int j = 0; j < 3; ++j) {
      if (square[j] >= kLeast && gap[j] >= -thin * std::sqrt(square[j])) return true;
    }
    return false;
  };
  const Mat3 &R = boxes.turn, &S = boxes.size;
  if (apart(way.y, way.z, a.y, a.z, R.row1, R.row2, S.row0, S.row1, S.row2) ||
      apart(way.z, way.x, a.z, a.x, R.row2, R.row0, S.row1, S.row2, S.row0) ||
      apart(way.x, way.y, a.x, a.y, R.row0, R.row1, S.row2, S.row0, S.row1)) {
    return EdgeAxes::kApart;
  }
  return all ? EdgeAxes::kOverlap : EdgeAxes::kOpen;
}

/** A point that tends to lie deep in both, as seen from the first: projected by turns onto boxes of
 0.6 of the size [m]. */
inline Vec3 DeepPoint(const BoxPair& boxes) {
  constexpr int kTurns = 2;
  const auto nearest = [](const Vec3& x, const Vec3& half) {
    return Max(-0.6 * half, Min(0.6 * half, x));
  };
  Vec3 x = boxes.way, y;
  for (int k = 0; k < kTurns; ++k) {
    y = nearest(x, boxes.a);
    x = boxes.way + boxes.turn * nearest(TransposeTimes(boxes.turn, y - boxes.way), boxes.b);
  }
  return 0.5 * (x + y);
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
  const Vec3& half = cell.bounds.half;
  const double square = SquaredNorm(half), thin = kThinnest * kThinnest * square;
  if (half.x * half.x < thin || half.y * half.y < thin || half.z * half.z < thin) return false;
  if (cell.corners.p_C.size() != 8) return false;
  double sum = 0.0;
  for (const Vec3& p : cell.corners.p_C) sum += SquaredNorm(p - cell.bounds.X.p);
  return sum >= 8.0 * (1.0 - kRounding) * square;
}

/** Whether a cell is its bounds: these lie within all of its surfaces, which are planes. */
inline bool IsItsBounds(const geometry::Cell& cell) {
  if (!cell.bounded || !cell.polytope) return false;
  if (HasCornersOfItsBounds(cell)) return true;
  const geometry::OrientedBox& box = cell.bounds;
  const double room = kSame * (OneNorm(box.half) + OneNorm(box.X.p));
  const bool straight = IsIdentity(box.X.R);
  for (const geometry::Surface& s : cell.surfaces) {
    const Vec3 n = s.PlaneNormal(), along = straight ? n : TransposeTimes(box.X.R, n);
    const double away = s.side * Dot(n, s.o - box.X.p);
    if (!(away >= Dot(Magnitudes(along), box.half) - room)) return false;
  }
  return true;
}

}  // namespace intervox::host::distance
