/** @file The boundary point of a cell that is nearest to a point, with its signed distance. */
#pragma once

#include <optional>

#include "geometry/cell.h"

namespace intervox::host::points {

/** Squared sine between an axis and a normal below which they are parallel. */
inline constexpr double kParallel = 1e-20;

/** A face or an edge of revolution about an axis. */
struct Ring {
  Vec3 o;                                   ///< on the axis [m]
  Vec3 axis;                                ///< unit
  const geometry::Surface* face = nullptr;  ///< null: an edge
  double radius = 0.0;                      ///< of the foot's circle [m]
  double z = 0.0;                           ///< of the foot along the axis, from o [m]
  Vec3 e;                                   ///< unit, from the axis to the foot
};

/** The point of a ring nearest to c in the half-plane from the axis along u, a unit vector. */
Vec3 NearestOnRing(const Ring& ring, const Vec3& u, const Vec3& c);

/** A boundary point seen from a point c, in the frame of the surface or cell. */
struct Foot {
  Vec3 p;               ///< the boundary point [m]
  Vec3 n;               ///< unit, along which the distance grows: out of the kept side
  double x = 0.0;       ///< signed distance of c, positive outside [m]
  bool is_cut = false;  ///< it lies on a cut face: a neighbouring cell is nearer
  /// Of a foot on a face or an edge of revolution about an axis to which c is nearer: a hole's wall
  /// or rim, a funnel, the inner side of a torus.
  std::optional<Ring> ring;
};

/** The foot of c on one surface, the globally nearest. Empty where none is found. */
std::optional<Foot> NearestOnSurface(const geometry::Surface& surface, const Vec3& c);

/** The foot of c on a cell: on a face, on an edge or at a corner. Exact for convex cells; where a
 surface keeps no convex set, a nearest point next to the surface that c is farthest outside of.
 Empty where no foot is found. */
std::optional<Foot> NearestOnCell(const geometry::Cell& cell, const Vec3& c);

}  // namespace intervox::host::points
