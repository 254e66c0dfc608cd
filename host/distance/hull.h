/** @file A convex set around a cell, known by its farthest points. */
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/cell.h"

namespace intervox::host::distance {

/** A convex set that holds a bounded cell: its corners' hull, one curved surface between the ends
 of the cell's bounds along the axis, or else the bounds. For primitives other than the torus it is
 the cell. */
struct Hull {
  /** What the set is. */
  enum class Kind : std::uint8_t { kCorners, kBox, kEllipsoid, kCylinder, kCone, kTorus };
  Kind kind = Kind::kBox;
  const Mat3* R = nullptr;        ///< its axes in the cell's frame
  Vec3 p;                         ///< its middle there; of a cone its apex [m]
  Vec3 half;                      ///< box: half extents [m]; ellipsoid: squares of its radii [m²]
  double radius = 0.0;            ///< cylinder's, torus' major [m]; cone: radius over height
  double low = 0.0, high = 0.0;   ///< ends along the axis from p; torus: `high` is its minor [m]
  const Vec3* corners = nullptr;  ///< in the cell's frame
  const Vec3* corners_end = nullptr;
};

/** The share of a cell's size to which a hull is known: corners that are nearer are one. */
inline constexpr double kHullRounding = 1e-10;

/** The curved surface that bounds a hull; none where other kinds bound the cell. */
inline const geometry::Surface* RoundSurface(const geometry::Cell& cell) {
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.side > 0 && s.kind != geometry::SurfaceKind::kPlane &&
        s.kind != geometry::SurfaceKind::kQuadric) {
      return &s;
    }
  }
  return nullptr;
}

/** The hull of a bounded cell, which must outlive it. */
inline Hull HullOf(const geometry::Cell& cell) {
  using geometry::SurfaceKind;
  const geometry::OrientedBox& box = cell.bounds;
  Hull hull;
  if (cell.polytope && !cell.corners.p_C.empty()) {
    hull.kind = Hull::Kind::kCorners;
    hull.corners = cell.corners.p_C.data();
    hull.corners_end = hull.corners + cell.corners.p_C.size();
    return hull;
  }
  const geometry::Surface* s = RoundSurface(cell);
  if (s == nullptr) {
    hull.R = &box.X.R;
    hull.p = box.X.p;
    hull.half = box.half;
    return hull;
  }
  hull.R = &s->R;
  hull.p = s->o;
  switch (s->kind) {
    case SurfaceKind::kEllipsoid:
      hull.kind = Hull::Kind::kEllipsoid;
      hull.half = {-s->c / s->e.x, -s->c / s->e.y, -s->c / s->e.z};
      return hull;
    case SurfaceKind::kTorus:
      hull.kind = Hull::Kind::kTorus;
      hull.radius = s->e.x;
      hull.high = s->e.y;
      return hull;
    default:
      break;
  }
  const Vec3 axis = s->R.Col(2);
  const double middle = Dot(axis, box.X.p - s->o),
               reach = Dot(Abs(TransposeTimes(box.X.R, axis)), box.half);
  hull.low = middle - reach;
  hull.high = middle + reach;
  if (s->kind == SurfaceKind::kCylinder) {
    hull.kind = Hull::Kind::kCylinder;
    hull.radius = std::sqrt(-s->c / s->e.x);
  } else {
    hull.kind = Hull::Kind::kCone;
    hull.radius = std::sqrt(-s->e.z / s->e.x);
    hull.low = std::max(hull.low, 0.0);
  }
  return hull;
}

/** The hull's farthest point along a direction, both in the cell's frame. */
inline Vec3 FarthestPoint(const Hull& hull, const Vec3& d) {
  if (hull.kind == Hull::Kind::kCorners) {
    const Vec3* farthest = hull.corners;
    double most = Dot(*farthest, d);
    for (const Vec3* p = farthest + 1; p != hull.corners_end; ++p) {
      const double along = Dot(*p, d);
      farthest = along > most ? p : farthest;
      most = along > most ? along : most;
    }
    return *farthest;
  }
  const Vec3 m = TransposeTimes(*hull.R, d);
  if (hull.kind == Hull::Kind::kBox) {
    return hull.p + *hull.R * Vec3{std::copysign(hull.half.x, m.x), std::copysign(hull.half.y, m.y),
                                   std::copysign(hull.half.z, m.z)};
  }
  if (hull.kind == Hull::Kind::kEllipsoid) {
    const Vec3 way = Scaled(hull.half, m);
    const double square = Dot(way, m);
    return hull.p + *hull.R * (square > 0 ? way / std::sqrt(square) : Vec3{});
  }
  const double across = std::sqrt(m.x * m.x + m.y * m.y);
  double z = m.z > 0 ? hull.high : hull.low, radius = hull.radius;
  if (hull.kind == Hull::Kind::kCone) {
    z = m.z + across * hull.radius > 0 ? hull.high : hull.low;
    radius *= z;
  }
  if (hull.kind == Hull::Kind::kTorus) {
    const double length = std::sqrt(across * across + m.z * m.z);
    const double out = length > 0 ? hull.high / length : 0.0;
    z = out * m.z;
    radius += out * across;
  }
  const double scale = across > 0 ? radius / across : 0.0;
  return hull.p + *hull.R * Vec3{scale * m.x, scale * m.y, z};
}

}  // namespace intervox::host::distance
