/** @file The overlap of a grid with anything, as sides in the frame of its voxels. */
#pragma once

#include <cmath>

#include "cuda/rules/center/lattice.h"
#include "geometry/grid/level_set.h"

namespace intervox::cuda::internal::grid {

/** Levels closer to zero than this are zero [voxels of the lattice]: rounding of places. */
inline constexpr double kOnNode = 1e-9;

/** The trilinear field of a grid in the lattice's frame: g(y) = h f(Rᵀ(y − p)/h). */
struct GridSide {
  geometry::GridView view;
  Mat3 R;                ///< the grid's axes in the lattice's
  Mat3 M;                ///< R without signs
  Vec3 p;                ///< its node (0, 0, 0) [m]
  double h = 0;          ///< edge of its voxels [m]
  Mat3 per_metre;        ///< R/h: by its rows the lattice's axes in the grid's voxels
  Vec3 origin;           ///< the lattice's origin there
  double weight = 0;     ///< of its face in S and G: LocalSurface::weight
  std::int8_t body = 0;  ///< 0: of A, 1: of B
  // Of a lattice's nodes, by SetNodes.
  Mat3 per_node;     ///< by its rows from node to node along the lattice's axes [voxels]
  Vec3 first;        ///< node (0, 0, 0), from the grid's own first one on [voxels]
  Vec3 end;          ///< of the grid's places, likewise
  double share = 0;  ///< of its bends that levels are without
  double rise = 0;   ///< the most that its field rises from node to node [m]
};

/** A side of a grid that has the pose X in the lattice's frame. @param body  0: of A, 1: of B */
INTERVOX_HD inline GridSide MakeSide(const geometry::GridView& view, const Pose& X, double h,
                                     int body) {
  GridSide side;
  side.view = view;
  side.R = X.R;
  side.M = {Abs(X.R.row0), Abs(X.R.row1), Abs(X.R.row2)};
  side.p = X.p;
  side.h = h;
  side.per_metre = {X.R.row0 / h, X.R.row1 / h, X.R.row2 / h};
  side.origin = -TransposeTimes(X.R, X.p) / h;
  side.weight = body == 0 ? -0.5 : 0.5;
  side.body = static_cast<std::int8_t>(body);
  return side;
}

/** Sets what a side keeps of a lattice's nodes. @param edge  from node to node [m]
 @param lifted  whether its levels are without what interpolation between them adds */
INTERVOX_HD inline void SetNodes(double edge, bool lifted, GridSide* side) {
  constexpr double kEdge = geometry::kBlockEdge;
  const geometry::GridView& view = side->view;
  const double along = edge / side->h;
  side->per_node = edge * side->per_metre;
  side->first = side->origin - geometry::OriginOf(view);
  side->end = {kEdge * view.size[0], kEdge * view.size[1], kEdge * view.size[2]};
  side->share = lifted ? along * along / 12 : 0;
  side->rise = (view.slope + 1e-9) * edge;
}

/** A place of the lattice's frame in the grid's own [voxels]. */
INTERVOX_HD inline Vec3 PlaceIn(const GridSide& side, const Vec3& y) {
  return side.origin + TransposeTimes(side.per_metre, y);
}

/** Ω as the sides that it keeps: one or two grids, then surfaces of the other cell. */
struct GridModel {
  GridSide grid[2];  ///< the first is the lattice's own
  int grids = 0;
  int at_origin[3] = {};  ///< which of its nodes, from its first one on, is the lattice's origin
  const MappedSurface* surface = nullptr;  ///< at most kMaxSurfaces less the grids
  int surfaces = 0;
  bool lifted = false;  ///< whether levels are without what interpolation adds
};

/** (G6): what interpolation between nodes of that distance adds to a quadric's level in the mean,
 (edge²/12) ∇²g: between nodes, convex levels are overestimated. */
INTERVOX_HD inline double BiasOf(const MappedSurface& s, double edge) {
  if (s.kind == geometry::SurfaceKind::kTorus) return 0;
  return edge * edge / 6 * Trace(s.E);
}

/** How far a surface's level bends in voxels of that edge where their nodes do not show it, as all
 of them have the same squares along the axes: a quarter of what interpolation adds. */
INTERVOX_HD inline double UnseenIn(const MappedSurface& s, double edge) {
  const Vec3 diagonal = Abs(Vec3{s.E.diag.x, s.E.diag.y, s.E.diag.z});
  return edge * edge / 24 * (diagonal.x + diagonal.y + diagonal.z);
}

/** The largest share of a node's bend that any lattice asks for: that of nodes a voxel apart. */
inline constexpr double kMostShare = 1.0 / 12;

/** The bits of all sides: grids first. */
INTERVOX_HD inline std::uint64_t AllSurfaces(const GridModel& model) {
  return (std::uint64_t{1} << (model.grids + model.surfaces)) - 1;
}

/** g and ∇g of a grid at y. */
INTERVOX_HD inline LevelAndSlope Evaluate(const GridSide& side, const Vec3& y) {
  const geometry::LevelAt f = geometry::Evaluate(side.view, PlaceIn(side, y));
  return {side.h * f.value, side.R * f.gradient};
}

/** g and ∇g of side i at y. */
INTERVOX_HD inline LevelAndSlope LevelAndSlopeOf(const GridModel& model, int i, const Vec3& y) {
  return i < model.grids ? Evaluate(model.grid[i], y) : Evaluate(model.surface[i - model.grids], y);
}

/** The weight of side i's face in S and G. */
INTERVOX_HD inline double WeightOf(const GridModel& model, int i) {
  return i < model.grids ? model.grid[i].weight : model.surface[i - model.grids].weight;
}

/** Certified bounds of g, lifted or not, over the box c ± half: the value at its centre with the
 field's slope, or the blocks' extents; those of a tile's size say little that its middles do not
 say for less, and are infinite. */
INTERVOX_HD inline geometry::Bounds BoundsOver(const GridSide& side, const Vec3& c,
                                               const Vec3& half) {
  constexpr double kMost = kMostShare * geometry::kMostBend;
  // A box that ends where a block does, but for rounding, does not meet the next one.
  constexpr double kInward = 1e-9;
  // Half a tile, and rounding.
  constexpr double kTile = 2 + 1e-6;
  const Vec3 u = PlaceIn(side, c);
  const double reach = side.view.slope * Norm(half) / side.h + kMost;
  // No level is beyond the band.
  if (reach < side.view.band) {
    const double f = geometry::LevelOf(side.view, u);
    return {side.h * (f - reach), side.h * (f + reach)};
  }
  const double longest = half.x > half.y ? half.x : half.y;
  if ((longest > half.z ? longest : half.z) < kTile * side.h) return {-1e300, 1e300};
  const Vec3 around = Max(TransposeTimes(side.M, half) / side.h - kInward * Vec3{1, 1, 1}, {});
  const geometry::Bounds blocks = geometry::BlockBounds(side.view, u - around, u + around);
  const double beyond = kMost + 2 * kInward * side.view.slope;
  return {side.h * (blocks.lo - beyond), side.h * (blocks.hi + beyond)};
}

/** Bounds of side i, lifted or not, over the cell. */
INTERVOX_HD inline geometry::Bounds BoundsOf(const GridModel& model, int i,
                                             const clip::ClipCell& cell) {
  if (i < model.grids) return BoundsOver(model.grid[i], cell.c, cell.h);
  return BoundsOver(model.surface[i - model.grids], cell.c, cell.h);
}

/** Bounds the active sides from `first` on over the cell: false when it is outside of Ω. */
INTERVOX_HD inline bool CullFrom(const GridModel& model, int first, clip::ClipCell* cell) {
  std::uint64_t rest = cell->active >> first;
  for (int i = first; rest != 0; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    const geometry::Bounds g = BoundsOf(model, i, *cell);
    if (g.lo > 0) return false;
    if (g.hi < 0) cell->active &= ~(std::uint64_t{1} << i);
  }
  return true;
}

/** Bounds the active sides over the cell: false when it is outside of Ω. */
INTERVOX_HD inline bool Cull(const GridModel& model, clip::ClipCell* cell) {
  return CullFrom(model, 0, cell);
}

}  // namespace intervox::cuda::internal::grid
