/** @file Sides of a cell bounded together: where two nearly face each other neither is decided
 alone, but what they have in common has hardly a slope. */
#pragma once

#include "cuda/rules/clip/shrink.h"
#include "cuda/rules/grid/model.h"

namespace intervox::cuda::internal::grid {

/** A lower bound of a level over a cell c ± h: value + slope·u ≤ g with u = (y − c)/h. */
struct LinearBound {
  double value = 0;
  Vec3 slope;
  bool known = false;
};

/** A range that grows. */
struct Range {
  double lo = 1e300, hi = -1e300;
  INTERVOX_HD void Take(double x) {
    lo = x < lo ? x : lo;
    hi = x > hi ? x : hi;
  }
};

/** Takes what the derivative along an axis is in a part of a voxel: it is bilinear across.
 @param f      the voxel's first node; `along`, `p` and `q` go to the next along the three axes
 @param of_p, of_q  the part of the voxel along p and q, in [0, 1] */
INTERVOX_HD inline void TakeDerivative(const float* f, int along, int p, int q, const Range& of_p,
                                       const Range& of_q, Range* range) {
  const auto at = [&](int n) { return static_cast<double>(f[n + along]) - f[n]; };
  const double d0 = at(0), d1 = at(q), by_p0 = at(p) - d0, by_p1 = at(p + q) - d1;
  for (const double t : {of_p.lo, of_p.hi}) {
    const double low = d0 + t * by_p0, high = d1 + t * by_p1;
    range->Take(low + of_q.lo * (high - low));
    range->Take(low + of_q.hi * (high - low));
  }
}

/** (G7) of a grid: the mean of the gradient's range in the voxels that the cell meets, at most two
 along each of the grid's axes, less what the range is wide. Kinks between voxels are in it. */
INTERVOX_HD inline LinearBound BoundLinearly(const GridSide& side, const Vec3& c,
                                             const Vec3& half) {
  LinearBound out;
  const Vec3 u = TransposeTimes(side.R, c - side.p) / side.h;
  const Mat3 M{Abs(side.R.row0), Abs(side.R.row1), Abs(side.R.row2)};
  // Rounding [voxels]: of places, and of a field whose differences are taken in single precision.
  constexpr double kOutward = 1e-9, kSingle = 2e-7;
  const Vec3 around = TransposeTimes(M, half) / side.h + kOutward * Vec3{1, 1, 1};
  int first[3], last[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double lo = u[axis] - around[axis], hi = u[axis] + around[axis];
    if (!(hi - lo <= 1) || !(std::fabs(u[axis]) < 1e9)) return out;
    first[axis] = static_cast<int>(lo) - (lo < 0 ? 1 : 0);
    last[axis] = static_cast<int>(hi) - (hi < 0 ? 1 : 0);
  }
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  Range x, y, z;
  for (int i = first[0]; i <= last[0]; ++i) {
    for (int j = first[1]; j <= last[1]; ++j) {
      for (int k = first[2]; k <= last[2]; ++k) {
        const Vec3 at{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        const geometry::VoxelAt voxel = geometry::FindVoxel(side.view, at + Vec3{0.5, 0.5, 0.5});
        if (voxel.node == nullptr) {
          x.Take(0);
          y.Take(0);
          z.Take(0);
          continue;
        }
        const Vec3 low = Max(u - around - at, {}), high = Min(u + around - at, {1, 1, 1});
        const Range in_x{low.x, high.x}, in_y{low.y, high.y}, in_z{low.z, high.z};
        TakeDerivative(voxel.node, kX, kY, 1, in_y, in_z, &x);
        TakeDerivative(voxel.node, kY, kX, 1, in_x, in_z, &y);
        TakeDerivative(voxel.node, 1, kX, kY, in_x, in_y, &z);
      }
    }
  }
  const Vec3 middle = 0.5 * Vec3{x.lo + x.hi, y.lo + y.hi, z.lo + z.hi};
  const Vec3 beside = 0.5 * Vec3{x.hi - x.lo, y.hi - y.lo, z.hi - z.lo};
  const double f = geometry::LevelOf(side.view, u) - kSingle * side.view.slope;
  out.value = side.h * (f - Dot(beside, around));
  out.slope = Scaled(half, side.R * middle);
  out.known = true;
  return out;
}

/** (G7) of a surface: the bound of (C9) less the most that its quadratic part bends down. */
INTERVOX_HD inline LinearBound BoundLinearly(const MappedSurface& side, const Vec3& c,
                                             const Vec3& half) {
  const clip::LevelBound level = clip::BoundLevel(side, c, half);
  const Vec3 d = level.E.diag, off = Abs(level.E.off);
  LinearBound out;
  out.value = level.c - 2 * (off.x + off.y + off.z);
  for (int i = 0; i < 3; ++i) out.value += d[i] < 0 ? d[i] : 0.0;
  out.slope = 2.0 * level.b;
  out.known = level.known;
  return out;
}

/** Whether some mean of two bounds is above zero all over the cell: then it holds nothing of both.
 The least value of the mean is concave in its share and has its breaks where a slope cancels. */
INTERVOX_HD inline bool Exclude(const LinearBound& a, const LinearBound& b) {
  for (int i = 0; i < 3; ++i) {
    const double share = b.slope[i] / (b.slope[i] - a.slope[i]);
    if (!(share > 0 && share < 1)) continue;
    const Vec3 slope = Abs(share * a.slope + (1 - share) * b.slope);
    if (share * a.value + (1 - share) * b.value > slope.x + slope.y + slope.z) return true;
  }
  return false;
}

/** (G7): whether two of the active sides have nothing in common in the cell. */
INTERVOX_HD inline bool ApartTogether(const GridModel& model, const clip::ClipCell& cell) {
  constexpr int kMost = 4;
  LinearBound bound[kMost];
  int count = 0;
  std::uint64_t rest = cell.active;
  for (int i = 0; rest != 0 && count < kMost; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    bound[count] = i < model.grids ? BoundLinearly(model.grid[i], cell.c, cell.h)
                                   : BoundLinearly(model.surface[i - model.grids], cell.c, cell.h);
    if (!bound[count].known) {
      if (i < model.grids) return false;
      continue;
    }
    for (int k = 0; k < count; ++k) {
      if (Exclude(bound[k], bound[count])) return true;
    }
    ++count;
  }
  return false;
}

/** The sides of a model, bounded together where they are close, too. */
struct CloseSides {
  const GridModel& model;
};

/** The bits of all sides. */
INTERVOX_HD inline std::uint64_t AllSurfaces(const CloseSides& sides) {
  return AllSurfaces(sides.model);
}

/** Bounds the active sides over the cell, each and together: false when it is outside of Ω. */
INTERVOX_HD inline bool Cull(const CloseSides& sides, clip::ClipCell* cell) {
  if (!Cull(sides.model, cell)) return false;
  const bool many = (cell->active & (cell->active - 1)) != 0;
  return !many || !ApartTogether(sides.model, *cell);
}

}  // namespace intervox::cuda::internal::grid
