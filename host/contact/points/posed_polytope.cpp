#include "host/contact/points/posed_polytope.h"

#include <algorithm>
#include <utility>

namespace intervox::host::points {

bool PosedPolytope::IsOn(std::size_t face, int corner) const {
  const auto begin = topology->loop.begin() + topology->begin[face];
  const auto end = topology->loop.begin() + topology->begin[face + 1];
  return std::find(begin, end, corner) != end;
}

void Place(const geometry::Cell& cell, const Pose& X, PosedPolytope* out) {
  const geometry::Corners& t = cell.corners;
  out->topology = &t;
  out->corners.clear();
  out->normals.clear();
  out->offsets.clear();
  out->edges.clear();
  for (const Vec3& p : t.p_C) out->corners.push_back(X * p);
  out->size = 0.0;
  for (const Vec3& p : out->corners) {
    out->size = std::max(out->size, Norm(p - out->corners[0]));
  }
  for (const geometry::CornerFace& face : t.faces) {
    const geometry::Surface& s = cell.surfaces[static_cast<std::size_t>(face.surface)];
    const double side = s.side;
    out->normals.push_back(X.R * (side * s.PlaneNormal()));
    out->offsets.push_back(Dot(out->normals.back(), X * s.o));
  }
}

void AddEdges(PosedPolytope* out) {
  const std::vector<geometry::HalfEdge>& half = out->topology->half_edges;
  for (std::size_t h = 0; h < half.size(); h += 2) {
    const auto [low, high] = std::minmax<int>({half[h].origin, half[h + 1].origin});
    const auto [left, right] = std::minmax<int>({half[h].face, half[h + 1].face});
    out->edges.push_back({out->At(low), out->At(high), out->normals[static_cast<std::size_t>(left)],
                          out->normals[static_cast<std::size_t>(right)], low, high, left, right,
                          SquaredNorm(out->At(high) - out->At(low))});
  }
  std::sort(out->edges.begin(), out->edges.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.low, a.high) < std::pair(b.low, b.high);
  });
}

void FindRises(const PosedPolytope& faces, const PosedPolytope& edges, std::vector<double>* out) {
  out->clear();
  for (const Vec3& n : faces.normals) {
    for (const Edge& edge : edges.edges) out->push_back(Dot(n, edge.to - edge.from));
  }
}

int EdgeOf(const PosedPolytope& part, int one, int two) {
  const std::pair<int, int> ends = std::minmax(one, two);
  const auto found = std::lower_bound(part.edges.begin(), part.edges.end(), ends,
                                      [](const Edge& edge, const std::pair<int, int>& key) {
                                        return std::pair(edge.low, edge.high) < key;
                                      });
  if (found == part.edges.end() || std::pair(found->low, found->high) != ends) {
    return static_cast<int>(part.edges.size());
  }
  return static_cast<int>(found - part.edges.begin());
}

int EdgeBetween(const PosedPolytope& part, std::size_t one, std::size_t two) {
  for (int k = 0; k < part.CornersOf(one); ++k) {
    const int from = part.CornerOf(one, k), to = part.CornerOf(one, k + 1);
    for (int j = 0; j < part.CornersOf(two); ++j) {
      // Faces have their corners in one sense: what both have they go through in opposite ones.
      if (part.CornerOf(two, j) == to && part.CornerOf(two, j + 1) == from) {
        return EdgeOf(part, from, to);
      }
    }
  }
  return -1;
}

}  // namespace intervox::host::points
