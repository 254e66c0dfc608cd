#include "host/mesh/boundary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

/** Face k of a tetrahedron lies against its vertex k; counter-clockwise seen from outside. */
constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/** One face of one tetrahedron. */
struct Face {
  int tet = -1;
  int k = 0;
};

class Extraction {
 public:
  Extraction(const SurfaceSet& set, const Carving& carving) : set_(set), carving_(carving) {
    FindNeighbours();
  }

  SurfaceMesh Take() {
    first_face_.resize(carving_.tets.Size());
    for (int t = 0; t < carving_.tets.Size(); ++t) {
      if (!Inside(t)) continue;
      first_face_[t] = static_cast<int>(faces_.size());
      for (int k = 0; k < 4; ++k) {
        if (!Inside(neighbours_[t][k])) faces_.push_back({t, k});
      }
    }
    corner_.resize(3 * faces_.size());
    partner_.resize(3 * faces_.size());
    std::iota(corner_.begin(), corner_.end(), 0);
    for (std::size_t f = 0; f < faces_.size(); ++f) JoinCorners(static_cast<int>(f));
    SurfaceMesh mesh;
    std::vector<int> vertex_of(corner_.size(), -1);  // by root corner
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      std::array<int, 3> v{};
      for (int i = 0; i < 3; ++i) {
        const int root = Root(static_cast<int>(3 * f) + i);
        if (vertex_of[root] < 0) {
          vertex_of[root] = static_cast<int>(mesh.p.size());
          mesh.p.push_back(carving_.vertices[VertexOf(faces_[f], i)].p);
        }
        v[i] = vertex_of[root];
      }
      mesh.triangles.Add(v, SideOf(faces_[f]));
    }
    PartDoubleEdges(&mesh);
    return mesh;
  }

 private:
  bool Inside(int t) const { return t >= 0 && carving_.tets[t].alive && carving_.tets[t].tag >= 0; }
  int VertexOf(const Face& face, int i) const {
    return carving_.tets[face.tet].v[kFaces[face.k][i]];
  }

  /** Finds what lies beyond each face of the tetrahedra inside: another one that holds the face's
   vertices. */
  void FindNeighbours() {
    neighbours_.assign(carving_.tets.Size(), {-1, -1, -1, -1});
    for (int t = 0; t < carving_.tets.Size(); ++t) {
      if (!Inside(t)) continue;
      for (int k = 0; k < 4; ++k) {
        if (neighbours_[t][k] >= 0) continue;
        const Face face{t, k};
        const int a = VertexOf(face, 0), b = VertexOf(face, 1), c = VertexOf(face, 2);
        for (const int s : carving_.tets.Star(a)) {
          if (s == t || !carving_.tets.Has(s, b) || !carving_.tets.Has(s, c)) continue;
          neighbours_[t][k] = s;
          const auto& v = carving_.tets[s].v;
          int back = 0;
          while (v[back] == a || v[back] == b || v[back] == c) ++back;
          neighbours_[s][back] = t;
          break;
        }
      }
    }
  }

  /** The number of a boundary face. */
  int NumberOf(const Face& face) const {
    int f = first_face_[face.tet];
    while (faces_[f].k != face.k) ++f;
    return f;
  }

  /** The boundary face reached from a face by going around its edge a–b through the inside. */
  Face Partner(Face face, int a, int b) const {
    int t = face.tet, k = face.k;
    while (true) {
      // The other face at the edge lies against the third vertex of this one.
      const auto& v = carving_.tets[t].v;
      int other = 0;
      while (other == k || v[other] == a || v[other] == b) ++other;
      const int next = neighbours_[t][other];
      if (!Inside(next)) return {t, other};
      const int apex = v[k];
      const auto& w = carving_.tets[next].v;
      // The shared face holds a, b and the old apex; it lies against the fourth vertex of `next`.
      k = 0;
      while (w[k] == a || w[k] == b || w[k] == apex) ++k;
      t = next;
    }
  }

  int Root(int c) {
    while (corner_[c] != c) c = corner_[c] = corner_[corner_[c]];
    return c;
  }

  void JoinCorners(int f) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int a = VertexOf(faces_[f], i), b = VertexOf(faces_[f], j);
      const Face partner = Partner(faces_[f], a, b);
      const int g = NumberOf(partner);
      partner_[3 * f + i] = g;
      for (int m = 0; m < 3; ++m) {
        const int v = VertexOf(partner, m);
        if (v == a) corner_[Root(3 * g + m)] = Root(3 * f + i);
        if (v == b) corner_[Root(3 * g + m)] = Root(3 * f + j);
      }
    }
  }

  /** Where two pairs of faces meet in one edge and share both its ends, each pair gets a vertex of
   its own in the middle, so that the edge has two triangles again. */
  void PartDoubleEdges(SurfaceMesh* mesh) {
    struct Half {
      std::pair<int, int> edge;
      int face, a, b, partner;
    };
    std::vector<Half> all;
    all.reserve(3 * faces_.size());
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
      const auto& v = mesh->triangles[f].v;
      for (int i = 0; i < 3; ++i) {
        const int a = v[i], b = v[(i + 1) % 3];
        all.push_back({std::minmax(a, b), f, a, b, partner_[3 * f + i]});
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Half& x, const Half& y) { return x.edge < y.edge; });
    // Triangles that a face has become, where more than one.
    std::map<int, std::vector<int>> pieces;
    for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
      while (end != all.end() && end->edge == begin->edge) ++end;
      if (end - begin == 2) continue;
      std::map<std::pair<int, int>, int> middle;  // by pair of faces
      for (const Half& half : std::span(begin, end)) {
        const auto [at, added] = middle.try_emplace(std::minmax(half.face, half.partner),
                                                    static_cast<int>(mesh->p.size()));
        if (added) mesh->p.push_back(0.5 * (mesh->p[half.a] + mesh->p[half.b]));
        const int m = at->second;
        std::vector<int>& piece = pieces.try_emplace(half.face, 1, half.face).first->second;
        for (const int t : std::vector<int>(piece)) {
          if (!mesh->triangles.Has(t, half.a) || !mesh->triangles.Has(t, half.b)) continue;
          mesh->triangles.Reserve(m + 1);
          std::array<int, 3> other = mesh->triangles[t].v;
          std::replace(other.begin(), other.end(), half.a, m);
          mesh->triangles.Replace(t, half.b, m);
          piece.push_back(mesh->triangles.Add(other, mesh->triangles[t].tag));
        }
      }
    }
  }

  /** The side of the surface that parts a face's tetrahedra, as a tag. */
  int SideOf(const Face& face) const {
    const int v[3] = {VertexOf(face, 0), VertexOf(face, 1), VertexOf(face, 2)};
    const auto& tet = carving_.tets[face.tet];
    const Vec3 inner = carving_.vertices[tet.v[face.k]].p;
    Vec3 centroid, outer;
    for (const int i : v) centroid += carving_.vertices[i].p / 3.0;
    const int beyond = neighbours_[face.tet][face.k];
    if (beyond >= 0) {
      for (const int i : carving_.tets[beyond].v) {
        if (i != v[0] && i != v[1] && i != v[2]) outer = carving_.vertices[i].p;
      }
    }
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (const SurfaceSide& s : set_.cells[tet.tag]) {
      // First the surfaces on which its vertices lie, then those that part the two tetrahedra, then
      // the nearest.
      const geometry::Surface& S = set_.surfaces[s.surface];
      const double slack = 1e-9 * set_.size;
      double off = 0, distance = DistanceTo(S, centroid);
      for (const int i : v) {
        const auto& on = carving_.vertices[i].on;
        const bool is_on = std::binary_search(on.begin(), on.end(), s.surface);
        off += is_on ? 0 : 1;
        distance += is_on ? 0 : DistanceTo(S, carving_.vertices[i].p);
      }
      const double wrong = (s.side * geometry::Value(S, inner) < -slack ? 0 : 1) +
                           (s.side * geometry::Value(S, outer) > slack ? 0 : 2);
      const double rank = (4 * off + wrong) * 100 * set_.size + std::min(distance, 50 * set_.size);
      if (rank < least) {
        least = rank;
        best = 2 * s.surface + (s.side < 0 ? 1 : 0);
      }
    }
    return best;
  }

  const SurfaceSet& set_;
  const Carving& carving_;
  std::vector<std::array<int, 4>> neighbours_;
  std::vector<Face> faces_;
  std::vector<int> first_face_;  // by tetrahedron
  std::vector<int> corner_;      // union-find over corners 3 f + i
  std::vector<int> partner_;     // of face f at its edge from corner i to the next: 3 f + i
};

}  // namespace

SurfaceMesh TakeBoundary(const SurfaceSet& set, const Carving& carving) {
  return Extraction(set, carving).Take();
}

}  // namespace intervox::host
