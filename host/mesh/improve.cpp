#include "host/mesh/improve.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

using geometry::SurfaceKind;

constexpr double kEdgeShare = 0.7;   // of the deviation, at the middle of an edge
constexpr double kAligned = 0.3;     // cosine between a triangle and its surface
constexpr double kFairShape = 0.15;  // of an equilateral triangle's: good enough
constexpr double kMove = 0.3;        // of an edge: how far a vertex may move onto its surfaces
constexpr double kShort = 2e-7;      // of the solid's size: files of single precision round to 6e-8
constexpr int kMostSweeps = 12;
constexpr int kTellEvery = 256;  // vertices

class Improver {
 public:
  Improver(const SurfaceSet& set, double deviation, SurfaceMesh* mesh)
      : set_(set), deviation_(deviation), mesh_(*mesh) {}

  /** Moves each vertex onto all its surfaces; where they do not meet nearby, onto those that do. */
  void MoveVertices() {
    for (int v = 0; v < mesh_.triangles.Vertices(); ++v) {
      const std::vector<int> on = SurfacesAt(v);
      if (on.empty()) continue;
      double reach = 0;
      for (const int w : Ring(v)) reach = std::max(reach, Norm(mesh_.p[w] - mesh_.p[v]));
      MoveNear(on, kMove * reach, &mesh_.p[v]);
    }
  }

  /** Splits edges, the longest first, until all triangles are near their surfaces. */
  void Split() {
    using Entry = std::pair<double, std::pair<int, int>>;
    std::priority_queue<Entry> queue;
    const auto consider = [&](int t) {
      const auto [a, b] = EdgeToSplit(t);
      if (a >= 0) queue.push({Norm(mesh_.p[a] - mesh_.p[b]), std::minmax(a, b)});
    };
    for (int t = 0; t < mesh_.triangles.Size(); ++t) {
      if (mesh_.triangles[t].alive) consider(t);
    }
    std::vector<std::pair<int, int>> born;
    // Where surfaces nearly touch, splitting may not come to an end; what is left is measured.
    const int enough = 100'000 + 50 * mesh_.triangles.Alive() + BentTriangles();
    while (!queue.empty() && mesh_.triangles.Alive() < enough) {
      const auto [length, edge] = queue.top();
      queue.pop();
      const int a = edge.first, b = edge.second;
      const std::vector<int> around = mesh_.triangles.Around(a, b);
      if (around.size() != 2) continue;
      const bool wanted = std::any_of(around.begin(), around.end(), [&](int t) {
        const auto [c, d] = EdgeToSplit(t);
        return std::minmax(c, d) == std::minmax(a, b);
      });
      if (!wanted) continue;
      std::vector<int> on;
      for (const int t : around) AddSurface(t, &on);
      const Vec3 middle = 0.5 * (mesh_.p[a] + mesh_.p[b]);
      Vec3 p = middle;
      if (!MoveNear(on, kMove * length, &p)) continue;  // it stays as it is, and is measured
      const int v = static_cast<int>(mesh_.p.size());
      mesh_.p.push_back(p);
      mesh_.triangles.Bisect(a, b, v, &born);
      for (const auto& [half, other] : born) {
        consider(half);
        consider(other);
      }
    }
  }

  /** Removes vertices and turns edges while that spares triangles or betters them. */
  void Simplify(const Told& told) {
    double left = 1;  // each sweep counts for half of what the ones before it leave
    for (int sweep = 0; sweep < kMostSweeps; ++sweep, left *= 0.5) {
      const Told here = PartOf(told, 1 - left, 1 - 0.5 * left);
      const int vertices = mesh_.triangles.Vertices();
      int changes = 0;
      for (int v = 0; v < vertices; ++v) {
        changes += CollapseAny(v) ? 1 : 0;
        if (v % kTellEvery == 0) Tell(here, static_cast<double>(v) / vertices);
      }
      for (int t = 0; t < mesh_.triangles.Size(); ++t) changes += FlipAny(t) ? 1 : 0;
      if (changes * 200 < mesh_.triangles.Alive()) break;
    }
  }

  /** Contracts edges that the rounding of files may make a point, whose triangles a reader would
   find degenerate. */
  void ContractShort() {
    for (int v = 0; v < mesh_.triangles.Vertices(); ++v) {
      while (ContractAt(v)) continue;
    }
  }

 private:
  /** Triangles that curved faces need, of radii of a twentieth of the size and more: of a face of
   the area A and the radius R some A/(2 R d). */
  int BentTriangles() const {
    constexpr double kMost = 5e6;  // some 2 GB
    double area = 0;
    for (int t = 0; t < mesh_.triangles.Size(); ++t) {
      if (!mesh_.triangles[t].alive || !Bends(mesh_.triangles[t].tag)) continue;
      const auto& v = mesh_.triangles[t].v;
      area += 0.5 * Norm(Cross(mesh_.p[v[1]] - mesh_.p[v[0]], mesh_.p[v[2]] - mesh_.p[v[0]]));
    }
    return static_cast<int>(std::min(kMost, 10 * area / (set_.size * deviation_)));
  }

  /** Moves *p onto the surfaces, or onto the fewer of them that meet within reach, the nearest. */
  bool MoveNear(const std::vector<int>& on, double reach, Vec3* p) const {
    Vec3 moved = *p;
    if (MoveOnto(set_, on, &moved) && Norm(moved - *p) <= reach) {
      *p = moved;
      return true;
    }
    if (on.size() < 2) return false;
    bool found = false;
    Vec3 best = *p;
    for (std::size_t skip = 0; skip < on.size(); ++skip) {
      std::vector<int> fewer = on;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(skip));
      moved = *p;
      if (!MoveNear(fewer, reach, &moved)) continue;
      if (!found || Norm(moved - *p) < Norm(best - *p)) best = moved;
      found = true;
    }
    *p = best;
    return found;
  }

  void AddSurface(int t, std::vector<int>* on) const {
    const int s = mesh_.Surface(t);
    if (std::find(on->begin(), on->end(), s) == on->end()) on->push_back(s);
  }
  std::vector<int> SurfacesAt(int v) const {
    std::vector<int> on;
    for (const int t : mesh_.triangles.Star(v)) AddSurface(t, &on);
    return on;
  }
  /** The different tags at a vertex. */
  std::vector<int> TagsAt(int v) const {
    std::vector<int> tags;
    for (const int t : mesh_.triangles.Star(v)) {
      const int tag = mesh_.triangles[t].tag;
      if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
    }
    return tags;
  }
  bool Bends(int tag) const { return set_.surfaces[tag / 2].kind != SurfaceKind::kPlane; }
  double Distance(int tag, const Vec3& p) const {
    return Bends(tag) ? DistanceTo(set_.surfaces[tag / 2], p) : 0.0;
  }

  /** The edge of a triangle that must be split, the longest of several; −1: none. */
  std::pair<int, int> EdgeToSplit(int t) const {
    const auto& v = mesh_.triangles[t].v;
    const int tag = mesh_.triangles[t].tag;
    if (!Bends(tag)) return {-1, -1};
    std::pair<int, int> edge{-1, -1}, longest{-1, -1};
    double most = 0, most_of_all = 0;
    for (int i = 0; i < 3; ++i) {
      const int a = v[i], b = v[(i + 1) % 3];
      const double length = Norm(mesh_.p[a] - mesh_.p[b]);
      if (length > most_of_all) most_of_all = length, longest = {a, b};
      if (length > most && length > deviation_ &&
          Distance(tag, 0.5 * (mesh_.p[a] + mesh_.p[b])) > kEdgeShare * deviation_) {
        most = length;
        edge = {a, b};
      }
    }
    if (edge.first >= 0) return edge;
    const Vec3 centroid = (mesh_.p[v[0]] + mesh_.p[v[1]] + mesh_.p[v[2]]) / 3.0;
    if (Distance(tag, centroid) > 0.95 * deviation_ && most_of_all > deviation_) return longest;
    return {-1, -1};
  }

  /** Shape of a triangle: 1 equilateral, 0 degenerate, negative when turned over. */
  double Shape(int tag, const Vec3& a, const Vec3& b, const Vec3& c) const {
    const Vec3 n = Cross(b - a, c - a);
    const double area = Norm(n);
    const double edges = SquaredNorm(b - a) + SquaredNorm(c - b) + SquaredNorm(a - c);
    if (!(area > 0) || !(edges > 0)) return 0;
    const double shape = 2 * std::sqrt(3.0) * area / edges;
    const double along = Dot(n, ExactNormal(set_, tag, (a + b + c) / 3.0)) / area;
    return along > kAligned ? shape : -1;
  }
  double Shape(int t) const {
    const auto& v = mesh_.triangles[t].v;
    return Shape(mesh_.triangles[t].tag, mesh_.p[v[0]], mesh_.p[v[1]], mesh_.p[v[2]]);
  }

  /** The triangle would be near enough to its surface. */
  bool Near(int tag, const Vec3& a, const Vec3& b, const Vec3& c) const {
    if (!Bends(tag)) return true;
    const double most = kEdgeShare * deviation_;
    return Distance(tag, 0.5 * (a + b)) <= most && Distance(tag, 0.5 * (b + c)) <= most &&
           Distance(tag, 0.5 * (c + a)) <= most && Distance(tag, (a + b + c) / 3.0) <= deviation_;
  }

  /** Neighbours of a vertex, each once. */
  std::vector<int> Ring(int v) const {
    std::vector<int> ring;
    for (const int t : mesh_.triangles.Star(v)) {
      for (const int w : mesh_.triangles[t].v) {
        if (w != v && std::find(ring.begin(), ring.end(), w) == ring.end()) ring.push_back(w);
      }
    }
    return ring;
  }

  bool CollapseAny(int v) {
    const std::vector<int> tags = TagsAt(v);
    if (tags.empty() || tags.size() > 2) return false;
    if (tags.size() == 1 &&
        !(Norm(geometry::Gradient(set_.surfaces[tags[0] / 2], mesh_.p[v])) > 1e-6)) {
      return false;  // the apex of a cone
    }
    std::vector<int> ring = Ring(v);
    std::sort(ring.begin(), ring.end(), [&](int a, int b) {
      return SquaredNorm(mesh_.p[a] - mesh_.p[v]) < SquaredNorm(mesh_.p[b] - mesh_.p[v]);
    });
    return std::any_of(ring.begin(), ring.end(), [&](int u) { return Collapse(v, u, tags, ring); });
  }

  /** Moves v to u where the mesh stays a surface, near enough, and not worse shaped. */
  bool Collapse(int v, int u, const std::vector<int>& tags, const std::vector<int>& ring) {
    const std::vector<int> at_edge = mesh_.triangles.Around(v, u);
    if (at_edge.size() != 2) return false;
    const bool crease = mesh_.triangles[at_edge[0]].tag != mesh_.triangles[at_edge[1]].tag;
    if (crease != (tags.size() == 2)) return false;
    int shared = 0;
    for (const int w : Ring(u))
      shared += std::find(ring.begin(), ring.end(), w) != ring.end() ? 1 : 0;
    if (shared != 2) return false;
    double before = 1, after = 1;
    for (const int t : mesh_.triangles.Star(v)) {
      before = std::min(before, Shape(t));
      if (mesh_.triangles.Has(t, u)) continue;
      std::array<Vec3, 3> p;
      for (int i = 0; i < 3; ++i) {
        const int w = mesh_.triangles[t].v[i];
        p[i] = mesh_.p[w == v ? u : w];
      }
      const int tag = mesh_.triangles[t].tag;
      const double shape = Shape(tag, p[0], p[1], p[2]);
      if (!(shape > 0) || !Near(tag, p[0], p[1], p[2])) return false;
      after = std::min(after, shape);
    }
    if (after < std::min(before, Bends(tags[0]) ? kFairShape : 1e-3 * kFairShape)) return false;
    for (const int t : at_edge) mesh_.triangles.Remove(t);
    const std::vector<int> rest = mesh_.triangles.Star(v);
    for (const int t : rest) mesh_.triangles.Replace(t, v, u);
    return true;
  }

  /** Contracts one short edge at a vertex, onto the end with more tags. */
  bool ContractAt(int v) {
    const std::vector<int> ring = Ring(v);
    return std::any_of(ring.begin(), ring.end(), [&](int u) {
      if (!(Norm(mesh_.p[u] - mesh_.p[v]) <= kShort * set_.size)) return false;
      const bool corner = TagsAt(u).size() > TagsAt(v).size();
      return Contract(corner ? v : u, corner ? u : v);
    });
  }

  /** A triangle at v that faces one at u when they are one, such as (u, x, y) and (v, y, x). */
  int Facing(int t, int u, int v) const {
    for (const int s : mesh_.triangles.Star(v)) {
      bool faces = !mesh_.triangles.Has(s, u);
      for (const int w : mesh_.triangles[t].v)
        faces = faces && (w == u || mesh_.triangles.Has(s, w));
      if (faces) return s;
    }
    return -1;
  }

  /** Puts `to` in the place of `from`. Triangles that then face each other go, too. False where
   some edge would keep more than two triangles. */
  bool Contract(int from, int to) {
    auto& triangles = mesh_.triangles;
    std::vector<int> gone = triangles.Around(from, to);
    if (gone.size() != 2) return false;
    for (const int t : triangles.Star(from)) {
      if (triangles.Has(t, to)) continue;
      const int other = Facing(t, from, to);
      if (other >= 0) gone.insert(gone.end(), {t, other});
    }
    const auto stays = [&](int t) { return std::find(gone.begin(), gone.end(), t) == gone.end(); };
    for (const int w : Ring(from)) {
      if (w == to) continue;
      std::ptrdiff_t left = 0;
      for (const int end : {from, to}) {
        const std::vector<int> around = triangles.Around(end, w);
        left += std::count_if(around.begin(), around.end(), stays);
      }
      if (left != 0 && left != 2) return false;
    }
    // What would vanish as a whole stays: the tip of a cone may be a part of its own.
    const auto &here = triangles.Star(from), &there = triangles.Star(to);
    if (std::none_of(here.begin(), here.end(), stays) &&
        std::none_of(there.begin(), there.end(), stays)) {
      return false;
    }
    for (const int t : gone) triangles.Remove(t);
    const std::vector<int> rest = triangles.Star(from);
    for (const int t : rest) triangles.Replace(t, from, to);
    PartRings(to);
    return true;
  }

  /** Gives each ring of triangles at a vertex but the first a vertex of its own. */
  void PartRings(int v) {
    auto& triangles = mesh_.triangles;
    std::vector<int> rest = triangles.Star(v);
    for (bool first = true; !rest.empty(); first = false) {
      std::vector<int> ring{rest.back()};
      rest.pop_back();
      for (std::size_t k = 0; k < ring.size(); ++k) {
        for (const int w : triangles[ring[k]].v) {
          if (w == v) continue;
          const auto next =
              std::find_if(rest.begin(), rest.end(), [&](int t) { return triangles.Has(t, w); });
          if (next == rest.end()) continue;
          ring.push_back(*next);
          rest.erase(next);
        }
      }
      if (first) continue;
      const int own = static_cast<int>(mesh_.p.size());
      const Vec3 p = mesh_.p[v];
      mesh_.p.push_back(p);
      triangles.Reserve(own + 1);
      for (const int t : ring) triangles.Replace(t, v, own);
    }
  }

  bool FlipAny(int t) {
    if (!mesh_.triangles[t].alive) return false;
    for (int i = 0; i < 3; ++i) {
      const auto v = mesh_.triangles[t].v;
      if (Flip(t, v[i], v[(i + 1) % 3], v[(i + 2) % 3])) return true;
    }
    return false;
  }

  /** Turns the edge a–b of triangle (a, b, c) where both its triangles are of one surface and the
   worse of the two becomes better. */
  bool Flip(int t, int a, int b, int c) {
    const std::vector<int> around = mesh_.triangles.Around(a, b);
    if (around.size() != 2) return false;
    const int other = around[0] == t ? around[1] : around[0];
    const int tag = mesh_.triangles[t].tag;
    if (mesh_.triangles[other].tag != tag) return false;
    int d = -1;
    for (const int w : mesh_.triangles[other].v) d = w != a && w != b ? w : d;
    if (d == c || !mesh_.triangles.Around(c, d).empty()) return false;
    const auto& p = mesh_.p;
    const double before = std::min(Shape(t), Shape(other));
    const double after = std::min(Shape(tag, p[a], p[d], p[c]), Shape(tag, p[d], p[b], p[c]));
    if (!(after > before + 1e-3 * std::fabs(before)) || !(after > 0)) return false;
    if (!Near(tag, p[a], p[d], p[c]) || !Near(tag, p[d], p[b], p[c])) return false;
    mesh_.triangles.Remove(t);
    mesh_.triangles.Remove(other);
    mesh_.triangles.Add({a, d, c}, tag);
    mesh_.triangles.Add({d, b, c}, tag);
    return true;
  }

  const SurfaceSet& set_;
  const double deviation_;
  SurfaceMesh& mesh_;
};

}  // namespace

void Improve(const SurfaceSet& set, double deviation, SurfaceMesh* mesh, const Told& told) {
  Improver improver(set, deviation, mesh);
  improver.MoveVertices();
  improver.Simplify(PartOf(told, 0, 0.5));
  improver.Split();
  improver.Simplify(PartOf(told, 0.5, 1));
  improver.ContractShort();
}

double DeviationOf(const SurfaceSet& set, const SurfaceMesh& mesh, int triangle) {
  const int s = mesh.Surface(triangle);
  const auto& v = mesh.triangles[triangle].v;
  double most = 0;
  constexpr int kSteps = 4;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; i + j <= kSteps; ++j) {
      const Vec3 p =
          (i * mesh.p[v[0]] + j * mesh.p[v[1]] + (kSteps - i - j) * mesh.p[v[2]]) / kSteps;
      most = std::max(most, DistanceTo(set.surfaces[s], p));
    }
  }
  return most;
}

Vec3 ExactNormal(const SurfaceSet& set, int tag, const Vec3& p) {
  const Vec3 g = geometry::Gradient(set.surfaces[tag / 2], p);
  const double slope = Norm(g);
  return slope > 0 ? ((tag % 2 != 0 ? -1.0 : 1.0) / slope) * g : Vec3{};
}

}  // namespace intervox::host
