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

/** What the gradient of a grid does over a cell [voxels]. */
struct GradientRange {
  Range x, y, z;
  Vec3 u, around;  ///< the cell's centre and half extents along the grid's axes

  INTERVOX_HD Vec3 Middle() const { return 0.5 * Vec3{x.lo + x.hi, y.lo + y.hi, z.lo + z.hi}; }
  /** What the level may differ from its middle slope about the centre. */
  INTERVOX_HD double Off() const {
    return 0.5 * Dot(Vec3{x.hi - x.lo, y.hi - y.lo, z.hi - z.lo}, around);
  }
};

/** The gradient's range in the voxels that the cell meets, so with the kinks between them. @returns
 false where they are more than most + 1 along one of the grid's axes, or Off() is above a limit. */
INTERVOX_HD inline bool FindRange(const GridSide& side, const Vec3& c, const Vec3& half,
                                  double most, double limit, GradientRange* out) {
  // Rounding of places [voxels].
  constexpr double kOutward = 1e-9;
  const Vec3 u = PlaceIn(side, c);
  const Vec3 around = TransposeTimes(side.M, half) / side.h + kOutward * Vec3{1, 1, 1};
  out->u = u;
  out->around = around;
  int first[3], last[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double lo = u[axis] - around[axis], hi = u[axis] + around[axis];
    if (!(hi - lo <= most) || !(std::fabs(u[axis]) < 1e9)) return false;
    first[axis] = static_cast<int>(lo) - (lo < 0 ? 1 : 0);
    last[axis] = static_cast<int>(hi) - (hi < 0 ? 1 : 0);
  }
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  for (int i = first[0]; i <= last[0]; ++i) {
    for (int j = first[1]; j <= last[1]; ++j) {
      for (int k = first[2]; k <= last[2]; ++k) {
        const Vec3 at{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        const geometry::VoxelAt voxel = geometry::FindVoxel(side.view, at + Vec3{0.5, 0.5, 0.5});
        if (voxel.node == nullptr) {
          out->x.Take(0);
          out->y.Take(0);
          out->z.Take(0);
        } else {
          const Vec3 low = Max(u - around - at, {}), high = Min(u + around - at, {1, 1, 1});
          const Range in_x{low.x, high.x}, in_y{low.y, high.y}, in_z{low.z, high.z};
          TakeDerivative(voxel.node, kX, kY, 1, in_y, in_z, &out->x);
          TakeDerivative(voxel.node, kY, kX, 1, in_x, in_z, &out->y);
          TakeDerivative(voxel.node, 1, kX, kY, in_x, in_y, &out->z);
        }
        if (!(out->Off() < limit)) return false;
      }
    }
  }
  return true;
}

/** (G7) of a grid: the mean of the gradient's range, less what the range is wide. */
INTERVOX_HD inline LinearBound BoundLinearly(const GridSide& side, const Vec3& c,
                                             const Vec3& half) {
  LinearBound out;
  // Rounding of a field whose differences are taken in single precision.
  constexpr double kSingle = 2e-7;
  GradientRange range;
  if (!FindRange(side, c, half, 1, kFar, &range)) return out;
  const double f = geometry::LevelOf(side.view, range.u) - kSingle * side.view.slope;
  out.value = side.h * (f - range.Off());
  out.slope = Scaled(half, side.R * range.Middle());
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
  clip::PolygonRoom* room;
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

/** (G8): the plane of a grid that is linear over the cell c ± half, but for rounding of its nodes.
 @param off  what the level may differ from it [m]. @returns false where there is none. */
INTERVOX_HD inline bool FindPlane(const GridSide& side, const Vec3& c, const Vec3& half,
                                  clip::HalfSpaceCut* plane, double* off) {
  // Blocks of two voxels of either grid, in any pose; further from a face bands end.
  constexpr double kMost = 3.5;
  // Differences of levels of single precision are that near to a flat face' [voxels].
  constexpr double kLinear = 2e-6;
  GradientRange range;
  if (!FindRange(side, c, half, kMost, kLinear, &range)) return false;
  plane->n = side.R * range.Middle();
  if (!(SquaredNorm(plane->n) > 0.01)) return false;  // beyond the band
  plane->d = Dot(plane->n, c) - side.h * geometry::LevelOf(side.view, range.u);
  *off = side.h * range.Off();
  return true;
}

/** (G8) of a surface. */
INTERVOX_HD inline bool FindPlane(const MappedSurface& side, const Vec3& /*c*/,
                                  const Vec3& /*half*/, clip::HalfSpaceCut* plane, double* off) {
  if (side.kind != geometry::SurfaceKind::kPlane) return false;
  plane->n = 2 * side.b;
  plane->d = -side.c;
  *off = side.slack;
  return true;
}

/** Turns a plane that nearly runs along an axis to run along it: AddPolytope tells no others from
 a face of the cell that they nearly coincide with. */
INTERVOX_HD inline void Straighten(const clip::ClipCell& cell, clip::HalfSpaceCut* plane,
                                   double* off) {
  constexpr double kStraight = 1e-6;
  for (int axis = 0; axis < 3; ++axis) {
    double& n = plane->n[axis];
    if (!(std::fabs(n) < kStraight)) continue;
    plane->d -= n * cell.c[axis];
    *off += std::fabs(n) * cell.h[axis];
    n = 0;
  }
}

/** Adds the part that other planes keep of a plane along an end of the cell: its face, without
 volume. @param cut  of so many the plane itself is the `of`th */
INTERVOX_HD inline void AddEnd(const clip::HalfSpaceCut* cut, int count, int of,
                               const clip::ClipCell& cell, clip::PolygonRoom* room,
                               clip::ClipSums* sums) {
  clip::HalfSpaceCut plane = cut[of];
  // Onto the end itself, within rounding.
  plane.d = Dot(plane.n, cell.c) - Dot(Abs(plane.n), cell.h);
  clip::PlaneInBox(plane, cell.c, cell.h, room);
  clip::Polygon& polygon = room->polygon.value;
  for (int k = 0; k < count && polygon.count > 0; ++k) {
    if (k != of) clip::ClipPolygon(cut[k].n, cut[k].d, room);
  }
  clip::ClipSums face;
  clip::AddFace(polygon, cell.c.z, plane.weight, &face);
  sums->s += face.s;
  sums->t = sums->t + face.t;
}

/** (G8): adds a cell in which all active sides are linear, cut by their planes: however fine its
 voxels are, they would sum the same. A plane along an end of the cell is a face of the cell beyond
 it, as in tiles, where nodes on a face are inside. @returns false where a side is not linear. */
INTERVOX_HD inline bool AddLinear(const CloseSides& sides, const clip::ClipCell& cell,
                                  clip::ClipSums* sums) {
  constexpr int kMost = 6;
  const GridModel& model = sides.model;
  const double on_end = kOnNode * model.grid[0].h;
  clip::HalfSpaceCut cut[kMost];
  int count = 0, beyond = -1;
  double off = 0;
  std::uint64_t rest = cell.active;
  for (int i = 0; rest != 0; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    if (count == kMost) return false;
    clip::HalfSpaceCut* const plane = &cut[count];
    double own = 0;
    const bool linear =
        i < model.grids ? FindPlane(model.grid[i], cell.c, cell.h, plane, &own)
                        : FindPlane(model.surface[i - model.grids], cell.c, cell.h, plane, &own);
    if (!linear) return false;
    Straighten(cell, plane, &own);
    off += own;
    const double reach = Dot(Abs(plane->n), cell.h), d = plane->d - Dot(plane->n, cell.c);
    if (d < -reach - on_end) return true;
    if (d >= reach - on_end) continue;
    // Of planes along one end the first has the face.
    if (d <= on_end - reach && beyond < 0) beyond = count;
    // As in tiles: the lattice's own side stands still.
    plane->weight = i == 0 ? 0 : 2 * WeightOf(model, i);
    ++count;
  }
  if (beyond >= 0) {
    if (cut[beyond].weight != 0) AddEnd(cut, count, beyond, cell, sides.room, sums);
    return true;
  }
  if (count == 0) {
    clip::AddBox(cell.c, cell.h, sums);
  } else {
    clip::AddPolytope(cut, count, cell.c, cell.h, sides.room, sums);
  }
  const Vec3& h = cell.h;
  const double between = 4 * off * (h.x * h.y + h.y * h.z + h.z * h.x);
  sums->rough += between * between;
  return true;
}

}  // namespace intervox::cuda::internal::grid
