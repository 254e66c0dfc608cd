/** @file Posed pairs for the tests of the leaf rules: made from surfaces or from two posed cells.
 */
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cuda/prepare.h"
#include "geometry/cell.h"
#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "tests/cuda/pairs.h"

namespace intervox::cuda::testing {

using geometry::BoxSurfaces;
using geometry::Surface;
using intervox::testing::Random;

/** The pair of two sets of surfaces, given in one frame, with origin p_L and a box around Ω. */
inline LocalPair MakePair(const std::vector<Surface>& a, const std::vector<Surface>& b,
                          const Vec3& p_L, const Vec3& lower, const Vec3& upper, double tolerance) {
  LocalPair pair;
  for (int curved = 0; curved < 2; ++curved) {
    for (int body = 0; body < 2; ++body) {
      for (const Surface& s : body == 0 ? a : b) {
        if ((s.kind != geometry::SurfaceKind::kPlane) != (curved == 1)) continue;
        LocalSurface& local = pair.surface[pair.count++];
        local.surface = Pose{Mat3::Identity(), -p_L} * s;
        local.body = static_cast<std::int8_t>(body);
        local.weight = s.cut ? 0.0 : body == 0 ? -0.5 : 0.5;
      }
    }
    if (curved == 0) pair.planes = pair.count;
  }
  pair.p_WL = p_L;
  pair.lower = lower - p_L;
  pair.upper = upper - p_L;
  pair.tolerance = tolerance;
  return pair;
}

/** The surfaces moved by X. */
inline std::vector<Surface> Moved(const Pose& X, std::vector<Surface> surfaces) {
  for (Surface& s : surfaces) s = X * s;
  return surfaces;
}

/** What a rule says of a pair. */
struct Answer {
  RuleResult result;
  Moments moments;
  InterferenceMetrics metrics;  ///< nothing unless V > 0
};

/** Asks a rule: result = rule(pair, &moments). */
template <class Rule>
Answer Ask(const LocalPair& pair, const Rule& rule) {
  Answer answer;
  answer.result = rule(pair, &answer.moments);
  if (answer.moments.v > 0) answer.metrics = ToMetrics(answer.moments, pair.p_WL);
  return answer;
}

/** What a rule that takes room for a term of a pair with holes says of a pair. */
template <class Rule>
Answer AskWithTerm(const LocalPair& pair, const Rule& rule) {
  internal::Place<LocalPair> term;
  return Ask(pair, [&](const LocalPair& p, Moments* m) { return rule(p, &term.value, m); });
}

/** The pair in its local frame, as the planner hands it to a rule. */
inline LocalPair LocalPairOf(const PairQuery& query) {
  PairFrame frame;
  LocalPair pair;
  pair.tolerance = query.tolerance;
  static SmallPolyhedron polyhedron;
  if (MakePairFrame(MakeView(query), &frame)) Prepare(frame, &polyhedron, &pair);
  return pair;
}

/** Expects −∂V/∂x = S and −∂V/∂θ = G about the centroid of an answer.
 @param volume  V with the first solid moved by a pose; @param trial  for messages */
template <class Volume>
void ExpectGradient(const Answer& got, const Volume& volume, int trial) {
  const double h = 1e-5, area = std::fmax(Norm(got.metrics.area_vector), 1e-3);
  const auto v = [&](const Vec3& dx, const Vec3& turn) {
    Pose X;
    X.R = intervox::testing::Turned(turn, X.R);
    X.p = got.metrics.p_WC - X.R * got.metrics.p_WC + dx;
    return volume(X);
  };
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 e;
    e[axis] = h;
    EXPECT_NEAR(-(v(e, {}) - v(-e, {})) / (2 * h), got.metrics.area_vector[axis], 2e-4 * area)
        << trial;
    EXPECT_NEAR(-(v({}, e) - v({}, -e)) / (2 * h), got.metrics.area_moment[axis], 2e-4 * area)
        << trial;
  }
}

}  // namespace intervox::cuda::testing
