#include "host/mesh/carve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "geometry/box_around.h"
#include "geometry/box_tree.h"
#include "geometry/surface_eval.h"
#include "geometry/surface_ray.h"
#include "host/mesh/grid.h"

namespace intervox::host {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;

constexpr double kOnSurface = 1e-9;  // of the solid's size: a vertex this near lies on a surface
constexpr double kFlat = 0.25;       // of an edge: the sagitta up to which it lies on a surface
constexpr double kFarthest = 0.35;   // of an edge: how far its new vertex may move

/** The tetrahedra of the grid and what each has become, to be found by boxes. */
class Descendants {
 public:
  explicit Descendants(const Carving& grid) : latest_(grid.tets.Size()) {
    std::vector<geometry::Aabb> boxes;
    boxes.reserve(latest_.size());
    for (int t = 0; t < grid.tets.Size(); ++t) {
      boxes.push_back(BoxOf(grid, t));
      latest_[t] = t;
    }
    ancestor_ = latest_;
    before_.assign(latest_.size(), -1);
    tree_ = TreeOverGroups(boxes);
  }

  /** Half of a tetrahedron that was bisected has a number of its own. */
  void Add(int half, int other) {
    const auto size = static_cast<std::size_t>(other) + 1;
    if (ancestor_.size() < size) ancestor_.resize(size), before_.resize(size);
    ancestor_[other] = ancestor_[half];
    before_[other] = std::exchange(latest_[ancestor_[half]], other);
  }

  /** All that may reach into a box, ascending. */
  void Find(const geometry::Aabb& box, std::vector<int>* found) const {
    found->clear();
    tree_.Any([&](const geometry::Aabb& around) { return geometry::Overlap(around, box); },
              [&](int group) {
                const std::size_t begin = kGroup * static_cast<std::size_t>(group);
                const std::size_t end = std::min(begin + kGroup, order_.size());
                for (std::size_t k = begin; k < end; ++k) {
                  for (int t = latest_[order_[k]]; t >= 0; t = before_[t]) found->push_back(t);
                }
                return false;
              });
    std::sort(found->begin(), found->end());
  }

 private:
  static constexpr std::size_t kGroup = 32;

  /** Sorts the tetrahedra by place and makes a tree over groups of them. */
  geometry::BoxTree TreeOverGroups(const std::vector<geometry::Aabb>& boxes) {
    geometry::Aabb all = boxes.front();
    for (const geometry::Aabb& box : boxes) all = geometry::BoxAround(all, box);
    constexpr double kPlaces = 256;  // along each axis
    const Vec3 extent = all.upper - all.lower;
    std::vector<std::uint32_t> place;
    place.reserve(boxes.size());
    for (const geometry::Aabb& box : boxes) {
      std::uint32_t key = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double at = 0.5 * (box.lower[axis] + box.upper[axis]) - all.lower[axis];
        key = 256 * key + static_cast<std::uint32_t>(kPlaces * at / extent[axis] * (1 - 1e-9));
      }
      place.push_back(key);
    }
    order_ = latest_;
    std::sort(order_.begin(), order_.end(),
              [&](int a, int b) { return std::pair(place[a], a) < std::pair(place[b], b); });
    std::vector<geometry::Aabb> groups;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const geometry::Aabb& box = boxes[order_[k]];
      const Vec3 room = box.upper - box.lower;  // new vertices may move out of it by a part of that
      const geometry::Aabb around{box.lower - room, box.upper + room};
      if (k % kGroup == 0) groups.push_back(around);
      groups.back() = geometry::BoxAround(groups.back(), around);
    }
    return geometry::BoxTree(groups);
  }

  std::vector<int> order_;     // the grid's tetrahedra by place
  geometry::BoxTree tree_;     // over groups of them, with room around
  std::vector<int> latest_;    // by tetrahedron of the grid: its youngest descendant
  std::vector<int> ancestor_;  // by tetrahedron
  std::vector<int> before_;    // by tetrahedron: the next older one of its ancestor; -1: none
};

/** Cuts the tetrahedra along one cell after the other. */
class Carver {
 public:
  Carver(const SurfaceSet& set, Carving* carving)
      : set_(set), carving_(*carving), descendants_(*carving) {}

  void CutCell(int cell) {
    FindCandidates(cell);
    for (const SurfaceSide& s : set_.cells[cell]) {
      std::erase_if(candidates_, [&](int t) { return IsOutside(t); });
      done_.push_back(s);
      CutSurface(s.surface);
    }
    for (const int t : candidates_) {
      if (carving_.tets[t].tag < 0 && IsInside(t, cell)) carving_.tets.Tag(t, cell);
      is_candidate_[t] = false;
    }
  }

 private:
  /** −1, 0 or 1: the sign of f at a vertex. What is 0 is remembered. */
  int Sign(int vertex, int surface) {
    MeshVertex& v = carving_.vertices[vertex];
    const auto at = std::lower_bound(v.on.begin(), v.on.end(), surface);
    if (at != v.on.end() && *at == surface) return 0;
    const geometry::Surface& S = set_.surfaces[surface];
    const double f = geometry::Value(S, v.p);
    if (std::fabs(f) <= kOnSurface * set_.size * Norm(geometry::Gradient(S, v.p))) {
      v.on.insert(at, surface);
      return 0;
    }
    return f > 0 ? 1 : -1;
  }

  void FindCandidates(int cell) {
    done_.clear();
    is_candidate_.resize(carving_.tets.Size(), false);
    const geometry::Aabb& box = set_.boxes[cell];
    descendants_.Find(box, &candidates_);
    std::erase_if(candidates_, [&](int t) {
      return carving_.tets[t].tag >= 0 || !geometry::Overlap(BoxOf(carving_, t), box);
    });
    for (const int t : candidates_) is_candidate_[t] = true;
  }

  /** Some surface that has been cut keeps none of the tetrahedron. */
  bool IsOutside(int t) {
    for (const SurfaceSide& s : done_) {
      int most = -1, least = 1;
      for (const int v : carving_.tets[t].v) {
        const int sign = s.side * Sign(v, s.surface);
        most = std::max(most, sign);
        least = std::min(least, sign);
      }
      if (least >= 0 && most > 0) {
        is_candidate_[t] = false;
        return true;
      }
    }
    return false;
  }

  /** Each surface keeps all of it. Where all vertices are on a surface, or where they are on both
   sides because a vertex could not be moved onto it, the centroid tells: so of two cells on its two
   sides exactly one has the tetrahedron. */
  bool IsInside(int t, int cell) {
    Vec3 centroid;
    for (const int v : carving_.tets[t].v) centroid += 0.25 * carving_.vertices[v].p;
    for (const SurfaceSide& s : set_.cells[cell]) {
      int most = -1, least = 1;
      for (const int v : carving_.tets[t].v) {
        const int sign = s.side * Sign(v, s.surface);
        most = std::max(most, sign);
        least = std::min(least, sign);
      }
      const bool decided = (most > 0) != (least < 0);
      if (decided ? most > 0 : s.side * geometry::Value(set_.surfaces[s.surface], centroid) > 0) {
        return false;
      }
    }
    return true;
  }

  void CutSurface(int surface) {
    std::vector<int> work = candidates_;
    while (!work.empty()) {
      const int t = work.back();
      const auto v = carving_.tets[t].v;
      int above = -1, below = -1;
      for (const int i : v) {
        const int sign = Sign(i, surface);
        if (sign > 0) above = i;
        if (sign < 0) below = i;
      }
      if (above < 0 || below < 0) {
        work.pop_back();
        continue;
      }
      const auto [a, b] = std::minmax(above, below);
      const int p = static_cast<int>(carving_.vertices.size());
      carving_.vertices.push_back(Crossing(a, b, surface));
      carving_.tets.Bisect(a, b, p, &born_);
      is_candidate_.resize(carving_.tets.Size(), false);
      for (const auto& [half, other] : born_) {
        descendants_.Add(half, other);
        is_candidate_[other] = is_candidate_[half];
        if (!is_candidate_[half]) continue;
        candidates_.push_back(other);
        work.push_back(half);
        work.push_back(other);
      }
      RequireRoom(carving_);
    }
  }

  /** Where the edge crosses a surface, on all surfaces that the edge lies on. */
  MeshVertex Crossing(int a, int b, int surface) {
    const MeshVertex& va = carving_.vertices[a];
    const MeshVertex& vb = carving_.vertices[b];
    const Vec3 d = vb.p - va.p;
    const double length = Norm(d);
    const Surface& S = set_.surfaces[surface];
    const auto f = [&](double t) { return geometry::Value(S, va.p + t * d); };
    const double t = geometry::internal::BracketedRoot(f, 0, 1, f(0), f(1));
    MeshVertex crossing{va.p + t * d, {}};
    std::set_intersection(va.on.begin(), va.on.end(), vb.on.begin(), vb.on.end(),
                          std::back_inserter(crossing.on));
    const Vec3 middle = va.p + 0.5 * d;
    std::erase_if(crossing.on, [&](int k) {
      return set_.surfaces[k].kind != SurfaceKind::kPlane &&
             DistanceTo(set_.surfaces[k], middle) > kFlat * length;
    });
    const auto at = std::lower_bound(crossing.on.begin(), crossing.on.end(), surface);
    crossing.on.insert(at, surface);
    Vec3 p = crossing.p;
    if (MoveOnto(set_, crossing.on, &p) && Norm(p - crossing.p) <= kFarthest * length) {
      crossing.p = p;
    } else {
      crossing.on = {surface};
    }
    return crossing;
  }

  const SurfaceSet& set_;
  Carving& carving_;
  Descendants descendants_;
  std::vector<int> candidates_;
  std::vector<bool> is_candidate_;
  std::vector<SurfaceSide> done_;
  std::vector<std::pair<int, int>> born_;
};

/** Gives cells the slivers that none of them took: tetrahedra between cells whose centroid and
 vertices lie in the solid. Where a vertex could not be moved onto a surface they are on both sides.
 */
void FillSlivers(const SurfaceSet& set, Carving* carving) {
  std::vector<int> near;
  const auto cell_at = [&](const Vec3& p) {
    const auto holds = [&](int c) {
      return std::all_of(set.cells[c].begin(), set.cells[c].end(), [&](const SurfaceSide& s) {
        const Surface& S = set.surfaces[s.surface];
        return s.side * geometry::Value(S, p) <=
               kOnSurface * set.size * Norm(geometry::Gradient(S, p));
      });
    };
    const auto found = std::find_if(near.begin(), near.end(), holds);
    return found == near.end() ? -1 : *found;
  };
  for (int t = 0; t < carving->tets.Size(); ++t) {
    if (!carving->tets[t].alive || carving->tets[t].tag >= 0) continue;
    near.clear();
    Vec3 centroid;
    for (const int v : carving->tets[t].v) {
      centroid += 0.25 * carving->vertices[v].p;
      for (const int s : carving->tets.Star(v)) {
        const int tag = carving->tets[s].tag;
        if (tag >= 0 && std::find(near.begin(), near.end(), tag) == near.end()) near.push_back(tag);
      }
    }
    const int cell = near.empty() ? -1 : cell_at(centroid);
    const auto& v = carving->tets[t].v;
    if (cell >= 0 && std::all_of(v.begin(), v.end(),
                                 [&](int i) { return cell_at(carving->vertices[i].p) >= 0; })) {
      carving->tets.Tag(t, cell);
    }
  }
}

}  // namespace

Carving Carve(const SurfaceSet& set, double deviation, const Told& told) {
  constexpr double kMade = 0.4;  // of the time, for the grid of a solid of many cells
  Carving carving = MakeGrid(set, deviation, PartOf(told, 0, kMade));
  {
    const Told cutting = PartOf(told, kMade, 1);
    Carver carver(set, &carving);
    const auto count = static_cast<int>(set.cells.size());
    for (int c = 0; c < count; ++c) {
      carver.CutCell(c);
      Tell(cutting, (c + 1.0) / count);
    }
  }
  FillSlivers(set, &carving);
  return carving;
}

}  // namespace intervox::host
