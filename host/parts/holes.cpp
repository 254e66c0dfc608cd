#include "host/parts/holes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "host/parts/edges.h"

namespace intervox::host {
namespace {

using Loop = std::vector<int>;
/** Edges that triangles have, lower vertex first. */
using EdgeSet = std::set<std::pair<int, int>>;

/** The edges that are missing, by the vertex at which they begin. */
std::vector<std::vector<int>> MissingEdges(const TriangleMesh& mesh) {
  std::vector<std::vector<int>> to(mesh.p.size());
  ForEachEdge(SortedEdges(mesh), [&](std::span<const HalfEdge> edge) {
    int excess = 0;
    for (const HalfEdge& half : edge) excess += half.is_upward ? 1 : -1;
    int from = edge[0].upper, end = edge[0].lower;
    if (excess < 0) std::swap(from, end);
    for (int k = std::abs(excess); k > 0; --k) to[from].push_back(end);
  });
  return to;
}

/** Walks along missing edges, each once, and cuts a loop off wherever the walk meets itself. */
std::vector<Loop> LoopsOf(std::vector<std::vector<int>> to) {
  std::vector<Loop> loops;
  std::vector<int> place(to.size(), -1);  // of a vertex in the walk
  for (int first = 0; first < static_cast<int>(to.size()); ++first) {
    Loop walk;
    int at = first;
    while (!walk.empty() || !to[at].empty()) {
      if (place[at] >= 0) {
        const auto begin = walk.begin() + place[at];
        loops.emplace_back(begin, walk.end());
        for (auto v = begin; v != walk.end(); ++v) place[*v] = -1;
        walk.erase(begin, walk.end());
        if (walk.empty() && to[at].empty()) break;
      }
      place[at] = static_cast<int>(walk.size());
      walk.push_back(at);
      const int next = to[at].back();  // as many edges leave a vertex as enter it
      to[at].pop_back();
      at = next;
    }
  }
  return loops;
}

double Area2(const TriangleMesh& mesh, int a, int b, int c) {
  return Norm(Cross(mesh.p[b] - mesh.p[a], mesh.p[c] - mesh.p[a]));
}

/** Fills a loop with triangles of least area (Barequet and Sharir 1995). An edge that triangles
 have already is taken where there is no other way only. */
void FillByArea(const Loop& loop, const EdgeSet& taken, TriangleMesh* mesh) {
  const int n = static_cast<int>(loop.size());
  double all = 0;
  for (int k = 1; k + 1 < n; ++k) all += Area2(*mesh, loop[0], loop[k], loop[k + 1]);
  const auto index = [n](int i, int j) { return static_cast<std::size_t>(i) * n + j; };
  std::vector<double> least(index(n, 0), 0.0);
  std::vector<int> apex(least.size(), 0);
  for (int length = 2; length < n; ++length) {
    for (int i = 0; i + length < n; ++i) {
      const int j = i + length;
      double best = HUGE_VAL;
      for (int k = i + 1; k < j; ++k) {
        const double area =
            least[index(i, k)] + least[index(k, j)] + Area2(*mesh, loop[i], loop[k], loop[j]);
        if (area >= best) continue;
        best = area;
        apex[index(i, j)] = k;
      }
      const bool is_inner = length + 1 < n;
      if (is_inner && taken.contains(std::minmax(loop[i], loop[j]))) best += 100 * all;
      least[index(i, j)] = best;
    }
  }
  std::vector<std::pair<int, int>> open{{0, n - 1}};
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    if (j - i < 2) continue;
    const int k = apex[index(i, j)];
    mesh->triangles.push_back({loop[i], loop[k], loop[j]});
    open.emplace_back(i, k);
    open.emplace_back(k, j);
  }
}

void FillFromMiddle(const Loop& loop, const Vec3& middle, TriangleMesh* mesh) {
  const int center = static_cast<int>(mesh->p.size());
  mesh->p.push_back(middle);
  for (std::size_t k = 0; k < loop.size(); ++k) {
    mesh->triangles.push_back({loop[k], loop[(k + 1) % loop.size()], center});
  }
}

}  // namespace

ClosedHoles CloseHoles(TriangleMesh* mesh) {
  ClosedHoles closed;
  const std::vector<Loop> loops = LoopsOf(MissingEdges(*mesh));
  if (loops.empty()) return closed;
  EdgeSet taken;
  for (const HalfEdge& edge : SortedEdges(*mesh)) taken.emplace(edge.lower, edge.upper);
  const std::size_t before = mesh->triangles.size();
  for (const Loop& loop : loops) {
    Vec3 lower = mesh->p[loop[0]], upper = lower, middle;
    for (const int v : loop) {
      lower = Min(lower, mesh->p[v]);
      upper = Max(upper, mesh->p[v]);
      middle += mesh->p[v] / static_cast<double>(loop.size());
    }
    ++closed.holes;
    if (Norm(upper - lower) >= closed.widest) {
      closed.widest = Norm(upper - lower);
      closed.where = middle;
    }
    if (static_cast<int>(loop.size()) > kMostHoleEdges) {
      FillFromMiddle(loop, middle, mesh);
    } else {
      FillByArea(loop, taken, mesh);
    }
  }
  closed.triangles = static_cast<int>(mesh->triangles.size() - before);
  return closed;
}

}  // namespace intervox::host
