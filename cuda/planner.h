/** @file One pair from query to metrics: which rule, and what its answer is worth. */
#pragma once

#include "cuda/numerics/tolerances.h"
#include "cuda/prepare.h"
#include "cuda/rules/ball/rule.h"
#include "cuda/rules/center/rule.h"
#include "cuda/rules/clip/rule.h"
#include "cuda/rules/column/rule.h"
#include "cuda/rules/flux/rule.h"
#include "cuda/rules/polar/rule.h"
#include "cuda/rules/slice/rule.h"

namespace intervox::cuda {

/** Memory of one pair while it is computed; its contents mean nothing between pairs. */
template <class P = SmallPolyhedron>
struct Workspace {
  P polyhedron;
  LocalPair pair;
};

/** Metrics, and whether they need a run with a larger workspace. */
struct PairOutcome {
  InterferenceMetrics metrics;
  bool full = false;
};

namespace internal {

// Spectral rules report an estimate; this many of them enclose the truth.
inline constexpr double kEnclosure = 4.0;

INTERVOX_HD inline bool IsPlanar(const CellView& cell) {
  if (cell.polytope) return true;
  for (int i = 0; i < cell.surface_count; ++i) {
    if (cell.surfaces[i].kind != geometry::SurfaceKind::kPlane) return false;
  }
  return true;
}

// Whether the error is within a share of the tolerance, or does not matter.
INTERVOX_HD inline bool MeetsTolerance(const RuleResult& result, double v, const PairView& query,
                                       double share = 1.0) {
  return result.error <= share * query.tolerance * v || result.error <= query.volume_floor;
}

// The share of the tolerance with which no further rule needs to be tried. All but the flux rule
// state more than they err by.
INTERVOX_HD inline double EnoughOf(LeafRule rule) {
  return rule == LeafRule::kFlux ? kFluxShare : 1.0;
}

// Moments about p_WL to metrics, with bounds, status and the query's sign.
INTERVOX_HD inline InterferenceMetrics Conclude(const Moments& moments, const Vec3& p_WL,
                                                const RuleResult& result, const PairView& query,
                                                bool swapped) {
  InterferenceMetrics out;
  const bool lost = moments.v <= result.error && result.error <= query.volume_floor;
  if (moments.v > 0 && !lost) {
    out = ToMetrics(moments, p_WL);
    out.status = moments.v > result.error && MeetsTolerance(result, moments.v, query)
                     ? Status::kOk
                     : Status::kToleranceNotMet;
    if (swapped) {
      out.area_vector = -out.area_vector;
      out.area_moment = -out.area_moment;
    }
  } else if (!lost && result.error > query.volume_floor) {
    // Nothing was found, but there may be something.
    out.status = Status::kToleranceNotMet;
  }
  out.volume_error = result.error;
  const double reach = kEnclosure * result.error;
  out.volume_lo = out.volume > reach ? out.volume - reach : 0.0;
  out.volume_hi = out.volume + reach;
  out.work = result.work;
  return out;
}

// The flux rule has no parametrisation for the curve in which two ellipsoids meet.
INTERVOX_HD inline int CountEllipsoids(const LocalPair& pair) {
  int count = 0;
  for (int i = pair.planes; i < pair.count; ++i) {
    count += pair.surface[i].surface.kind == geometry::SurfaceKind::kEllipsoid;
  }
  return count;
}

// Kept out of line: one function with every rule in it takes ptxas many minutes.
__attribute__((noinline)) INTERVOX_HD inline RuleResult RunPolar(const LocalPair& pair,
                                                                 Moments* moments) {
  return PolarRule(pair, moments);
}

__attribute__((noinline)) INTERVOX_HD inline RuleResult RunFlux(const LocalPair& pair,
                                                                Moments* moments) {
  return CountEllipsoids(pair) > 1 ? RuleResult{} : FluxRule(pair, moments);
}

__attribute__((noinline)) INTERVOX_HD inline RuleResult RunSlice(const LocalPair& pair,
                                                                 Moments* moments) {
  return SliceRule(pair, moments);
}

__attribute__((noinline)) INTERVOX_HD inline RuleResult RunColumn(const LocalPair& pair,
                                                                  Moments* moments) {
  return ColumnRule(pair, moments);
}

__attribute__((noinline)) INTERVOX_HD inline RuleResult RunClip(const LocalPair& pair,
                                                                double leaf_size,
                                                                Moments* moments) {
  return ClipRule(pair, moments, internal::clip::kMaxClipLeaves, leaf_size);
}

__attribute__((noinline)) INTERVOX_HD inline RuleResult RunCenter(const LocalPair& pair,
                                                                  double voxel_size,
                                                                  Moments* moments) {
  return CenterRule(pair, voxel_size, moments);
}

template <class P>
INTERVOX_HD RuleResult RunRule(LeafRule rule, const LocalPair& pair, double voxel_size,
                               P* polyhedron, Moments* moments) {
  *moments = {};
  switch (rule) {
    case LeafRule::kPolytope:
      return PolytopeRule(pair, polyhedron, moments);
    case LeafRule::kFlux:
      return RunFlux(pair, moments);
    case LeafRule::kPolar:
      return RunPolar(pair, moments);
    case LeafRule::kSlice:
      return RunSlice(pair, moments);
    case LeafRule::kColumn:
      return RunColumn(pair, moments);
    case LeafRule::kClip:
      return RunClip(pair, voxel_size, moments);
    case LeafRule::kCenter:
      return RunCenter(pair, voxel_size, moments);
    default:
      return {};
  }
}

}  // namespace internal

/** The metrics of one posed pair: a pure function of the query, the same bits everywhere. */
template <class P>
INTERVOX_HD PairOutcome ComputePair(const PairView& query, Workspace<P>* workspace) {
  PairOutcome out;
  InterferenceMetrics& metrics = out.metrics;
  PairFrame frame;
  if (!MakePairFrame(query, &frame) || !(query.tolerance > 0)) {
    metrics.status = Status::kInvalid;
    return out;
  }
  const bool automatic = query.rule == LeafRule::kAuto;
  if (automatic) {
    const BallOutcome ball = BallRule(frame);
    if (ball.taken) {
      if (!(ball.moments.v > 0)) return out;
      metrics = internal::Conclude(ball.moments, ball.p_WL, ball.result, query, frame.swapped);
      metrics.rule = LeafRule::kPolar;
      metrics.contained = ball.contained && metrics.status != Status::kDisjoint;
      return out;
    }
  }
  if (AreApart(frame)) return out;
  const bool planar = internal::IsPlanar(frame.a) && internal::IsPlanar(frame.b);
  if (planar && (automatic || query.rule == LeafRule::kPolytope)) {
    const PolytopeOutcome polytope = PolytopePair(frame, &workspace->polyhedron);
    out.full = polytope.full;
    if (polytope.status == Status::kOk) {
      metrics = internal::Conclude(polytope.moments, polytope.p_WL,
                                   {true, polytope.error, polytope.faces}, query, frame.swapped);
    } else {
      metrics.status = polytope.status;
    }
    metrics.rule = LeafRule::kPolytope;
    metrics.contained = polytope.contained;
    return out;
  }

  LocalPair& pair = workspace->pair;
  pair.tolerance = query.tolerance;
  pair.volume_floor = query.volume_floor;
  const Prepared prepared = Prepare(frame, &workspace->polyhedron, &pair);
  out.full = prepared.full;
  metrics.status = prepared.status;
  if (prepared.status != Status::kOk) return out;
  // In the order of cost; every one refuses what it is not made for.
  constexpr LeafRule kOrder[] = {LeafRule::kPolytope, LeafRule::kSlice,  LeafRule::kPolar,
                                 LeafRule::kFlux,     LeafRule::kColumn, LeafRule::kClip};
  constexpr int kRules = 6;
  bool found = false;
  RuleResult best;
  Moments best_moments;
  LeafRule best_rule = query.rule;
  for (int i = 0; i < (automatic ? kRules : 1); ++i) {
    const LeafRule rule = automatic ? kOrder[i] : query.rule;
    Moments moments;
    const RuleResult result = internal::RunRule(rule, pair, automatic ? 0.0 : query.voxel_size,
                                                &workspace->polyhedron, &moments);
    if (!result.accepted || (found && !(result.error < best.error))) continue;
    found = true;
    best = result;
    best_moments = moments;
    best_rule = rule;
    if (internal::MeetsTolerance(result, moments.v, query, internal::EnoughOf(rule)) ||
        result.rounding || moments.v <= 0) {
      break;
    }
  }
  if (!found) {
    // Nothing is known beyond the box.
    const Vec3 span = pair.upper - pair.lower;
    metrics.status = Status::kToleranceNotMet;
    metrics.volume_hi = metrics.volume_error = span.x * span.y * span.z;
    metrics.rule = query.rule;
    return out;
  }
  metrics = internal::Conclude(best_moments, pair.p_WL, best, query, frame.swapped);
  metrics.rule = best_rule;
  metrics.contained = prepared.contained && metrics.status != Status::kDisjoint;
  return out;
}

}  // namespace intervox::cuda
