#include "geometry/convex_hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "geometry/box_around.h"

namespace intervox::geometry {
namespace {

/** Thinner than this share of its extent, a hull is flat. */
constexpr double kFlat = 1e-10;
/** A point this far outside, as a share of the extent, is outside. */
constexpr double kOutside = 1e-13;
/** Facets whose corners are this close to a face's plane belong to it. */
constexpr double kCoplanar = 1e-11;

struct Facet {
  std::array<int, 3> v;
  Vec3 n;  ///< unit, outward
  double d = 0;
  bool alive = true;  ///< no later point sees it
};

class HullBuilder {
 public:
  explicit HullBuilder(std::span<const Vec3> points) : p_(points) {}

  std::vector<PlaneCut> Build() {
    if (!MakeTetrahedron()) return {};
    std::vector<Candidate> outside(p_.size());
    for (int i = 0; i < static_cast<int>(p_.size()); ++i) {
      outside[i].point = i;
      Look(&outside[i], 0);
    }
    for (;;) {
      std::erase_if(outside, [this](const Candidate& c) { return c.excess <= kOutside * extent_; });
      if (outside.empty()) break;
      // Farthest first keeps facets fat.
      const auto farthest = std::max_element(
          outside.begin(), outside.end(),
          [](const Candidate& a, const Candidate& b) { return a.excess < b.excess; });
      const int point = farthest->point;
      outside.erase(farthest);
      const std::size_t first_new = facets_.size();
      Add(point);
      if (alive_ > kMostHullTriangles) throw std::length_error("ConvexHull");
      for (Candidate& c : outside) Look(&c, facets_[c.facet].alive ? first_new : 0);
      if (facets_.size() > 2 * static_cast<std::size_t>(alive_)) DropDead(&outside);
    }
    std::erase_if(facets_, [](const Facet& f) { return !f.alive; });
    return MergedFaces();
  }

 private:
  /** A point that may lie outside, and the facet from which it is farthest. */
  struct Candidate {
    int point = 0;
    double excess = 0;
    std::size_t facet = 0;
  };

  double Distance(const Facet& f, int i) const { return Dot(f.n, p_[i]) - f.d; }

  /** Compares the candidate with the facets from `first` on; from 0 it starts afresh. */
  void Look(Candidate* c, std::size_t first) const {
    if (first == 0) c->excess = -extent_;
    for (std::size_t k = first; k < facets_.size(); ++k) {
      if (!facets_[k].alive) continue;
      const double s = Distance(facets_[k], c->point);
      if (s > c->excess) c->excess = s, c->facet = k;
    }
  }

  void AddFacet(int a, int b, int c) {
    Facet f{{a, b, c}, Cross(p_[b] - p_[a], p_[c] - p_[a]), 0, true};
    const double norm = Norm(f.n);
    if (!(norm > 0)) return;  // a sliver: its neighbours' planes bound the hull
    f.n = f.n / norm;
    f.d = std::max({Dot(f.n, p_[a]), Dot(f.n, p_[b]), Dot(f.n, p_[c])});
    facets_.push_back(f);
    ++alive_;
  }

  bool MakeTetrahedron() {
    const Aabb box = BoxAround(p_);
    extent_ = Norm(box.upper - box.lower);
    if (!(extent_ > 0)) return false;
    const auto farthest = [this](auto measure) {
      int best = 0;
      double most = -1;
      for (int i = 0; i < static_cast<int>(p_.size()); ++i) {
        const double m = measure(p_[i]);
        if (m > most) most = m, best = i;
      }
      return best;
    };
    const int a = farthest([&](const Vec3& p) { return Norm(p - box.lower); });
    const int b = farthest([&](const Vec3& p) { return Norm(p - p_[a]); });
    const Vec3 ab = Normalized(p_[b] - p_[a]);
    const int c = farthest([&](const Vec3& p) { return Norm(Cross(p - p_[a], ab)); });
    const Vec3 normal = Cross(ab, p_[c] - p_[a]);
    if (!(Norm(normal) > kFlat * extent_)) return false;
    const Vec3 n = Normalized(normal);
    const int d = farthest([&](const Vec3& p) { return std::abs(Dot(n, p - p_[a])); });
    const double height = Dot(n, p_[d] - p_[a]);
    if (!(std::abs(height) > kFlat * extent_)) return false;
    const int u = height > 0 ? c : b, v = height > 0 ? b : c;  // a, u, v seen from outside
    AddFacet(a, u, v);
    AddFacet(a, v, d);
    AddFacet(v, u, d);
    AddFacet(u, a, d);
    return true;
  }

  /** Forgets the facets that are no more, in the order of the others. */
  void DropDead(std::vector<Candidate>* outside) {
    std::vector<std::size_t> place(facets_.size());
    std::size_t kept = 0;
    for (std::size_t k = 0; k < facets_.size(); ++k) {
      place[k] = kept;
      if (facets_[k].alive) facets_[kept++] = facets_[k];
    }
    facets_.resize(kept);
    for (Candidate& c : *outside) c.facet = place[c.facet];
  }

  /** Replaces the facets that see the point by a fan from their rim. */
  void Add(int point) {
    std::set<std::pair<int, int>> edges;
    for (Facet& f : facets_) {
      if (!f.alive || Distance(f, point) <= 0.5 * kOutside * extent_) continue;
      f.alive = false;
      --alive_;
      for (int k = 0; k < 3; ++k) {
        const std::pair<int, int> edge{f.v[k], f.v[(k + 1) % 3]};
        if (edges.erase({edge.second, edge.first}) == 0) edges.insert(edge);
      }
    }
    for (const auto& [from, to] : edges) AddFacet(from, to, point);
  }

  std::vector<PlaneCut> MergedFaces() {
    const auto area = [this](const Facet& f) {
      return Norm(Cross(p_[f.v[1]] - p_[f.v[0]], p_[f.v[2]] - p_[f.v[0]]));
    };
    std::stable_sort(facets_.begin(), facets_.end(),
                     [&](const Facet& a, const Facet& b) { return area(a) > area(b); });
    std::vector<PlaneCut> faces;
    for (const Facet& f : facets_) {
      const bool known = std::any_of(faces.begin(), faces.end(), [&](const PlaneCut& face) {
        return std::all_of(f.v.begin(), f.v.end(), [&](int v) {
          return std::abs(Dot(face.n, p_[v]) - face.d) <= kCoplanar * extent_;
        });
      });
      if (known) continue;
      PlaneCut face{f.n, Dot(f.n, p_[f.v[0]]), f.v[0]};
      for (int i = 0; i < static_cast<int>(p_.size()); ++i) {
        const double s = Dot(f.n, p_[i]);
        if (s > face.d) face.d = s, face.id = i;
      }
      faces.push_back(face);
    }
    return faces;
  }

  std::span<const Vec3> p_;
  std::vector<Facet> facets_;
  int alive_ = 0;  ///< facets
  double extent_ = 0;
};

}  // namespace

std::vector<PlaneCut> ConvexHull(std::span<const Vec3> points) {
  if (points.size() < 4) return {};
  return HullBuilder(points).Build();
}

}  // namespace intervox::geometry
