/** @file Mass properties of a solid from its cells, by the engine. */
#pragma once

#include <span>

#include "cuda/metrics.h"
#include "geometry/grid/make_level_set.h"

namespace intervox {

/** Mass properties of a rigid solid, in the frame of its cells. */
struct MassProperties {
  double volume = 0.0;          ///< [m³]
  double mass = 0.0;            ///< [kg]
  Vec3 center_of_mass;          ///< [m]
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, ∫ρ((r·r)I − rrᵀ)dV [kg m²]
  double volume_error = 0.0;    ///< estimate of |error of volume| [m³]
};

/** Sums the metrics of each cell, which must be disjoint.
 @param density    [kg/m³], positive and finite.
 @param tolerance  of each cell's volume, relative.
 @param loop       shares the work on each grid, with the same bits; empty: the calling thread.
 @throws std::invalid_argument naming the cell when one is unbounded or malformed, when all are
 empty, or when the density is not positive and finite. */
MassProperties ComputeMassProperties(std::span<const geometry::Cell> cells, double density,
                                     double tolerance = 1e-9, const geometry::RangeLoop& loop = {});

}  // namespace intervox
