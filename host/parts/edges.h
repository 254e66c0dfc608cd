/** @file The edges of triangles, each with all triangles at it. */
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** An edge as one triangle has it. */
struct HalfEdge {
  int lower = 0, upper = 0;  ///< its vertices, lower < upper
  int triangle = 0;
  bool is_upward = false;  ///< the triangle passes it from lower to upper
};

/** The half-edges of all triangles; those of one edge stand together, in the triangles' order.
 Sides of degenerate triangles that begin and end in one vertex are left out. */
inline std::vector<HalfEdge> SortedEdges(const TriangleMesh& mesh) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      if (a != b) edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.lower, a.upper, a.triangle, a.is_upward) <
           std::tie(b.lower, b.upper, b.triangle, b.is_upward);
  });
  return edges;
}

/** Calls f(half-edges) for each edge of SortedEdges(). */
template <class F>
void ForEachEdge(const std::vector<HalfEdge>& edges, F&& f) {
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin + 1;
    while (end < edges.size() && edges[end].lower == edges[begin].lower &&
           edges[end].upper == edges[begin].upper) {
      ++end;
    }
    f(std::span<const HalfEdge>(edges).subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace intervox::host
