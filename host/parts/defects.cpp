#include "host/parts/defects.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "geometry/box_tree.h"
#include "host/parts/corners.h"
#include "host/parts/edges.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

constexpr double kFarthest = 1e9;  ///< largest coordinate

/** Counts defects of one kind and keeps the place of the first. */
struct Counter {
  Defect defect;
  void Add(const Vec3& where) {
    if (defect.count++ == 0) defect.where = where;
  }
};

bool IsUsable(const Vec3& p) {
  return std::abs(p.x) <= kFarthest && std::abs(p.y) <= kFarthest && std::abs(p.z) <= kFarthest;
}

/** Six times the volume of a tetrahedron. */
double Volume6(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return Dot(Cross(b - a, c - a), d - a);
}

/** Whether the segment passes through the inside of the triangle, from one side to the other. */
bool Crosses(const TriangleMesh& mesh, int from, int to, const std::array<int, 3>& t) {
  if (std::find(t.begin(), t.end(), from) != t.end()) return false;
  if (std::find(t.begin(), t.end(), to) != t.end()) return false;
  const Vec3 &a = mesh.p[t[0]], &b = mesh.p[t[1]], &c = mesh.p[t[2]];
  const Vec3 &u = mesh.p[from], &v = mesh.p[to];
  if (!(Volume6(a, b, c, u) * Volume6(a, b, c, v) < 0)) return false;
  const double s = Volume6(u, v, a, b), r = Volume6(u, v, b, c), q = Volume6(u, v, c, a);
  return (s > 0 && r > 0 && q > 0) || (s < 0 && r < 0 && q < 0);
}

bool Crosses(const TriangleMesh& mesh, int a, int b) {
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    const std::array<int, 3>& t = mesh.triangles[x];
    for (int k = 0; k < 3; ++k) {
      if (Crosses(mesh, t[k], t[(k + 1) % 3], mesh.triangles[y])) return true;
    }
  }
  return false;
}

geometry::Aabb BoxOf(const TriangleMesh& mesh, const std::array<int, 3>& t) {
  const Vec3 &a = mesh.p[t[0]], &b = mesh.p[t[1]], &c = mesh.p[t[2]];
  return {Min(a, Min(b, c)), Max(a, Max(b, c))};
}

/** Numbers of shells by triangle, found by joining triangles at edges; and how many there are. */
std::pair<std::vector<int>, int> ShellNumbers(const TriangleMesh& mesh) {
  std::vector<int> root(mesh.triangles.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  ForEachEdge(SortedEdges(mesh), [&](std::span<const HalfEdge> edge) {
    for (const HalfEdge& half : edge) {
      const int a = find(edge.front().triangle), b = find(half.triangle);
      root[std::max(a, b)] = std::min(a, b);
    }
  });
  std::vector<int> number(root.size());
  int count = 0;
  for (int i = 0; i < static_cast<int>(root.size()); ++i) {
    const int r = find(i);
    number[i] = r == i ? count++ : number[r];
  }
  return {number, count};
}

}  // namespace

int Weld(TriangleMesh* mesh) {
  std::vector<int> order(mesh->p.size());
  std::iota(order.begin(), order.end(), 0);
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x + 0.0); };  // −0 + 0 = 0
  const auto key = [&](int i) {
    const Vec3& p = mesh->p[i];
    return std::array{bits(p.x), bits(p.y), bits(p.z)};
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  std::vector<int> first(order.size());
  int merged = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && key(order[k]) == key(order[k - 1]);
    first[order[k]] = same ? first[order[k - 1]] : order[k];
    merged += same;
  }
  std::vector<int> number(order.size(), -1);
  std::vector<Vec3> kept;
  for (auto& t : mesh->triangles) {
    for (int& v : t) {
      int& n = number[first[v]];
      if (n < 0) {
        n = static_cast<int>(kept.size());
        kept.push_back(mesh->p[first[v]]);
      }
      v = n;
    }
  }
  mesh->p = std::move(kept);
  return merged;
}

std::vector<Defect> FindDefects(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return {{DefectKind::kEmpty, 1, {}}};
  Counter not_finite{{DefectKind::kNotFinite, 0, {}}};
  for (const Vec3& p : mesh.p) {
    if (!IsUsable(p)) not_finite.Add(p);
  }
  if (not_finite.defect.count > 0) return {not_finite.defect};
  Counter degenerate{{DefectKind::kDegenerate, 0, {}}}, duplicate{{DefectKind::kDuplicate, 0, {}}};
  for (const auto& t : mesh.triangles) {
    if (HasCornerTwice(t)) degenerate.Add(mesh.p[t[0]]);
  }
  const std::vector<int> order = ByCorners(mesh);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const auto &a = mesh.triangles[order[k - 1]], &b = mesh.triangles[order[k]];
    if (Sorted(a) == Sorted(b)) duplicate.Add(mesh.p[b[0]]);
  }
  Counter open{{DefectKind::kOpen, 0, {}}}, more{{DefectKind::kNonManifold, 0, {}}};
  Counter turned{{DefectKind::kTurned, 0, {}}};
  ForEachEdge(SortedEdges(mesh), [&](std::span<const HalfEdge> edge) {
    const Vec3 middle = 0.5 * (mesh.p[edge[0].lower] + mesh.p[edge[0].upper]);
    if (edge.size() == 1) open.Add(middle);
    if (edge.size() > 2) more.Add(middle);
    if (edge.size() == 2 && edge[0].is_upward == edge[1].is_upward) turned.Add(middle);
  });
  std::vector<Defect> found;
  for (const Counter& counter : {degenerate, duplicate, open, more, turned}) {
    if (counter.defect.count > 0) found.push_back(counter.defect);
  }
  if (found.empty() && EnclosedVolume(mesh) < 0) {
    found.push_back({DefectKind::kInverted, 1, mesh.p[0]});
  }
  return found;
}

Defect FindCrossings(const TriangleMesh& mesh) {
  std::vector<geometry::Aabb> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) boxes.push_back(BoxOf(mesh, t));
  const geometry::BoxTree tree(boxes);
  Counter crossings{{DefectKind::kSelfIntersecting, 0, {}}};
  for (int a = 0; a < static_cast<int>(boxes.size()); ++a) {
    const geometry::Aabb& box = boxes[a];
    const auto meets = [&](const geometry::Aabb& other) {
      const Vec3 gap = Max(other.lower - box.upper, box.lower - other.upper);
      return std::max({gap.x, gap.y, gap.z}) <= 0;
    };
    const bool full = tree.Any(meets, [&](int b) {
      if (b > a && Crosses(mesh, a, b)) {
        crossings.Add((1.0 / 3) * (mesh.p[mesh.triangles[a][0]] + mesh.p[mesh.triangles[a][1]] +
                                   mesh.p[mesh.triangles[a][2]]));
      }
      return crossings.defect.count >= kMostCrossings;
    });
    if (full) break;
  }
  return crossings.defect;
}

std::string DefectText(const Defect& defect) {
  const auto [one, many] = [&]() -> std::pair<const char*, const char*> {
    switch (defect.kind) {
      case DefectKind::kEmpty:
        return {"no triangles", "no triangles"};
      case DefectKind::kNotFinite:
        return {"vertex that is not finite or beyond 1e9",
                "vertices that are not finite or beyond 1e9"};
      case DefectKind::kDegenerate:
        return {"degenerate triangle", "degenerate triangles"};
      case DefectKind::kDuplicate:
        return {"double triangle", "double triangles"};
      case DefectKind::kOpen:
        return {"open edge", "open edges"};
      case DefectKind::kNonManifold:
        return {"edge of more than two triangles", "edges of more than two triangles"};
      case DefectKind::kTurned:
        return {"edge between triangles that face opposite ways",
                "edges between triangles that face opposite ways"};
      case DefectKind::kInverted:
        return {"surface turned inside out", "surfaces turned inside out"};
      default:
        return {"pair of triangles that cross", "pairs of triangles that cross"};
    }
  }();
  if (defect.kind == DefectKind::kEmpty) return one;
  const bool is_capped =
      defect.kind == DefectKind::kSelfIntersecting && defect.count >= kMostCrossings;
  return (is_capped ? "at least " : "") + std::to_string(defect.count) + " " +
         (defect.count == 1 ? one : many) + (defect.count == 1 ? " at " : ", the first at ") +
         Text(defect.where);
}

bool IsClosed(const TriangleMesh& mesh) {
  bool is_closed = true;
  ForEachEdge(SortedEdges(mesh), [&](std::span<const HalfEdge> edge) {
    const auto up = std::count_if(edge.begin(), edge.end(), [](auto& h) { return h.is_upward; });
    is_closed = is_closed && 2 * up == static_cast<std::ptrdiff_t>(edge.size());
  });
  return is_closed;
}

std::vector<TriangleMesh> Shells(const TriangleMesh& mesh) {
  const auto [number, count] = ShellNumbers(mesh);
  std::vector<TriangleMesh> shells(static_cast<std::size_t>(count));
  std::vector<std::vector<int>> members(shells.size());
  for (std::size_t t = 0; t < number.size(); ++t) {
    members[static_cast<std::size_t>(number[t])].push_back(static_cast<int>(t));
  }
  std::vector<int> own(mesh.p.size(), -1);
  for (std::size_t s = 0; s < shells.size(); ++s) {
    std::vector<int> used;
    for (const int t : members[s]) {
      std::array<int, 3> triangle = mesh.triangles[t];
      for (int& v : triangle) {
        if (own[v] < 0) {
          own[v] = static_cast<int>(shells[s].p.size());
          shells[s].p.push_back(mesh.p[v]);
          used.push_back(v);
        }
        v = own[v];
      }
      shells[s].triangles.push_back(triangle);
    }
    for (const int v : used) own[v] = -1;
  }
  return shells;
}

}  // namespace intervox::host
