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

/** The cells that wait on the way down, depth first. */
struct CellStack {
  ClipCell cell[7 * kMaxClipLevel + 8];
};

/** The bits of all surfaces. */
INTERVOX_HD inline std::uint64_t AllSurfaces(const ClipModel& model) {
  return model.count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << model.count) - 1;
}

/** The model's box as a cell. */
INTERVOX_HD inline ClipCell WholeBox(const ClipModel& model) {
  ClipCell cell;
  cell.c = 0.5 * (model.box.lower + model.box.upper);
  cell.h = 0.5 * (model.box.upper - model.box.lower);
  cell.active = AllSurfaces(model);
  return cell;
}

/** (C2): bounds the active surfaces over the cell: false when it is outside of Ω. */
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
INTERVOX_HD int VisitCells(const ClipModel& model, int from, int to, int index,
                           Place<CellStack>* room, Visit&& visit) {
  ClipCell* const stack = room->value.cell;
  int top = 0, cells = 1;
  {
    ClipCell root = WholeBox(model);
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
