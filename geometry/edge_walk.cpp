#include "geometry/edge_walk.h"

#include <algorithm>
#include <array>

#include "geometry/solid.h"
#include "geometry/surface_ray.h"

namespace intervox::geometry {

std::optional<Vec3> EndOfWalk(const Cell& cell, Vec3 p, const Vec3& along) {
  constexpr double kAcross = 1e-14;  // share of a direction below which a face is across it
  std::array<Vec3, 2> normals;
  std::array<const Surface*, 2> faces{};
  if (!(Level(cell, p) < 0.0)) return std::nullopt;
  for (std::size_t met = 0;; ++met) {
    Vec3 way = along;
    if (met == 1) way -= Dot(way, normals[0]) * normals[0];
    if (met == 2) {
      const Vec3 edge = Cross(normals[0], normals[1]);
      way = Dot(edge, along) / SquaredNorm(edge) * edge;
    }
    const double length = Norm(way);
    if (met > 0 && !(length > kAcross)) return p;
    way = way / length;
    double far = internal::kFar;
    const Surface* next = nullptr;
    for (const Surface& s : cell.surfaces) {
      if (std::find(faces.begin(), faces.end(), &s) != faces.end()) continue;
      const Intervals inside = RayIntervals(s, p, way, 0.0, internal::kFar);
      if (inside.count == 0 || !(inside.hi[0] < far)) continue;
      far = inside.hi[0];
      next = &s;
    }
    if (next == nullptr) return std::nullopt;
    p += far * way;
    if (met == 2 || next->kind != SurfaceKind::kPlane) return p;
    normals[met] = next->PlaneNormal();
    faces[met] = next;
  }
}

}  // namespace intervox::geometry
