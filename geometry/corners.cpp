#include <algorithm>
#include <utility>

#include "geometry/cell.h"
#include "geometry/solid.h"

namespace intervox::geometry {

namespace {

// Corners of neighbouring faces are computed apart and differ by rounding.
constexpr double kSameCorner = 1e-11;

int FindOrAdd(const Vec3& p, double tolerance, std::vector<Vec3>* corners) {
  for (std::size_t i = 0; i < corners->size(); ++i) {
    const Vec3 d = Abs((*corners)[i] - p);
    if (d.x <= tolerance && d.y <= tolerance && d.z <= tolerance) return static_cast<int>(i);
  }
  corners->push_back(p);
  return static_cast<int>(corners->size()) - 1;
}

// Every directed edge has its reverse exactly once.
bool IsClosed(const Corners& corners) {
  std::vector<std::pair<int, int>> edges;
  for (std::size_t f = 0; f + 1 < corners.begin.size(); ++f) {
    const int first = corners.begin[f], end = corners.begin[f + 1];
    for (int i = first; i < end; ++i) {
      edges.emplace_back(corners.loop[i], corners.loop[i + 1 < end ? i + 1 : first]);
    }
  }
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](const auto& e) {
    return std::binary_search(edges.begin(), edges.end(), std::pair(e.second, e.first));
  });
}

/** The corners of the faces' polygons; empty where they do not close. */
Corners CornersOfFaces(const Cell& cell) {
  Corners corners;
  if (!cell.bounded || cell.faces.size() < 4) return corners;
  double size = 0;
  for (const FacePolygon& face : cell.faces) {
    for (const Vec3& p : face.p_C) {
      const Vec3 d = Abs(p - cell.bounds.X.p);
      size = std::max({size, d.x, d.y, d.z});
    }
  }
  for (const FacePolygon& face : cell.faces) {
    const std::size_t first = corners.loop.size();
    corners.begin.push_back(static_cast<std::int32_t>(first));
    corners.surface.push_back(face.surface);
    for (const Vec3& p : face.p_C) {
      const int i = FindOrAdd(p, kSameCorner * size, &corners.p_C);
      if (corners.loop.size() == first || corners.loop.back() != i) corners.loop.push_back(i);
    }
    while (corners.loop.size() > first + 1 && corners.loop.back() == corners.loop[first]) {
      corners.loop.pop_back();
    }
    if (corners.loop.size() < first + 3) corners.loop.resize(first);
  }
  corners.begin.push_back(static_cast<std::int32_t>(corners.loop.size()));
  return IsClosed(corners) ? corners : Corners{};
}

}  // namespace

void IndexCorners(Cell* cell) {
  cell->corners = cell->polytope ? CornersOfFaces(*cell) : Corners{};
}

void IndexCornersOfHull(Cell* cell) {
  constexpr double kInside = 1e-9;  // share of the cell's size
  if (cell->polytope) return;
  for (const Surface& s : cell->surfaces) {
    if (s.kind != SurfaceKind::kPlane && s.side > 0) return;
  }
  Corners corners = CornersOfFaces(*cell);
  const double room = kInside * Norm(cell->bounds.half);
  const bool all_there = std::all_of(corners.p_C.begin(), corners.p_C.end(),
                                     [&](const Vec3& p) { return Level(*cell, p) <= room; });
  if (all_there) cell->corners = std::move(corners);
}

}  // namespace intervox::geometry
