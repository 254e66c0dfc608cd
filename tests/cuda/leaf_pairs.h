/** @file Posed pairs for the tests of the leaf rules: made from surfaces or from two posed cells.
 */
#pragma once

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

/** The pair in its local frame, as the planner hands it to a rule. */
inline LocalPair LocalPairOf(const PairQuery& query) {
  PairFrame frame;
  LocalPair pair;
  pair.tolerance = query.tolerance;
  static SmallPolyhedron polyhedron;
  if (MakePairFrame(MakeView(query), &frame)) Prepare(frame, &polyhedron, &pair);
  return pair;
}

}  // namespace intervox::cuda::testing
