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
  double weight = 0;     ///< of its face in S and G: LocalSurface::weight
  std::int8_t body = 0;  ///< 0: of A, 1: of B
};

/** Ω as the sides that it keeps: one or two grids, then surfaces of the other cell. */
struct GridModel {
  GridSide grid[2];
  int grids = 0;
  const MappedSurface* surface = nullptr;  ///< at most kMaxSurfaces less the grids
  int surfaces = 0;
};

/** (G6): what interpolation between nodes of that distance adds to a quadric's level in the mean,
 (edge²/12) ∇²g: between nodes, convex levels are overestimated. */
INTERVOX_HD inline double BiasOf(const MappedSurface& s, double edge) {
  if (s.kind == geometry::SurfaceKind::kTorus) return 0;
  return edge * edge / 6 * Trace(s.E);
}

/** Sums of second differences of a grid's levels beyond which there is an edge, which stays as it
 is [voxels]: a ball of R voxels has 2/R. */
inline constexpr double kEdge = 0.3;
/** The greatest ψ of Lifted [voxels]: (3/4) 3^(−1/4) kEdge, rounded up. */
inline constexpr double kMostLift = 0.18;
/** The largest share that any lattice asks for: that of nodes two voxels apart. */
inline constexpr double kMostShare = 1.0 / 3;

/** A level less what interpolation between the lattice's nodes adds. */
struct LiftedLevel {
  double value = 0;
  double slope = 0;  ///< minus its derivative by the sum of second differences
};

/** (G6) of a grid: f − share ψ(L), L the sum of its second differences over a voxel, for ∇²f, and
 ψ(L) = L/(1 + (L/kEdge)⁴).
 @param share  a twelfth of the nodes' distance in voxels, squared */
INTERVOX_HD inline LiftedLevel Lifted(double f, double L, double share) {
  const double q = L / kEdge * (L / kEdge), below = 1 / (1 + q * q);
  return {f - share * L * below, share * below * (1 - 4 * q * q * below)};
}

/** Whether a level is near enough to the face for those a voxel away to be within the band. */
INTERVOX_HD inline bool HasNeighbours(const GridSide& side, double f) {
  return std::fabs(f) < side.view.band - 1;
}

/** The bits of all sides: grids first. */
INTERVOX_HD inline std::uint64_t AllSurfaces(const GridModel& model) {
  return (std::uint64_t{1} << (model.grids + model.surfaces)) - 1;
}

/** g and ∇g of a grid at y. */
INTERVOX_HD inline LevelAndSlope Evaluate(const GridSide& side, const Vec3& y) {
  const geometry::LevelAt f =
      geometry::Evaluate(side.view, TransposeTimes(side.R, y - side.p) / side.h);
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
 field's slope, and the blocks' extents where that does not decide. */
INTERVOX_HD inline geometry::Bounds BoundsOver(const GridSide& side, const Vec3& c,
                                               const Vec3& half) {
  constexpr double kMost = kMostShare * kMostLift;
  // A box that ends where a block does, but for rounding, does not meet the next one.
  constexpr double kInward = 1e-9;
  const Vec3 u = TransposeTimes(side.R, c - side.p) / side.h;
  const double reach = side.view.slope * Norm(half) / side.h + kMost;
  // No level is beyond the band.
  if (reach < side.view.band) {
    const double f = geometry::LevelOf(side.view, u);
    return {side.h * (f - reach), side.h * (f + reach)};
  }
  const Vec3 around = Max(TransposeTimes(side.M, half) / side.h - kInward * Vec3{1, 1, 1}, {});
  const geometry::Bounds blocks = geometry::BlockBounds(side.view, u - around, u + around);
  const double beyond = kMost + 2 * kInward * side.view.slope;
  return {side.h * (blocks.lo - beyond), side.h * (blocks.hi + beyond)};
}

/** Bounds the active sides over the cell: false when it is outside of Ω. */
INTERVOX_HD inline bool Cull(const GridModel& model, clip::ClipCell* cell) {
  std::uint64_t rest = cell->active;
  for (int i = 0; rest != 0; ++i, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    const geometry::Bounds g = i < model.grids
                                   ? BoundsOver(model.grid[i], cell->c, cell->h)
                                   : BoundsOver(model.surface[i - model.grids], cell->c, cell->h);
    if (g.lo > 0) return false;
    if (g.hi < 0) cell->active &= ~(std::uint64_t{1} << i);
  }
  return true;
}

}  // namespace intervox::cuda::internal::grid
