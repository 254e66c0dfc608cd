/** @file Blocks of triply periodic walls, which exist as grids only. */
#pragma once

#include "geometry/shape.h"

namespace intervox::host {

/** Nodal surfaces: sums of products of sines and cosines that vanish near a minimal surface. */
enum class LatticeKind { kGyroid, kSchwarzP, kDiamond };

/** Voxels along a period where no size is given. */
inline constexpr double kVoxelsOfPeriod = 20;

/** The points within half the thickness of a nodal surface, in a box about the origin. */
struct Lattice {
  LatticeKind kind = LatticeKind::kGyroid;
  double period = 0;      ///< edge of the cubic cell [m]
  double thickness = 0;   ///< of the wall [m]
  Vec3 size;              ///< edges of the box [m]
  double voxel_size = 0;  ///< [m]
};

/** The signed distance of a point to a nodal surface, by tangent planes until the foot rests: exact
 to a thousandth of the period within a sixth of it, where that is the nearest sheet.
 @param x  [m] */
double DistanceToSheet(LatticeKind kind, double period, const Vec3& x);

/** The grid of a lattice, in parallel.
 @throws std::invalid_argument for walls of a third of the period and more, or thinner than two
 voxels, and for grids that need more memory than there is. */
geometry::GridSource GridOfLattice(const Lattice& lattice);

}  // namespace intervox::host
