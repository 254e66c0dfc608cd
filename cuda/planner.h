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

// Kept out of line: one frame with every rule in it would be the stack of every pair.
__attribute__((noinline)) inline RuleResult RunPolar(const LocalPair& pair, Moments* moments) {
  return PolarRule(pair, moments);
}

__attribute__((noinline)) inline RuleResult RunFlux(const LocalPair& pair, LocalPair* term,
                                                    Moments* moments) {
  return FluxRule(pair, term, moments);
}

__attribute__((noinline)) inline RuleResult RunColumn(const LocalPair& pair, Moments* moments) {
  return ColumnRule(pair, moments);
}

__attribute__((noinline)) inline RuleResult RunClip(const PairView& query, const LocalPair& pair,
                                                    Moments* moments) {
  const int leaves = clip::MostLeaves(pair, query.rule == LeafRule::kAuto);
  return ClipRule(pair, moments, leaves, SizeOf(query));
}

__attribute__((noinline)) inline RuleResult RunCenter(const PairView& query, const LocalPair& pair,
                                                      Moments* moments) {
  return CenterRule(pair, SizeOf(query), moments);
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
      return RunFlux(pair, &workspace->term, moments);
    case LeafRule::kPolar:
      return RunPolar(pair, moments);
    case LeafRule::kSlice:
      return SliceRule(pair, &workspace->term, moments);
    case LeafRule::kColumn:
      return RunColumn(pair, moments);
    case LeafRule::kClip:
      return RunClip(query, pair, moments);
    case LeafRule::kCenter:
      return RunCenter(query, pair, moments);
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
