/** @file A query brought into its pair-local frame: the input of every rule. */
#pragma once

#include "cuda/metrics.h"

namespace intervox::cuda {

/** Most surfaces of one pair after pruning; more is a capacity status, never a dropped surface. */
inline constexpr int kMaxSurfaces = 48;

/** How many curved surfaces of a pair the rules take that need no subdivision, but for solids of
 revolution. */
inline constexpr int kFewCurves = 2;

/** A surface of either cell in the frame L: world axes, origin p_WL near the overlap. */
struct LocalSurface {
  geometry::Surface surface;
  std::int8_t body = 0;  ///< 0: of A, 1: of B
  double weight = 0.0;  ///< of this face in S and G: B +½, A −½, cut faces and coincident pairs 0
};

/** Ω = the intersection of the sides of `surface[0 … count)`, all in frame L. Built by Prepare;
 surfaces that cannot bound the overlap are pruned, so that every listed one may be active. */
struct LocalPair {
  LocalSurface surface[kMaxSurfaces];
  int count = 0;
  int planes = 0;  ///< the first `planes` surfaces are planes; the rest is curved
  Vec3 p_WL;       ///< origin of L in the world [m]
  Vec3 lower;      ///< axis-aligned box in L that encloses Ω [m]
  Vec3 upper;
  /** Whether that box also encloses what is kept by all surfaces but convex ones of side −1. */
  bool whole = false;
  double tolerance = 1e-3;
  double volume_floor = 0.0;  ///< errors of V up to this do not matter [m³]
};

/** What a rule says: whether it took the pair, and how far it may be off. */
struct RuleResult {
  bool accepted = false;  ///< false: try the next rule
  double error = 0.0;     ///< estimate of |error of V| [m³]
  int work = 0;           ///< faces, rays or leaves evaluated
  bool rounding = false;  ///< the error is one of rounding: no other rule has a smaller one
  double reach = 0.0;     ///< the bounds of V stand off by this at least [m³]
};

}  // namespace intervox::cuda
