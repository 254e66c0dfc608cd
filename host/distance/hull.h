/** @file A convex set around a cell, known by its farthest points. */
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/cell.h"
#include "host/distance/box_axes.h"

namespace intervox::host::distance {

/** A convex set that holds a bounded cell: its corners' hull, one curved surface between the ends
 of the cell's bounds along the axis, or else the bounds. For primitives other than the torus it is
 the cell. */
struct Hull {
  /** What the set is. */
  enum class Kind : std::uint8_t { kCorners, kBox, kEllipsoid, kCylinder, kCone, kTorus };
  Kind kind;
  bool straight;        ///< the frame's axes are its own; round ones have but one
  double radius;        ///< cylinder's, torus' major [m]; cone's over its height
  double low = 0.0;     ///< one end along the axis from p [m]
  double high = 0.0;    ///< the other one; of a torus its minor radius [m]
  Triple p;             ///< its middle; of a cone its apex; of corners their origin [m]
  Triples axes;         ///< columns; of round ones z alone
  Triples rows;         ///< of the matrix of these, but of round ones
  Triple half;          ///< box: half extents [m]; ellipsoid: squares of its radii [m²]
  const Vec3* corners;  ///< in the cell's frame
  const Vec3* corners_end;
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

/** What the axes of hulls are that need none. */
inline constexpr Triples kNone{Triple{}, Triple{}, Triple{}};

/** Gives a hull that is not round its axes. */
inline void SetAxes(const Mat3& R, Hull* hull) {
  hull->straight = IsIdentity(R);
  if (hull->straight) {
    hull->rows = hull->axes = kNone;
    return;
  }
  hull->rows = RowsOf(R);
  hull->axes = Transposed(hull->rows);
}

/** The hull of a bounded cell in the cell's frame, which must outlive it. */
inline void SetHull(const geometry::Cell& cell, Hull* hull) {
  using geometry::SurfaceKind;
  const geometry::OrientedBox& box = cell.bounds;
  const bool corners = cell.polytope && !cell.corners.p_C.empty();
  if (corners && !(MayBeItsBounds(cell) && HasCornersOfItsBounds(cell))) {
    hull->kind = Hull::Kind::kCorners;
    hull->straight = true;
    hull->rows = hull->axes = kNone;
    hull->p = Triple{};
    hull->corners = cell.corners.p_C.data();
    hull->corners_end = hull->corners + cell.corners.p_C.size();
    return;
  }
  const geometry::Surface* s = corners ? nullptr : RoundSurface(cell);
  if (s == nullptr) {
    hull->kind = Hull::Kind::kBox;
    hull->p = PositionOf(box.X);
    hull->half = HalfOf(box);
    return SetAxes(box.X.R, hull);
  }
  hull->p = Following(&s->R.row2.z);
  if (s->kind == SurfaceKind::kEllipsoid) {
    hull->kind = Hull::Kind::kEllipsoid;
    hull->half = AllOf(-s->c) / ToTriple(s->e);
    return SetAxes(s->R, hull);
  }
  hull->axes.z = Triple{s->R.row0.z, s->R.row1.z, s->R.row2.z};
  if (s->kind == SurfaceKind::kTorus) {
    hull->kind = Hull::Kind::kTorus;
    hull->radius = s->e.x;
    hull->high = s->e.y;
    return;
  }
  const double middle = Dot(hull->axes.z, PositionOf(box.X) - hull->p),
               reach = Dot(Magnitudes(Combined(RowsOf(box.X.R), hull->axes.z)), HalfOf(box));
  hull->low = middle - reach;
  hull->high = middle + reach;
  if (s->kind == SurfaceKind::kCylinder) {
    hull->kind = Hull::Kind::kCylinder;
    hull->radius = std::sqrt(-s->c / s->e.x);
  } else {
    hull->kind = Hull::Kind::kCone;
    hull->radius = std::sqrt(-s->e.z / s->e.x);
    hull->low = std::max(hull->low, 0.0);
  }
}

/** Moves a hull from its frame B to one that sees this frame at X_AB. */
inline void Move(const Placement& X_AB, Hull* hull) {
  using Kind = Hull::Kind;
  const Triples columns = Transposed(X_AB.rows);
  hull->p = Combined(columns, hull->p) + X_AB.position;
  if (hull->kind == Kind::kCylinder || hull->kind == Kind::kCone || hull->kind == Kind::kTorus) {
    hull->axes.z = Combined(columns, hull->axes.z);
    return;
  }
  if (hull->straight) {
    hull->straight = false;
    hull->rows = {X_AB.rows.x, X_AB.rows.y, X_AB.rows.z};
    hull->axes = {columns.x, columns.y, columns.z};
    return;
  }
  hull->axes = Combined(columns, hull->axes);
  hull->rows = Transposed(hull->axes);
}

/** The farthest of corners along a direction, in their frame: four at a time, the rest singly. */
inline const Vec3& FarthestCorner(const Hull& hull, const Triple& d) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  const Vec3 way = ToVec3(d);
  const Triple first{way.x, way.y, way.z, way.x}, second{way.y, way.z, way.x, way.y},
      third{way.z, way.x, way.y, way.z};
  Triple most = AllOf(-HUGE_VAL);
  TripleMask place{}, here{};
  const Vec3* p = hull.corners;
  for (; hull.corners_end - p >= 4; p += 4) {
    const auto* x = reinterpret_cast<const double*>(p);
    // x₀ y₀ z₀ x₁, y₁ z₁ x₂ y₂, z₂ x₃ y₃ z₃
    const Triple f = FourFrom(x) * first, g = FourFrom(x + 4) * second, h = FourFrom(x + 8) * third;
    const Triple of_x =
        __builtin_shufflevector(__builtin_shufflevector(f, g, 0, 3, 6, 6), h, 0, 1, 2, 5);
    const Triple of_y =
        __builtin_shufflevector(__builtin_shufflevector(f, g, 1, 4, 7, 7), h, 0, 1, 2, 6);
    const Triple of_z =
        __builtin_shufflevector(__builtin_shufflevector(f, g, 2, 5, 5, 5), h, 0, 1, 4, 7);
    const Triple along = of_x + of_y + of_z;
    const TripleMask more = along > most;
    place = more ? here : place;
    most = Larger(along, most);
    here += 4;
  }
  const Vec3* farthest = p;
  double reach = -HUGE_VAL;
  for (; p != hull.corners_end; ++p) {
    const double along = Dot(*p, way);
    farthest = along > reach ? p : farthest;
    reach = along > reach ? along : reach;
  }
  for (int k = 0; k < 4; ++k) {
    if (!(most[k] > reach)) continue;
    reach = most[k];
    farthest = hull.corners + place[k] + k;
  }
  return *farthest;
}

/** The hull's farthest point along a direction. */
inline Triple FarthestPoint(const Hull& hull, Triple d) {
  using Kind = Hull::Kind;
  if (hull.kind <= Kind::kEllipsoid) {
    Triple m = hull.straight ? d : Combined(hull.rows, d);
    if (hull.kind == Kind::kCorners) {
      m = ToTriple(FarthestCorner(hull, m));
    } else if (hull.kind == Kind::kBox) {
      m = WithSigns(hull.half, m);
    } else {
      const Triple way = hull.half * m;
      const double square = Dot(way, m);
      m = square > 0 ? way / AllOf(std::sqrt(square)) : Triple{};
    }
    return hull.p + (hull.straight ? m : Combined(hull.axes, m));
  }
  const Triple& axis = hull.axes.z;
  const double along = Dot(axis, d);
  Triple across = d - AllOf(along) * axis;
  double square = Dot(across, across);
  // Of a direction that is nearly the axis rounding is left, which need not lie across it.
  constexpr double kNearlyAxis = 1e-6, kAxis = 1e-22;
  if (square < kNearlyAxis * along * along) {
    across -= AllOf(Dot(axis, across)) * axis;
    square = Dot(across, across);
    if (square < kAxis * along * along) square = 0.0;
  }
  const double length = std::sqrt(square);
  double z = along > 0 ? hull.high : hull.low, radius = hull.radius;
  if (hull.kind == Kind::kCone) {
    z = along + length * hull.radius > 0 ? hull.high : hull.low;
    radius *= z;
  }
  if (hull.kind == Kind::kTorus) {
    const double whole = std::sqrt(square + along * along);
    const double out = whole > 0 ? hull.high / whole : 0.0;
    z = out * along;
    radius += out * length;
  }
  const double scale = length > 0 ? radius / length : 0.0;
  return hull.p + (AllOf(z) * axis + AllOf(scale) * across);
}

}  // namespace intervox::host::distance
