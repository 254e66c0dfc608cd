/** @file The clip rule: cells cut by tangent planes, moments extrapolated; any surfaces. */
#pragma once

#include "cuda/moments/moments.h"
#include "cuda/numerics/lanes.h"
#include "cuda/rules/clip/error.h"
#include "cuda/rules/clip/shrink.h"
#include "cuda/surface/near.h"

namespace intervox::cuda {

namespace internal::clip {

/** Most curved leaves of one level. */
inline constexpr int kMaxClipLeaves = 100000;
/** The same where solids nearly coincide and no rule was named: some 30 ms. */
inline constexpr int kMaxClipLeavesNear = 20000;

/** The most curved leaves of one level that a pair may take. */
INTERVOX_HD inline int MostLeaves(const LocalPair& pair, bool automatic) {
  return automatic && NearlyCoincides(pair) ? kMaxClipLeavesNear : kMaxClipLeaves;
}

/** Room for one leaf. */
struct LeafRoom {
  HalfSpaceCut cut[kMaxSurfaces];
  PolygonRoom polygon;
};

/** What is summed of a pair: its model, the cells that wait, one leaf, and the lanes' sums. It is
 too large for the stack of a device's thread. */
struct ClipMemory {
  Place<ClipModel> model;
  Place<CellStack> cells;
  Place<LeafRoom> leaf;
  LaneSums<ClipSums> lanes;
};

/** Adds what is left of a cell: a box, an exact polytope, or its linearisation. */
INTERVOX_HD inline void AddCell(const ClipModel& model, const ClipCell& cell, LeafRoom* room,
                                ClipSums* sums) {
  if (cell.active == 0) {
    AddBox(cell.c, cell.h, sums);
    return;
  }
  HalfSpaceCut* const cut = room->cut;
  int count = 0;
  bool flat = false, outside = false;  // a surface without a plane, and its far side
  std::uint64_t rest = cell.active;
  for (int i = 0; rest != 0; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    cut[count] = {};
    if (TangentCut(model.surface[i], cell.c, cell.h, &cut[count])) {
      ++count;
      continue;
    }
    flat = true;
    outside = outside || Evaluate(model.surface[i], cell.c).value > 0;
  }
  AddDoubt(cut, count, flat, cell.c, cell.h, sums);
  if (outside) return;
  AddPolytope(cut, count, cell.c, cell.h, &room->polygon, sums);
}

/** Everything below one cell of level `from`, at level `to`. */
INTERVOX_HD inline ClipSums Descend(const ClipModel& model, int from, int to, int index,
                                    ClipMemory* memory) {
  ClipSums sums;
  const std::uint64_t curved = ~((std::uint64_t{1} << model.planes) - 1);
  sums.cells = VisitCells(model, from, to, index, &memory->cells, [&](const ClipCell& cell) {
    sums.leaves += (cell.active & curved) != 0 ? 1 : 0;
    AddCell(model, cell, &memory->leaf.value, &sums);
  });
  return sums;
}

/** a x. */
INTERVOX_HD inline ClipSums Times(double a, const ClipSums& x) {
  ClipSums out = x;
  static_cast<VolumeMoments&>(out) = a * static_cast<const VolumeMoments&>(x);
  out.s *= a;
  out.t = a * x.t;
  return out;
}

}  // namespace internal::clip

/** Metrics of any overlap by cells cut with tangent planes, fourth order by extrapolation.

 Cells of a box around Ω are halved level by level; certified bounds drop cells and surfaces, so
 that which cells exist never depends on sampled values. In a leaf each curved surface becomes its
 tangent half-space at the projected centre; the polytope's moments are exact. Their error is a
 clean h² term, rims and edges included, so by (C5) (4 M_fine − M_coarse)/3 of all raw moments is
 fourth order. Cells that only planes cut are exact at once. Levels are added until the changes fall
 below 0.06 of the tolerance, so that results jump little where the level changes, and the stated
 error below the tolerance. S and G err by about ten times the tolerance, relative: a rim moves by
 h² in each of its cells, and only the mean of that is extrapolated.
 @param max_leaves  bound on the curved leaves of one level; beyond it the best result is returned
 with the error that it has.
 @param leaf_size  [m] > 0: cells are halved until no halved side is longer, and no further.
 @param memory  whatever it holds is lost
 @return error: the sum of ClipError [m³]; the changes in it are of V, or of the centroid or inertia
 in the same measure if those changed more. V is 0 with error 0 where bounds prove it, only. */
INTERVOX_HD inline RuleResult ClipRule(const LocalPair& pair, Moments* moments, int max_leaves,
                                       double leaf_size, internal::clip::ClipMemory* memory) {
  using internal::clip::ClipSums;
  RuleResult result;
  *moments = {};
  internal::clip::ClipModel& model = memory->model.Make();
  bool disjoint = false;
  model.box = internal::clip::ChooseBox(pair, &disjoint);
  if (disjoint) {
    result.accepted = true;
    return result;
  }
  if (!model.box.valid) return result;
  internal::clip::MapSurfaces(pair, &model);
  if (model.planes < model.count && !internal::clip::Shrink(&model)) {
    result.accepted = true;
    return result;
  }
  internal::clip::Recentre(&model.box);
  internal::clip::MapSurfaces(pair, &model);
  internal::clip::PlanSplits(pair, &model);
  const auto evaluate = [&](int level) {
    const int from = level < 2 ? level : 2;
    int items = 1;
    for (int i = 0; i < from; ++i) {
      for (int axis = 0; axis < 3; ++axis) items <<= model.split[i] >> axis & 1;
    }
    return SumInLanes<ClipSums>(
        items, [&](int i) { return internal::clip::Descend(model, from, level, i, memory); },
        &memory->lanes);
  };
  const auto extrapolate = [](const ClipSums& fine, const ClipSums& coarse) {
    ClipSums out = internal::clip::Times(4.0 / 3, fine);
    out += internal::clip::Times(-1.0 / 3, coarse);
    return out;
  };
  const double target = 0.06 * pair.tolerance, enough = 0.9 * pair.tolerance;
  const double det = std::fabs(Determinant(model.box.F));
  int level = 1;
  internal::clip::ClipError error;
  ClipSums coarse = evaluate(level), best = coarse;
  result.work = coarse.leaves;
  for (++level; level <= internal::clip::kMaxClipLevel; ++level) {
    const ClipSums fine = evaluate(level);
    result.work += fine.leaves;
    if (fine.leaves == 0) {
      // Planes alone, or nothing at all.
      best = fine;
      error = {};
      break;
    }
    const ClipSums next = extrapolate(fine, coarse);
    error.Refine(level, best, next, fine);
    best = next;
    coarse = fine;
    const bool last = 4 * fine.leaves > max_leaves;
    if (leaf_size > 0) {
      if (last || internal::clip::CellSize(model, level) <= leaf_size) break;
      continue;
    }
    const double stated = error.Stated();
    const bool few = level <= 3 || fine.leaves < internal::clip::kFewLeaves;
    const bool small = error.likely <= target * best.v && stated <= enough * best.v;
    if (last || (!few && (small || stated * det <= pair.volume_floor))) break;
  }
  *moments = Mapped(model.box.F, model.box.p, best, best.s, best.t);
  result.error = error.Stated() * det + internal::clip::RoundingOf(pair, model.box, det);
  if (!(moments->v > 0)) {
    result.error -= moments->v;
    *moments = {};
  }
  result.accepted = true;
  return result;
}

/** The same with its memory on the stack. Out of line: it would be the stack of every pair. */
__attribute__((noinline)) inline RuleResult ClipRule(
    const LocalPair& pair, Moments* moments, int max_leaves = internal::clip::kMaxClipLeaves,
    double leaf_size = 0) {
  internal::clip::ClipMemory memory;
  return ClipRule(pair, moments, max_leaves, leaf_size, &memory);
}

}  // namespace intervox::cuda
