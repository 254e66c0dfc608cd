/** @file The engine's doors: a query of two posed cells in, the metrics of their overlap out. */
#pragma once

#include <cstdint>

#include "geometry/cell.h"

namespace intervox {

/** How the metrics of a pair were, or are to be, computed. */
enum class LeafRule : std::uint8_t {
  kAuto,      ///< the planner picks
  kPolytope,  ///< exact: planes only
  kFlux,      ///< exact edge and generator integrals: curved surfaces with planes
  kPolar,     ///< rays from inside a smooth convex overlap; closed forms for balls
  kClip,      ///< polytope clipping with Richardson extrapolation in the contact frame
  kCenter,    ///< the plain voxel count; of a grid's own voxels where there is one
  kColumn,    ///< plane sections by columns: tori, general quadrics, three and more curved surfaces
  kSlice,     ///< slices across the axis: a solid of revolution under one plane
  kFraction,  ///< grids: each voxel's share from levels and slopes at its centre
  kVoxel,     ///< grids: the trilinear field itself, to the tolerance
};

/** What became of a query. */
enum class Status : std::uint8_t {
  kOk,               ///< metrics valid, tolerance met
  kDisjoint,         ///< no overlap: volume 0
  kToleranceNotMet,  ///< metrics are the best that the budget allowed; see volume_error
  kUnbounded,        ///< the overlap is infinite
  kInvalid,          ///< a pose is not finite, or a cell is malformed
};

/** One pair of posed cells. A on body i, B on body j (theory: docs/theory.md, Conventions). */
struct PairQuery {
  const geometry::Cell* a = nullptr;
  const geometry::Cell* b = nullptr;
  Pose X_WA;                ///< pose of A's frame in the world; p in [m]
  Pose X_WB;                ///< pose of B's frame in the world; p in [m]
  double tolerance = 1e-3;  ///< relative to V (and to r_gyr for the centroid), in [1e-9, 0.1]
  /** [m]; used by kCenter and, when > 0, as the leaf size of kClip. A grid has its own voxels. */
  double voxel_size = 0.0;
  LeafRule rule = LeafRule::kAuto;
  /** [m³] Errors of V up to this meet the tolerance as well: what is too small to matter, such as a
   negligible force over the stiffness. An overlap lost in an error that small is disjoint. */
  double volume_floor = 0.0;
};

/** The metrics of Ω = A ∩ B, unit density, world axes (Gonthier (4.36), (A.25)). */
struct InterferenceMetrics {
  double volume = 0.0;      ///< V [m³]
  Vec3 p_WC;                ///< centroid [m]
  Mat3 J_W = Mat3::Zero();  ///< ∫((ρ·ρ)I − ρρᵀ)dV about the centroid [m⁵]
  Vec3 area_vector;  ///< S = ½(∫_{∂B∩A} n_B dS − ∫_{∂A∩B} n_A dS), cut faces left out [m²]
  Vec3 area_moment;           ///< G = the same integrals of (p − p_C) × n dS [m³]
  double volume_lo = 0.0;     ///< V_lo ≤ V [m³]
  double volume_hi = 0.0;     ///< V ≤ V_hi [m³]
  double volume_error = 0.0;  ///< estimate of |error of V| [m³]
  Status status = Status::kDisjoint;
  LeafRule rule = LeafRule::kAuto;  ///< the rule that was used
  bool contained = false;           ///< one cell contains the other
  std::int32_t work = 0;            ///< faces, rays or leaves evaluated
};

}  // namespace intervox
