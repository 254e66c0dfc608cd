/** @file The points of a cell that may be the deepest below a plane: corners, rims, extremes. */
#pragma once

#include <array>
#include <cmath>

#include "geometry/cell.h"
#include "geometry/surface_eval.h"
#include "host/contact/points/nearest.h"

namespace intervox::host::points {

/** A unit vector across an axis, and those at 120° from it. */
std::array<Vec3, 3> ThreeAround(const Vec3& axis, const Vec3& e);

/** The only curved surface of a cell; null where it has none or several. */
const geometry::Surface* OnlyCurved(const geometry::Cell& cell);

/** The only curved surface of a cell beside hollow ones, as a tube has; null where there is none,
 or several. It bounds the cell's convex hull, as far as the hollows leave it. */
const geometry::Surface* OuterCurved(const geometry::Cell& cell);

/** Whether a cell has a curved surface that is hollow. */
bool HasHollows(const geometry::Cell& cell);

/** Whether a point is in one of a cell's hollows, by more than some room. */
bool IsInHollow(const geometry::Cell& cell, const Vec3& p, double room = 0.0);

/** Whether the convex hull of a cell is a polytope with known corners. */
inline bool HasCorners(const geometry::Cell& cell) { return !cell.corners.p_C.empty(); }

/** A plane in the world: solid is where n·p < offset. */
struct Plane {
  Vec3 n;
  double offset = 0.0;
};

/** A plane surface of a posed cell. */
inline Plane PlaneOf(const geometry::Surface& plane, const Pose& X_WC) {
  const double side = plane.side;
  const Vec3 n = X_WC.R * (side * plane.PlaneNormal());
  return {n, Dot(n, X_WC * plane.o)};
}

/** Whether a point lies on a cell, but for rounding. */
bool LiesOn(const geometry::Cell& cell, const Vec3& p);

/** Whether corners, rims and extreme points are all that can stand on a plane, as long as they are
 not in a hollow. */
bool HasExtremes(const geometry::Cell& cell);

/** What is visited where a body was cut: corners and rims of its cells that are not its own. */
enum class CutEdges { kLeftOut, kVisited };

/** Of a ball that planes cut off: of each circle the point that is lowest and two at 120° from it.
 */
template <CutEdges kCuts, class Visit>
void VisitRimsOfBall(const geometry::Cell& cell, const geometry::Surface& ball, const Vec3& down,
                     const Visit& visit) {
  int rim = 0;
  for (const geometry::Surface& plane : cell.surfaces) {
    if (&plane == &ball) continue;
    ++rim;
    if (plane.cut && kCuts == CutEdges::kLeftOut) continue;
    const Vec3 axis = plane.PlaneNormal();
    const double z = Dot(axis, plane.o - ball.o), square = -ball.c / ball.e.x - z * z;
    if (!(square > 0.0)) continue;
    const Vec3 across = down - Dot(down, axis) * axis;
    const double lean = Norm(across);
    const Vec3 e = lean * lean > kParallel ? across / lean : AnyOrthogonal(axis);
    const std::array<Vec3, 3> around = ThreeAround(axis, e);
    for (int k = 0; k < 3; ++k) {
      const Vec3 out = std::sqrt(square) * around[static_cast<std::size_t>(k)];
      visit(3 * rim + k, ball.o + z * axis + out);
    }
  }
}

/** The points of a cell with extremes that may be the deepest below a plane, in the cell's frame.
 @param down  unit, into the plane's solid; @param visit  called with (feature, point) */
template <CutEdges kCuts = CutEdges::kLeftOut, class Visit>
void VisitExtremes(const geometry::Cell& cell, const Vec3& down, const Visit& visit) {
  constexpr bool kAll = kCuts == CutEdges::kVisited;
  using geometry::SurfaceKind;
  if (HasCorners(cell)) {
    const geometry::Corners& t = cell.corners;
    for (std::size_t k = 0; k < t.p_C.size(); ++k) {
      // A corner of a cut lies on an edge or a face of the body: what ends there goes on.
      if (kAll || t.extreme.empty() || t.extreme[k]) visit(static_cast<int>(k), t.p_C[k]);
    }
    return;
  }
  const geometry::Surface& s = *OuterCurved(cell);
  const Vec3 axis = s.R.Col(2), local = TransposeTimes(s.R, down);
  if (s.kind == SurfaceKind::kEllipsoid) {
    const Vec3 squares{-s.c / s.e.x, -s.c / s.e.y, -s.c / s.e.z};
    const Vec3 q = Scaled(squares, local), p = s.o + s.R * (q / std::sqrt(Dot(q, local)));
    if (LiesOn(cell, p)) visit(0, p);
    if (geometry::IsSphere(s)) VisitRimsOfBall<kCuts>(cell, s, down, visit);
    return;
  }
  const Vec3 across = down - Dot(down, axis) * axis;
  const double lean = Norm(across);
  const Vec3 e = lean * lean > kParallel ? across / lean : s.R.Col(0);
  const std::array<Vec3, 3> around = ThreeAround(axis, e);
  if (s.kind == SurfaceKind::kTorus) {
    const Vec3 tube = s.e.y * down;
    for (int k = 0; k < 3; ++k) visit(k, s.o + s.e.x * around[static_cast<std::size_t>(k)] + tube);
    return;
  }
  int rim = 0;
  for (const geometry::Surface& plane : cell.surfaces) {
    if (plane.kind != SurfaceKind::kPlane) continue;
    ++rim;
    if (plane.cut && !kAll) continue;
    const double z = Dot(axis, plane.o - s.o);
    const double radius =
        s.kind == SurfaceKind::kCylinder ? std::sqrt(-s.c / s.e.x) : z * std::sqrt(-s.e.z / s.e.x);
    if (!(radius > 0.0)) continue;
    for (int k = 0; k < 3; ++k) {
      visit(3 * rim + k, s.o + z * axis + radius * around[static_cast<std::size_t>(k)]);
    }
  }
  if (s.kind == SurfaceKind::kCone) visit(0, s.o);
}

}  // namespace intervox::host::points
