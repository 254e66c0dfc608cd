/** @file Cells on a half-space, and answers of two rules for one pair. */
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tests/cuda/pairs.h"

namespace intervox::testing {

/** Where cells begin along −n, by bisection on whether one overlaps the half-space there. */
inline double LowestPoint(std::span<const Cell> cells, const Mat3& R, const Cell& floor) {
  double apart = 4.0, touching = -4.0;
  for (int i = 0; i < 60; ++i) {
    const double z = 0.5 * (apart + touching);
    const bool touches = std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
      return ComputeMetrics({&cell, &floor, {R, {0, 0, z}}, {}}).volume > 0;
    });
    (touches ? touching : apart) = z;
  }
  return touching;
}

/** The answers of columns and of slices for one pair. */
struct ColumnsAndSlices {
  bool both = false;  ///< both rules gave one
  InterferenceMetrics column, slice;
};

/** Asks columns and then slices, and counts where the latter refuse. */
inline ColumnsAndSlices AskBoth(PairQuery query, int* refused) {
  ColumnsAndSlices answers;
  query.rule = LeafRule::kColumn;
  answers.column = ComputeMetrics(query);
  if (answers.column.status != Status::kOk) return answers;
  query.rule = LeafRule::kSlice;
  answers.slice = ComputeMetrics(query);
  answers.both = answers.slice.status == Status::kOk;
  if (!answers.both) ++*refused;
  return answers;
}

/** What two answers may differ by beside their volumes. */
struct MomentTolerances {
  double p = 0.0;  ///< of the centroid, over the size
  double S = 0.0;  ///< over the area
  double G = 0.0;  ///< over the area [m]
  double J = 0.0;  ///< over the trace
};

/** Expects centroid, area vector and moment, and inertia to be those of another answer. */
inline void ExpectSameMoments(const InterferenceMetrics& m, const InterferenceMetrics& expected,
                              const MomentTolerances& tolerances) {
  const double size = std::cbrt(expected.volume);
  EXPECT_LT(Norm(m.p_WC - expected.p_WC), tolerances.p * size);
  const double area = std::fmax(Norm(expected.area_vector), size * size);
  EXPECT_LT(Norm(m.area_vector - expected.area_vector), tolerances.S * area);
  EXPECT_LT(Norm(m.area_moment - expected.area_moment), tolerances.G * area);
  const double J = Trace(expected.J_W);
  const Mat3 apart = m.J_W - expected.J_W;
  for (const Vec3& row : {apart.row0, apart.row1, apart.row2}) {
    EXPECT_LT(Norm(row), tolerances.J * J);
  }
}

}  // namespace intervox::testing
