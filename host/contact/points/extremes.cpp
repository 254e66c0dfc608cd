#include "host/contact/points/extremes.h"

#include <algorithm>

#include "geometry/solid.h"

namespace intervox::host::points {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

namespace {

bool IsHollow(const Surface& s) { return s.kind != SurfaceKind::kPlane && s.side < 0; }

}  // namespace

std::array<Vec3, 3> ThreeAround(const Vec3& axis, const Vec3& e) {
  constexpr double kSine = 0.86602540378443865;
  const Vec3 f = Cross(axis, e);
  return {e, -0.5 * e + kSine * f, -0.5 * e - kSine * f};
}

const Surface* OnlyCurved(const Cell& cell) {
  const Surface* found = nullptr;
  for (const Surface& s : cell.surfaces) {
    if (s.kind == SurfaceKind::kPlane) continue;
    if (found != nullptr) return nullptr;
    found = &s;
  }
  return found;
}

const Surface* OuterCurved(const Cell& cell) {
  const Surface* found = nullptr;
  for (const Surface& s : cell.surfaces) {
    if (s.kind == SurfaceKind::kPlane || IsHollow(s)) continue;
    if (found != nullptr) return nullptr;
    found = &s;
  }
  return found;
}

bool HasHollows(const Cell& cell) {
  return std::any_of(cell.surfaces.begin(), cell.surfaces.end(), IsHollow);
}

bool IsInHollow(const Cell& cell, const Vec3& p, double room) {
  return std::any_of(cell.surfaces.begin(), cell.surfaces.end(),
                     [&](const Surface& s) { return IsHollow(s) && geometry::Level(s, p) > room; });
}

bool LiesOn(const Cell& cell, const Vec3& p) {
  constexpr double kOnCell = 1e-9;  // share of the cell's size
  const double room = kOnCell * (cell.bounded ? Norm(cell.bounds.half) : 1.0);
  return !(geometry::Level(cell, p) > room);
}

bool HasExtremes(const Cell& cell) {
  if (HasCorners(cell)) return true;
  const Surface* s = OuterCurved(cell);
  if (s == nullptr) return false;
  const bool axial = s->kind == SurfaceKind::kCylinder || s->kind == SurfaceKind::kCone;
  if (!axial && s->kind != SurfaceKind::kEllipsoid && s->kind != SurfaceKind::kTorus) return false;
  if (!axial && HasHollows(cell)) return false;
  for (const Surface& plane : cell.surfaces) {
    if (&plane == s) continue;
    if (axial && plane.kind != SurfaceKind::kPlane) continue;
    if (!axial) {
      const bool is_rim = plane.kind == SurfaceKind::kPlane && geometry::IsSphere(*s);
      if (!plane.cut && !is_rim) return false;
      continue;
    }
    if (SquaredNorm(Cross(plane.PlaneNormal(), s->R.Col(2))) > kParallel) return false;
  }
  return true;
}

}  // namespace intervox::host::points
