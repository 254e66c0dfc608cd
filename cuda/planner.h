/** @file One pair from query to metrics on the CPU: which rule, and what its answer is worth. */
#pragma once

#include "cuda/peg_pair.h"
#include "cuda/plan.h"
#include "cuda/rules/center/rule.h"
#include "cuda/rules/clip/rule.h"
#include "cuda/rules/column/rule.h"
#include "cuda/rules/flux/rule.h"
#include "cuda/rules/polar/rule.h"
#include "cuda/rules/slice/rule.h"

namespace intervox::cuda {

namespace internal {

// Out of line, as the rules with their memory on the stack are.
__attribute__((noinline)) inline RuleResult RunPolar(const LocalPair& pair, Moments* moments) {
  return PolarRule(pair, moments);
}

template <class P>
RuleResult RunRule(const PairView& query, LeafRule rule, Workspace<P>* workspace,
                   Moments* moments) {
  const LocalPair& pair = workspace->pair;
  *moments = {};
  switch (rule) {
    case LeafRule::kPolytope:
      return PolytopeRule(pair, &workspace->polyhedron, moments);
    case LeafRule::kFlux:
      return FluxRule(pair, &workspace->term, moments);
    case LeafRule::kPolar:
      return RunPolar(pair, moments);
    case LeafRule::kSlice:
      return SliceRule(pair, &workspace->term, moments);
    case LeafRule::kColumn:
      return ColumnRule(pair, moments);
    case LeafRule::kClip:
      return ClipRule(pair, moments, clip::MostLeaves(pair, query.rule == LeafRule::kAuto),
                      SizeOf(query));
    case LeafRule::kCenter:
      return CenterRule(pair, SizeOf(query), moments);
    default:
      return {};
  }
}

}  // namespace internal

/** The metrics of one posed pair: a pure function of the query, the same bits everywhere. */
template <class P>
PairOutcome ComputePair(const PairView& query, Workspace<P>* workspace) {
  PairOutcome out;
  PairFrame frame;
  const AfterBegin next = BeginPair(query, &frame, &out.metrics);
  if (next == AfterBegin::kPlanes) ComputePlanes(query, frame, &workspace->polyhedron, &out);
  if (next != AfterBegin::kCurved) return out;
  if (LookAtHolesAndTakePeg(query, frame, &workspace->pair, &out.metrics) == AfterBegin::kNothing) {
    return out;
  }
  Progress progress;
  if (!PreparePair(query, frame, workspace, &progress, &out)) return out;
  const LocalPair& pair = workspace->pair;
  const bool automatic = query.rule == LeafRule::kAuto;
  for (int turn = 0; turn < (automatic ? kRulesInOrder : 1); ++turn) {
    const LeafRule rule = automatic ? RuleInOrder(turn) : query.rule;
    Moments moments;
    const RuleResult result = internal::RunRule(query, rule, workspace, &moments);
    if (KeepBest(query, rule, result, moments, &progress)) break;
  }
  ConcludePair(query, pair, progress, &out.metrics);
  return out;
}

}  // namespace intervox::cuda
