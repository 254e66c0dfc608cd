#include <algorithm>
#include <map>
#include <span>
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

// Makes the loops' half-edges. False when an edge has not two of them, one in each direction.
bool MakeHalfEdges(Corners* corners) {
  constexpr std::size_t kMost = 65535;
  const std::size_t count = corners->loop.size();
  if (count % 2 != 0 || count > kMost) return false;
  corners->half_edges.resize(count);
  std::map<std::pair<int, int>, std::size_t> numbers;
  std::size_t edges = 0;
  for (std::size_t f = 0; f < corners->faces.size(); ++f) {
    const std::span<const std::int32_t> loop(corners->loop.data() + corners->begin[f],
                                             corners->loop.data() + corners->begin[f + 1]);
    std::vector<std::uint16_t> halves;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int from = loop[i], to = loop[(i + 1) % loop.size()];
      const auto other = numbers.find({to, from});
      if (other == numbers.end() && 2 * edges == count) return false;
      const std::size_t h = other == numbers.end() ? 2 * edges++ : other->second + 1;
      if (!numbers.insert({{from, to}, h}).second) return false;
      corners->half_edges[h].origin = static_cast<std::uint16_t>(from);
      corners->half_edges[h].face = static_cast<std::uint16_t>(f);
      halves.push_back(static_cast<std::uint16_t>(h));
    }
    for (std::size_t i = 0; i < halves.size(); ++i) {
      corners->half_edges[halves[i]].next = halves[(i + 1) % halves.size()];
    }
    corners->faces[f].half_edge = halves[0];
  }
  return 2 * edges == count;
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
  corners.begin.push_back(0);
  for (const FacePolygon& face : cell.faces) {
    const std::size_t first = corners.loop.size();
    for (const Vec3& p : face.p_C) {
      const int i = FindOrAdd(p, kSameCorner * size, &corners.p_C);
      if (corners.loop.size() == first || corners.loop.back() != i) corners.loop.push_back(i);
    }
    while (corners.loop.size() > first + 1 && corners.loop.back() == corners.loop[first]) {
      corners.loop.pop_back();
    }
    if (corners.loop.size() < first + 3) {
      corners.loop.resize(first);
      continue;
    }
    corners.begin.push_back(static_cast<std::int32_t>(corners.loop.size()));
    corners.faces.push_back({face.surface, 0});
  }
  return MakeHalfEdges(&corners) ? corners : Corners{};
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
