/** @file The step of a peg in its hole: asked about the surfaces as they are, before any polytope.
 */
#pragma once

#include "cuda/plan.h"
#include "cuda/rules/flux/crescent_rule.h"

namespace intervox::cuda {

/** Memory of the step of one pair. */
using PegMemory = internal::flux::CrescentMemory;

/** The metrics of a peg in its hole by columns between wall and peg. False where these refuse or
 err by too much: then the pair is prepared like any other. */
INTERVOX_HD inline bool TakePeg(const PairView& query, const PairFrame& frame, PegMemory* memory,
                                LocalPair* pair, InterferenceMetrics* metrics) {
  if (!PreparePeg(frame, pair)) return false;
  pair->tolerance = query.tolerance;
  pair->volume_floor = query.volume_floor;
  Progress progress;
  progress.swapped = frame.swapped;
  Moments moments;
  const RuleResult result = internal::flux::TryCrescent(*pair, memory, &moments);
  if (!KeepBest(query, LeafRule::kFlux, result, moments, &progress)) return false;
  ConcludePair(query, *pair, progress, metrics);
  return true;
}

/** LookAtHoles and, where that says kPeg, the step of the peg, with its memory on the CPU's stack:
 kNothing where the outcome is there, else kCurved. */
AfterBegin LookAtHolesAndTakePeg(const PairView& query, const PairFrame& frame, LocalPair* pair,
                                 InterferenceMetrics* metrics);

}  // namespace intervox::cuda
