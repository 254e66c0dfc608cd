/** @file The tree of cells of the clip rule: what certified bounds leave of a box. */
#pragma once

#include "cuda/rules/clip/box.h"
#include "cuda/rules/clip/cells.h"

namespace intervox::cuda::internal::clip {

/** Deepest level of cells. */
inline constexpr int kMaxClipLevel = 12;

/** The mapped pair and its grid. */
struct ClipModel {
  MappedSurface surface[kMaxSurfaces];
  int count = 0;
  int planes = 0;
  ClipBox box;
  int split[kMaxClipLevel + 1] = {};  ///< axes (bits) halved between level i and i + 1
};

/** Takes the pair's surfaces into the model, mapped into its box. */
INTERVOX_HD inline void MapSurfaces(const LocalPair& pair, ClipModel* model) {
  model->count = pair.count;
  model->planes = pair.planes;
  for (int i = 0; i < pair.count; ++i) {
    model->surface[i] = MapSurface(pair.surface[i], model->box.p, model->box.F);
  }
}

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
  /** Whether it holds the cell. */
  INTERVOX_HD bool Holds(const ClipCell& cell) const {
    const Vec3 low = cell.c - cell.h - lower, high = upper - cell.c - cell.h;
    return low.x >= 0 && low.y >= 0 && low.z >= 0 && high.x >= 0 && high.y >= 0 && high.z >= 0;
  }
};

/** The hull of the cells of a grid of 8 × 8 × 8 that may hold a part of Ω. Cells within the hull so
 far are not looked at; those at the middle of the box's sides go first, as they widen it most. */
__attribute__((noinline)) INTERVOX_HD inline Hull HullOfCells(const ClipModel& model) {
  const Vec3 h = 0.0625 * (model.box.upper - model.box.lower);
  const Vec3 middle = 0.5 * (model.box.upper + model.box.lower);
  const auto is_outer = [](int place) { return place == 0 || place == 3 ? 1 : 0; };
  Hull hull;
  // A block of 2 × 2 × 2 cells lies at so many sides of the box.
  for (const int sides : {1, 2, 3, 0}) {
    for (int i = 0; i < 64; ++i) {
      const int x = i & 3, y = i >> 2 & 3, z = i >> 4 & 3;
      if (is_outer(x) + is_outer(y) + is_outer(z) != sides) continue;
      ClipCell block;
      block.h = 2 * h;
      block.c = middle + Scaled(block.h, {2.0 * x - 3, 2.0 * y - 3, 2.0 * z - 3});
      block.active = AllSurfaces(model);
      if (hull.Holds(block) || !Cull(model, &block)) continue;
      for (int k = 0; k < 8; ++k) {
        ClipCell cell = block;
        cell.h = h;
        cell.c += Scaled(h, {k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
        if (hull.Holds(cell) || !Cull(model, &cell)) continue;
        hull.lower = Min(hull.lower, cell.c - h);
        hull.upper = Max(hull.upper, cell.c + h);
      }
    }
  }
  return hull;
}

/** Shrinks the box to the hull of its cells while that gains; false when no cell is left. */
INTERVOX_HD inline bool Shrink(ClipModel* model) {
  for (int turn = 0; turn < 12; ++turn) {
    const Hull hull = HullOfCells(*model);
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

/** (C3): which axes each level halves. An axis rests while its sag is small beside the
 largest. */
INTERVOX_HD inline void PlanSplits(const LocalPair& pair, ClipModel* model) {
  Vec3 sag = Sag(pair, model->box);
  for (int level = 0; level <= kMaxClipLevel; ++level) {
    const double most = Largest(sag);
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

}  // namespace intervox::cuda::internal::clip
