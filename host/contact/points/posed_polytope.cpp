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
  struct Side {
    int low, high, face;
  };
  thread_local std::vector<Side> sides;
  sides.clear();
  for (std::size_t f = 0; f < out->normals.size(); ++f) {
    for (int k = 0; k < out->CornersOf(f); ++k) {
      const int from = out->CornerOf(f, k), to = out->CornerOf(f, k + 1);
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<int>(f)});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.face < b.face;
  });
  for (std::size_t k = 0; k + 1 < sides.size(); ++k) {
    const Side& left = sides[k];
    const Side& right = sides[k + 1];
    if (left.low != right.low || left.high != right.high) continue;
    out->edges.push_back(
        {out->At(left.low), out->At(left.high), out->normals[static_cast<std::size_t>(left.face)],
         out->normals[static_cast<std::size_t>(right.face)], left.low, left.high, left.face,
         right.face, SquaredNorm(out->At(left.high) - out->At(left.low))});
  }
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
