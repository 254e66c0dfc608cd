/** @file The steps of a pair around its rules, for the CPU's planner.h and the device's kernels. */
#pragma once

#include "cuda/numerics/tolerances.h"
#include "cuda/prepare.h"
#include "cuda/rules/ball/rule.h"
#include "cuda/wall/wall_cuts.h"

namespace intervox::cuda {

/** Memory of one pair while it is computed; its contents mean nothing between pairs. */
template <class P = SmallPolyhedron>
struct Workspace {
  /** What Prepare makes of the pair for PolytopeRule; later a term of a pair with holes. */
  union {
    P polyhedron;
    LocalPair term;
  };
  LocalPair pair;

  /** Neither of them is made yet. */
  INTERVOX_HD Workspace() {}
};

/** Metrics, and whether they need a run with a larger workspace. */
struct PairOutcome {
  InterferenceMetrics metrics;
  bool full = false;
};

/** What comes after BeginPair, and after LookAtHoles: where TakePeg leaves a peg in its hole it is
 a curved pair. */
enum class AfterBegin : std::uint8_t { kNothing, kPlanes, kPeg, kCurved };

/** What is known of a pair between two rules: the answer with the smallest error so far. */
struct Progress {
  Moments moments;
  RuleResult result;
  LeafRule rule = LeafRule::kAuto;  ///< of that answer
  bool found = false;
  bool swapped = false;    ///< PairFrame::swapped
  bool contained = false;  ///< Prepared::contained
};

/** How many rules may be asked. */
inline constexpr int kRulesInOrder = 6;

/** The rule that is asked in a turn, from 0 on, in the order of cost. Every one refuses what it is
 not made for. */
INTERVOX_HD constexpr LeafRule RuleInOrder(int turn) {
  constexpr LeafRule kOrder[kRulesInOrder] = {LeafRule::kPolytope, LeafRule::kSlice,
                                              LeafRule::kPolar,    LeafRule::kFlux,
                                              LeafRule::kColumn,   LeafRule::kClip};
  return kOrder[turn];
}

/** Whether a rule is made for cells, and not for grids alone. */
INTERVOX_HD constexpr bool TakesCells(LeafRule rule) {
  return rule != LeafRule::kAuto && rule != LeafRule::kFraction && rule != LeafRule::kVoxel;
}

/** The leaf or voxel size of a query that names its rule; 0 otherwise. */
INTERVOX_HD inline double SizeOf(const PairView& query) {
  return query.rule == LeafRule::kAuto ? 0.0 : query.voxel_size;
}

namespace internal {

// Spectral rules report an estimate; this many of them enclose the truth.
inline constexpr double kEnclosure = 4.0;

// The clip rule was not seen to state less, relative to V: of 5,765 random pairs at 1e-6 1.5e-7.
inline constexpr double kBeyondClip = 1e-8;

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
  const double some = kEnclosure * result.error;
  const double reach = some > result.reach ? some : result.reach;
  out.volume_lo = out.volume > reach ? out.volume - reach : 0.0;
  out.volume_hi = out.volume + reach;
  out.work = result.work;
  return out;
}

}  // namespace internal

/** Places the pair, and ends it where it is no query, has closed forms or is apart by its bounds.
 */
INTERVOX_HD inline AfterBegin BeginPair(const PairView& query, PairFrame* frame,
                                        InterferenceMetrics* metrics) {
  if (!MakePairFrame(query, frame) || !(query.tolerance > 0)) {
    metrics->status = Status::kInvalid;
    return AfterBegin::kNothing;
  }
  const bool automatic = query.rule == LeafRule::kAuto;
  if (automatic) {
    const BallOutcome ball = BallRule(*frame);
    if (ball.taken) {
      if (!(ball.moments.v > 0)) return AfterBegin::kNothing;
      *metrics = internal::Conclude(ball.moments, ball.p_WL, ball.result, query, frame->swapped);
      metrics->rule = LeafRule::kPolar;
      metrics->contained = ball.contained && metrics->status != Status::kDisjoint;
      return AfterBegin::kNothing;
    }
  }
  if (AreApart(*frame)) return AfterBegin::kNothing;
  const bool planar = internal::IsPlanar(frame->a) && internal::IsPlanar(frame->b);
  return planar && (automatic || query.rule == LeafRule::kPolytope) ? AfterBegin::kPlanes
                                                                    : AfterBegin::kCurved;
}

/** What comes after kCurved: nothing where a peg hangs free in its hole. */
INTERVOX_HD inline AfterBegin LookAtHoles(const PairView& query, const PairFrame& frame) {
  if (frame.first < 0 || !(internal::HasHole(frame.a) || internal::HasHole(frame.b))) {
    return AfterBegin::kCurved;
  }
  if (HangsFree(frame.a, frame.X_LA, frame.b, frame.X_LB) ||
      HangsFree(frame.b, frame.X_LB, frame.a, frame.X_LA)) {
    return AfterBegin::kNothing;
  }
  return query.rule == LeafRule::kAuto && IsPegInHole(frame) ? AfterBegin::kPeg
                                                             : AfterBegin::kCurved;
}

/** The outcome of a pair that only planes bound. */
template <class P>
INTERVOX_HD void ComputePlanes(const PairView& query, const PairFrame& frame, P* polyhedron,
                               internal::PolytopeSums* room, PairOutcome* out) {
  const PolytopeOutcome polytope = PolytopePair(frame, polyhedron, room);
  out->full = polytope.full;
  if (polytope.status == Status::kOk) {
    out->metrics = internal::Conclude(polytope.moments, polytope.p_WL,
                                      {true, polytope.error, polytope.faces}, query, frame.swapped);
  } else {
    out->metrics.status = polytope.status;
  }
  out->metrics.rule = LeafRule::kPolytope;
  out->metrics.contained = polytope.contained;
}

/** The same with room on the stack. Out of line: it would be the stack of every pair. */
template <class P>
__attribute__((noinline)) void ComputePlanes(const PairView& query, const PairFrame& frame,
                                             P* polyhedron, PairOutcome* out) {
  internal::PolytopeSums room;
  ComputePlanes(query, frame, polyhedron, &room, out);
}

/** Readies a pair with curved surfaces for its rules. False where the outcome is there already. */
template <class P>
INTERVOX_HD bool PreparePair(const PairView& query, const PairFrame& frame, Workspace<P>* workspace,
                             Progress* progress, PairOutcome* out) {
  LocalPair& pair = workspace->pair;
  pair.tolerance = query.tolerance;
  pair.volume_floor = query.volume_floor;
  const Prepared prepared = Prepare(frame, &workspace->polyhedron, &pair);
  out->full = prepared.full;
  out->metrics.status = prepared.status;
  progress->rule = query.rule;
  progress->swapped = frame.swapped;
  progress->contained = prepared.contained;
  return prepared.status == Status::kOk;
}

/** Keeps an answer where it is the best so far; true where no further rule needs to be asked. */
INTERVOX_HD inline bool KeepBest(const PairView& query, LeafRule rule, const RuleResult& result,
                                 const Moments& moments, Progress* progress) {
  const bool enough = internal::MeetsTolerance(result, moments.v, query, internal::EnoughOf(rule));
  // A rule whose error is no number is as good as one that refuses. One that states enough is
  // better than one that states less and may err by more.
  const bool best = result.accepted && result.error < INFINITY &&
                    (!progress->found || enough || result.error < progress->result.error);
  if (best) {
    progress->found = true;
    progress->result = result;
    progress->moments = moments;
    progress->rule = rule;
    if (enough || result.rounding) return true;
  }
  // What comes after the column rule is the clip rule.
  return rule == LeafRule::kColumn && progress->found &&
         progress->result.error <= internal::kBeyondClip * progress->moments.v;
}

/** The metrics of a prepared pair, after its rules. */
INTERVOX_HD inline void ConcludePair(const PairView& query, const LocalPair& pair,
                                     const Progress& progress, InterferenceMetrics* metrics) {
  if (!progress.found) {
    // Nothing is known beyond the box.
    const Vec3 span = pair.upper - pair.lower;
    metrics->status = Status::kToleranceNotMet;
    metrics->volume_hi = metrics->volume_error = span.x * span.y * span.z;
    metrics->rule = query.rule;
    return;
  }
  *metrics =
      internal::Conclude(progress.moments, pair.p_WL, progress.result, query, progress.swapped);
  metrics->rule = progress.rule;
  metrics->contained = progress.contained && metrics->status != Status::kDisjoint;
}

}  // namespace intervox::cuda
