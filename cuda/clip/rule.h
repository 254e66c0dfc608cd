/** @file The clip rule: cells cut by tangent planes, moments extrapolated; any surfaces. */
#pragma once

#include "cuda/clip/box.h"
#include "cuda/clip/cells.h"
#include "cuda/moments.h"

namespace intervox::cuda {

namespace internal {

/** Deepest level of cells. */
inline constexpr int kMaxClipLevel = 12;

/** Most curved leaves of one level. */
inline constexpr int kMaxClipLeaves = 100000;
/** Coarse levels were seen to err by this many times what their changes say. */
inline constexpr double kClipDoubt = 3.0;
/** Fewer leaves than this say little about how the error falls. */
inline constexpr int kFewLeaves = 24;

/** The mapped pair and its grid. */
struct ClipModel {
  MappedSurface surface[kMaxSurfaces];
  int count = 0;
  int planes = 0;
  ClipBox box;
  int split[kMaxClipLevel + 1] = {};  ///< axes (bits) halved between level i and i + 1
};

/** A cell on the way down. */
struct ClipCell {
  Vec3 c, h;
  std::uint64_t active = 0;  ///< surfaces whose bounds did not decide
  int level = 0;
};

/** The bits of all surfaces. */
INTERVOX_HD inline std::uint64_t AllSurfaces(const ClipModel& model) {
  return model.count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << model.count) - 1;
}

/** Bounds the active surfaces over the cell: false when it is outside of Ω. */
INTERVOX_HD inline bool Cull(const ClipModel& model, ClipCell* cell) {
  std::uint64_t rest = cell->active;
  for (int i = 0; rest != 0; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    const geometry::Bounds g = BoundsOver(model.surface[i], cell->c, cell->h);
    if (g.lo > 0) return false;
    if (g.hi < 0) cell->active &= ~(std::uint64_t{1} << i);
  }
  return true;
}

/** Adds what is left of a cell: a box, an exact polytope, or its linearisation. */
INTERVOX_HD inline void AddCell(const ClipModel& model, const ClipCell& cell, ClipSums* sums) {
  if (cell.active == 0) {
    AddBox(cell.c, cell.h, sums);
    return;
  }
  HalfSpaceCut cut[kMaxSurfaces];
  int count = 0;
  std::uint64_t rest = cell.active;
  for (int i = 0; rest != 0; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    if (TangentCut(model.surface[i], cell.c, cell.h, &cut[count])) {
      ++count;
    } else if (Evaluate(model.surface[i], cell.c).value > 0) {
      return;
    }
  }
  AddPolytope(cut, count, cell.c, cell.h, sums);
}

/** Calls visit(cell) for everything below one cell of level `from`: what planes alone cut, and
 curved cells of level `to`. Returns the number of cells bounded. */
template <class Visit>
INTERVOX_HD int VisitCells(const ClipModel& model, int from, int to, int index, Visit&& visit) {
  ClipCell stack[7 * kMaxClipLevel + 8];
  int top = 0, cells = 1;
  {
    ClipCell root;
    root.c = 0.5 * (model.box.lower + model.box.upper);
    root.h = 0.5 * (model.box.upper - model.box.lower);
    root.active = AllSurfaces(model);
    for (int level = 0; level < from; ++level) {
      for (int axis = 0; axis < 3; ++axis) {
        if ((model.split[level] >> axis & 1) == 0) continue;
        root.h[axis] *= 0.5;
        root.c[axis] += index & 1 ? root.h[axis] : -root.h[axis];
        index >>= 1;
      }
    }
    root.level = from;
    if (!Cull(model, &root)) return cells;
    stack[top++] = root;
  }
  const std::uint64_t curved = ~((std::uint64_t{1} << model.planes) - 1);
  while (top > 0) {
    const ClipCell cell = stack[--top];
    if ((cell.active & curved) == 0 || cell.level == to) {
      visit(cell);
      continue;
    }
    const int split = model.split[cell.level];
    ClipCell child = cell;
    child.level = cell.level + 1;
    int axes[3], halved = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if ((split >> axis & 1) == 0) continue;
      child.h[axis] *= 0.5;
      axes[halved++] = axis;
    }
    for (int k = (1 << halved) - 1; k >= 0; --k) {
      ClipCell one = child;
      for (int j = 0; j < halved; ++j) {
        const int axis = axes[j];
        one.c[axis] += k >> j & 1 ? one.h[axis] : -one.h[axis];
      }
      ++cells;
      if (Cull(model, &one)) stack[top++] = one;
    }
  }
  return cells;
}

/** Everything below one cell of level `from`, at level `to`. */
INTERVOX_HD inline ClipSums Descend(const ClipModel& model, int from, int to, int index) {
  ClipSums sums;
  const std::uint64_t curved = ~((std::uint64_t{1} << model.planes) - 1);
  sums.cells = VisitCells(model, from, to, index, [&](const ClipCell& cell) {
    sums.leaves += (cell.active & curved) != 0 ? 1 : 0;
    AddCell(model, cell, &sums);
  });
  return sums;
}

/** A box by its corners; the sum of two encloses both, and the default is empty. */
struct Hull {
  Vec3 lower{1e300, 1e300, 1e300};
  Vec3 upper{-1e300, -1e300, -1e300};
  int cells = 0;
  INTERVOX_HD Hull& operator+=(const Hull& o) {
    lower = Min(lower, o.lower);
    upper = Max(upper, o.upper);
    cells += o.cells;
    return *this;
  }
};

/** The hull of the cells of a grid of 8 × 8 × 8 that may hold a part of Ω. */
template <class Team>
INTERVOX_HD Hull HullOfCells(const Team& team, const ClipModel& model) {
  const Vec3 h = 0.0625 * (model.box.upper - model.box.lower);
  const auto place = [](int i) {
    return Vec3{2.0 * (i & 3) - 3, 2.0 * (i >> 2 & 3) - 3, 2.0 * (i >> 4 & 3) - 3};
  };
  return team.template Sum<Hull>(64, [&](int i) {
    Hull hull;
    ClipCell parent;
    parent.h = 2 * h;
    parent.c = 0.5 * (model.box.lower + model.box.upper) + Scaled(parent.h, place(i));
    parent.active = AllSurfaces(model);
    hull.cells = 1;
    if (!Cull(model, &parent)) return hull;
    for (int k = 0; k < 8; ++k) {
      ClipCell cell = parent;
      cell.h = h;
      cell.c += Scaled(h, {k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
      ++hull.cells;
      if (!Cull(model, &cell)) continue;
      hull.lower = Min(hull.lower, cell.c - h);
      hull.upper = Max(hull.upper, cell.c + h);
    }
    return hull;
  });
}

/** Shrinks the box to the hull of its cells while that gains; false when no cell is left. */
template <class Team>
INTERVOX_HD bool Shrink(const Team& team, ClipModel* model) {
  for (int turn = 0; turn < 12; ++turn) {
    const Hull hull = HullOfCells(team, *model);
    if (!(hull.lower.x < hull.upper.x)) return false;
    const Vec3 before = model->box.upper - model->box.lower, after = hull.upper - hull.lower;
    if (after.x + after.y + after.z > 0.999 * (before.x + before.y + before.z)) break;
    const double gain = (after.x / before.x) * (after.y / before.y) * (after.z / before.z);
    model->box.lower = hull.lower;
    model->box.upper = hull.upper;
    if (gain > 0.8) break;
  }
  return true;
}

/** a x. */
INTERVOX_HD inline ClipSums Times(double a, const ClipSums& x) {
  ClipSums out = x;
  out.v *= a;
  out.m *= a;
  out.q *= a;
  out.d *= a;
  out.s *= a;
  out.t = a * x.t;
  return out;
}

/** The sums back in L: det F, F M Fᵀ and the cofactor of F. */
INTERVOX_HD inline Moments MapBack(const ClipBox& box, const ClipSums& sums) {
  const Mat3& F = box.F;
  const Vec3& p = box.p;
  const double det = Determinant(F);
  const double scale = det < 0 ? -det : det;
  Moments out;
  out.v = scale * sums.v;
  const Vec3 first = scale * (F * sums.m);
  out.m = out.v * p + first;
  const Mat3 second{{sums.q.x, sums.d.x, sums.d.y},
                    {sums.d.x, sums.q.y, sums.d.z},
                    {sums.d.y, sums.d.z, sums.q.z}};
  const Mat3 inner = scale * (F * second * Transpose(F));
  const Mat3 total = inner + Outer(first, p) + Outer(p, first) + out.v * Outer(p, p);
  out.q = {total(0, 0), total(1, 1), total(2, 2)};
  out.d = {total(0, 1), total(0, 2), total(1, 2)};
  const Mat3 C = scale * Transpose(Inverse(F));
  out.s = C * sums.s;
  const Mat3 T = F * sums.t * Transpose(C);
  out.g = Cross(p, out.s) + Vec3{T(1, 2) - T(2, 1), T(2, 0) - T(0, 2), T(0, 1) - T(1, 0)};
  return out;
}

/** Difference of two results relative to V, to V times the radius of gyration and to five times the
 second moment: the largest. */
INTERVOX_HD inline double Difference(const ClipSums& x, const ClipSums& y) {
  const double v = y.v;
  if (!(v > 0)) return 1;
  const Vec3 c = y.m / v;
  const double r2 = (y.q.x + y.q.y + y.q.z) / v - SquaredNorm(c);
  if (!(r2 > 0)) return 1;
  double out = std::fabs(x.v - v) / v;
  const double of_m = Norm(x.m - y.m - (x.v - v) * c) / (v * std::sqrt(r2));
  const Vec3 dq = x.q - y.q, dd = x.d - y.d;
  const Vec3 q0{2 * c.x * (x.m.x - y.m.x), 2 * c.y * (x.m.y - y.m.y), 2 * c.z * (x.m.z - y.m.z)};
  const double of_q = 0.2 * std::sqrt(SquaredNorm(dq - q0) + 2 * SquaredNorm(dd)) / (v * r2);
  out = out > of_m ? out : of_m;
  return out > of_q ? out : of_q;
}

/** The grid: which axes each level halves. An axis rests while its sag is small beside the
 largest. */
INTERVOX_HD inline void PlanSplits(const LocalPair& pair, ClipModel* model) {
  Vec3 sag = Sag(pair, model->box);
  for (int level = 0; level <= kMaxClipLevel; ++level) {
    const double most = sag.x > sag.y   ? sag.x > sag.z ? sag.x : sag.z
                        : sag.y > sag.z ? sag.y
                                        : sag.z;
    model->split[level] = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (sag[axis] <= 0.06 * most) continue;
      model->split[level] |= 1 << axis;
      sag[axis] *= 0.25;
    }
  }
}

/** The longest side [m] of a cell of the level, of the sides that its level halves. */
INTERVOX_HD inline double CellSize(const ClipModel& model, int level) {
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if ((model.split[level] >> axis & 1) == 0) continue;
    double side = (model.box.upper[axis] - model.box.lower[axis]) * Norm(model.box.F.Col(axis));
    for (int i = 0; i < level; ++i) side *= model.split[i] >> axis & 1 ? 0.5 : 1.0;
    longest = side > longest ? side : longest;
  }
  return longest;
}

}  // namespace internal

/** Metrics of any overlap by cells cut with tangent planes, fourth order by extrapolation.

 Cells of a box around Ω are halved level by level; certified bounds drop cells and surfaces, so
 that which cells exist never depends on sampled values. In a leaf each curved surface becomes its
 tangent half-space at the projected centre; the polytope's moments are exact. Their error is a
 clean h² term, rims and edges included, so (4 M_fine − M_coarse)/3 of all raw moments is fourth
 order. Cells that only planes cut are exact at once. Levels are added until two successive
 extrapolated results agree. S and G err by about ten times the tolerance, relative: a rim moves by
 h² in each of its cells, and only the mean of that is extrapolated.
 @param max_leaves  bound on the curved leaves of one level; beyond it the best result is returned
 with the error that it has.
 @param leaf_size  [m] > 0: cells are halved until no halved side is longer, and no further.
 @return error: the last change of the extrapolated moments, times the ratio of the last two
 changes: of V, or of the centroid or inertia in the same measure if those changed more [m³]. */
template <class Team>
INTERVOX_HD RuleResult ClipRule(const Team& team, const LocalPair& pair, Moments* moments,
                                int max_leaves = internal::kMaxClipLeaves, double leaf_size = 0) {
  using internal::ClipSums;
  RuleResult result;
  *moments = {};
  internal::ClipModel model;
  bool disjoint = false;
  model.box = internal::ChooseBox(pair, &disjoint);
  if (disjoint) {
    result.accepted = true;
    return result;
  }
  if (!model.box.valid) return result;
  model.count = pair.count;
  model.planes = pair.planes;
  for (int i = 0; i < pair.count; ++i) {
    model.surface[i] = internal::MapSurface(pair.surface[i], model.box.p, model.box.F);
  }
  if (model.planes < model.count && !internal::Shrink(team, &model)) {
    result.accepted = true;
    return result;
  }
  internal::PlanSplits(pair, &model);
  const auto evaluate = [&](int level) {
    const int from = level < 2 ? level : 2;
    int items = 1;
    for (int i = 0; i < from; ++i) {
      for (int axis = 0; axis < 3; ++axis) items <<= model.split[i] >> axis & 1;
    }
    return team.template Sum<ClipSums>(
        items, [&](int i) { return internal::Descend(model, from, level, i); });
  };
  const auto extrapolate = [](const ClipSums& fine, const ClipSums& coarse) {
    ClipSums out = internal::Times(4.0 / 3, fine);
    out += internal::Times(-1.0 / 3, coarse);
    return out;
  };
  // Where the level changes, results must jump by less than a tenth of the tolerance.
  const double target = 0.06 * pair.tolerance;
  const double det = std::fabs(Determinant(model.box.F));
  int level = 1;
  ClipSums coarse = evaluate(level), best = coarse;
  result.work = coarse.leaves;
  double change = 1, error = 1;
  for (++level; level <= internal::kMaxClipLevel; ++level) {
    const ClipSums fine = evaluate(level);
    result.work += fine.leaves;
    if (fine.leaves == 0) {
      // Planes alone, or nothing at all.
      best = fine;
      error = 1e-14;
      break;
    }
    const ClipSums next = extrapolate(fine, coarse);
    const double before = change;
    change = internal::Difference(best, next);
    best = next;
    coarse = fine;
    // The last change is the error of the level before; the next is smaller by the same ratio, of
    // which no more than a sixth is believed, nor that one change was small by luck.
    double ratio = before > 0 ? change / before : 1;
    ratio = ratio > 0.5 ? 0.5 : ratio < 1.0 / 6 ? 1.0 / 6 : ratio;
    error = change * ratio;
    if (error < before / 36) error = before / 36;
    error *= internal::kClipDoubt;
    if (level == 2) error = 1;
    if (leaf_size > 0) {
      if (internal::CellSize(model, level) <= leaf_size || 4 * fine.leaves > max_leaves) break;
      continue;
    }
    if (level > 3 && fine.leaves >= internal::kFewLeaves &&
        (error <= target || error * best.v * det <= pair.volume_floor)) {
      break;
    }
    if (4 * fine.leaves > max_leaves) break;
  }
  *moments = internal::MapBack(model.box, best);
  if (!(moments->v > 0)) *moments = {};
  result.error = error * moments->v;
  result.accepted = true;
  return result;
}

}  // namespace intervox::cuda
