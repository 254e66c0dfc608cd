/** @file A pair of cells in the frame of the first, and points that may lie in both. */
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>

#include "host/distance/common_ball.h"
#include "host/distance/inside.h"
#include "host/distance/overlaps.h"
#include "host/distance/triple.h"

namespace intervox::host::distance {

/** The radius of a ball around a cell's bounds [m]. */
inline double RadiusOf(const geometry::Cell& cell) {
  return cell.bounded ? Norm(cell.bounds.half) : HUGE_VAL;
}

/** Planes show that a pair of cells is apart; for the solids the weakest proof of their cells
 * counts.
 */
inline void SetApart(OverlapTest* test) {
  if (test->proof == OverlapProof::kBounds) test->proof = OverlapProof::kPlanes;
}

/** A pair of cells in the frame of the first. */
struct Placed {
  const geometry::Cell& a;
  const geometry::Cell& b;
  const Pose& X_WA;
  Pose X_AB;
  double of_a, of_b;  ///< radii of balls around their bounds; infinite where there are none [m]
  double size = std::min(of_a, of_b);  ///< of the smaller cell [m]
  double thin = kThin * size;          ///< balls of this radius are no overlap [m]
};

/** Places two cells.
 @param X_AB  of the second one's frame in that of the first */
[[gnu::always_inline]] inline Placed PlaceCells(const geometry::Cell& a, const geometry::Cell& b,
                                                const Pose& X_WA, const Placement& X_AB) {
  return {a, b, X_WA, ToPose(X_AB), RadiusOf(a), RadiusOf(b)};
}

/** Levels may rise by less than one metre each metre: a point is inside by this often `thin`. */
inline constexpr double kInside = 1e3;

/** Says that a point of A's frame lies inside both cells. */
inline bool Found(const Placed& pair, const Vec3& p_A, OverlapTest* test) {
  test->overlaps = true;
  test->proof = OverlapProof::kPoint;
  test->p_W = pair.X_WA * p_A;
  return true;
}

/** Takes a point of A's frame for the answer where it lies inside both cells. */
inline bool TakePoint(const Placed& pair, const Vec3& p_A, OverlapTest* test) {
  ++test->steps;
  if (!IsWithin(pair.a, p_A, kInside * pair.thin)) return false;
  const Vec3 p_B = TransposeTimes(pair.X_AB.R, p_A - pair.X_AB.p);
  return IsWithin(pair.b, p_B, kInside * pair.thin) && Found(pair, p_A, test);
}

/** How far a point is moved beyond a surface turn by turn, of a size. */
inline constexpr double kBeyond[] = {1e-3, 1e-3, 1e-4, 1e-4, 1e-5, 1e-5};
/** As many turns as there are. */
inline constexpr int kAllTurns = std::size(kBeyond);

/** Looks for a point inside both cells next to one on the boundary of one of them, or in a hollow,
 by moving it beyond their surfaces by turns.
 @param size  what `kBeyond` are shares of [m] */
inline bool TakePointNear(const Placed& pair, Vec3 p_A, double size, int turns, OverlapTest* test) {
  const double inside = kInside * pair.thin;
  for (int k = 0; k < turns; ++k) {
    ++test->steps;
    const bool in_a = MoveInside(pair.a, inside, kBeyond[k] * size, &p_A);
    Vec3 p_B = TransposeTimes(pair.X_AB.R, p_A - pair.X_AB.p);
    const bool in_b = MoveInside(pair.b, inside, kBeyond[k] * size, &p_B);
    if (in_a && in_b) return Found(pair, p_A, test);
    if (!in_b) p_A = pair.X_AB * p_B;
  }
  return false;
}

}  // namespace intervox::host::distance
