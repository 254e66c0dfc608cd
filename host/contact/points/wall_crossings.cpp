#include "host/contact/points/wall_crossings.h"

#include <algorithm>
#include <cmath>

#include "geometry/surface_eval.h"
#include "host/contact/points/extremes.h"
#include "host/contact/points/polytopes.h"
#include "host/contact/points/posed_polytope.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** Of a point's stiffness, where it has just come. */
constexpr double kLeastWeight = 1e-6;

bool IsCut(const Cell& cell, int face) {
  const std::int32_t surface = cell.corners.faces[static_cast<std::size_t>(face)].surface;
  return cell.surfaces[static_cast<std::size_t>(surface)].cut;
}

/** How far a point of a cylinder's axis is from its nearer end, in the cell's frame. */
double WayToEnd(const Cell& cylinder, const Vec3& p) {
  double way = HUGE_VAL;
  for (const Surface& plane : cylinder.surfaces) {
    if (plane.kind == SurfaceKind::kPlane) way = std::fmin(way, -geometry::Level(plane, p));
  }
  return way;
}

/** How far a point is from the cell's hollows; below 0 in one of them. */
double WayToHollow(const Cell& cell, const Vec3& p) {
  double way = HUGE_VAL;
  for (const Surface& s : cell.surfaces) {
    if (s.kind != SurfaceKind::kPlane && s.side < 0) way = std::fmin(way, -geometry::Level(s, p));
  }
  return way;
}

}  // namespace

bool IsCylinder(const Cell& cell) {
  const Surface* s = OuterCurved(cell);
  return s != nullptr && s->kind == SurfaceKind::kCylinder && cell.bounded && HasExtremes(cell);
}

void AddWallCrossings(const PairQuery& query, std::vector<PointContact>* out) {
  thread_local PosedPolytope part;
  const Surface& wall = *OuterCurved(*query.b);
  const double radius = std::sqrt(-wall.c / wall.e.x);
  const Pose& X_WB = query.X_WB;
  const Vec3 axis = X_WB.R * wall.R.Col(2), o = X_WB * wall.o;
  Place(*query.a, query.X_WA, &part);
  AddEdges(&part);
  for (std::size_t k = 0; k < part.edges.size(); ++k) {
    const Edge& edge = part.edges[k];
    if (IsCut(*query.a, edge.left) || IsCut(*query.a, edge.right)) continue;
    const double length = Norm(edge.to - edge.from);
    const Vec3 u = (edge.to - edge.from) / length, across = Cross(u, axis);
    const double square = SquaredNorm(across);
    if (!(square > kParallelEdges)) continue;
    const double at = Dot(Cross(o - edge.from, axis), across) / square;
    if (!(at > 0.0 && at < length)) continue;
    const Vec3 p = edge.from + at * u, foot = o + Dot(p - o, axis) * axis;
    const double distance = Norm(p - foot), x = distance - radius;
    if (!(x < 0.0 && distance > 0.0)) continue;
    const double wall_left = WayToHollow(*query.b, TransposeTimes(X_WB.R, p - X_WB.p));
    const double way = WayToEnd(*query.b, TransposeTimes(X_WB.R, foot - X_WB.p));
    const double chord = std::sqrt((radius * radius - distance * distance) / square);
    const double weight = std::fmin(1.0, std::fmin(at, length - at) / chord) *
                          std::clamp(-way / x, 0.0, 1.0) * std::clamp(-wall_left / x, 0.0, 1.0);
    if (!(weight > 0.0)) continue;
    const Vec3 n = (p - foot) / distance;
    out->push_back({kFirstCrossing + static_cast<int>(k), x, n, p, p - x * n,
                    std::fmax(kLeastWeight, weight)});
  }
}

}  // namespace intervox::host::points
