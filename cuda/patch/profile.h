/** @file The depth of a patch along a line that starts at its centroid. */
#pragma once

#include <array>

#include "cuda/patch/columns.h"

namespace intervox::cuda::internal {

/** a + b. */
inline Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
/** a − b. */
inline Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
/** s a. */
inline Vec2 operator*(double s, const Vec2& a) { return {s * a.x, s * a.y}; }
/** a · b. */
inline double Dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
/** a × b. */
inline double Cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }

/** Gauss' points of a run at which its depth is known, exact to degree 7: as shares of it. */
inline constexpr int kDepths = 4;
inline constexpr double kGauss[kDepths] = {0.06943184420297371239, 0.33000947820757186760,
                                           0.66999052179242813240, 0.93056815579702628761};

/** A stretch of the line over which the patch has depth; places are multiples of the line's vector.
 */
struct Run {
  double from = 0.0, to = 0.0;
  int rim = 0;         ///< what ends it: lines with the same number end on the same face or edge
  int inner = 0;       ///< what it begins at, where that is not C
  double found = 0.0;  ///< where it was found
  std::array<double, kDepths> depth{};  ///< at Gauss' points between the two [m]
};

/** The runs of a line, ascending. */
struct Profile {
  static constexpr int kMost = 4;
  std::array<Run, kMost> runs{};
  int count = 0;
};

/** Finds the runs of the line 0 ≤ r ≤ most over the points r e of P.

 From a column inside, rays between the two faces' tangents lead to the rim: into the tip of a wedge
 at once, to a round rim within a few steps, or out through a wall. Where the overlap may not be
 convex, twelve columns look for further runs.
 @param center  the column over C
 @param near  the run of a line beside it, from which a thin ring's rims are sought */
Profile FindProfile(Columns* columns, const Column& center, const Vec2& e, double most,
                    const Run& near);

/** The one run 0 ≤ r ≤ to of a line whose rim is known. */
Profile ProfileTo(Columns* columns, const Vec2& e, double to);

}  // namespace intervox::cuda::internal
