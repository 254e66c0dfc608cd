#include "host/mesh/grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "geometry/box_around.h"
#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

using geometry::Aabb;
using geometry::Restriction;
using geometry::Surface;
using geometry::SurfaceKind;

constexpr int kMostTets = 12'000'000;  // about 2 GiB
constexpr int kManyTets = 1'500'000;   // of a grid; each becomes four or five when it is cut
// The longest edge, of the radius of curvature. A grid of too many tetrahedra is made anew with the
// second one, which is still shorter than a hole is wide.
constexpr double kChord = 0.8, kLongChord = 1.2;
constexpr double kFinest = 1e-5;    // of the solid's size: radii below occur at apexes only
constexpr int kTellEvery = 256;     // tetrahedra
constexpr std::size_t kCells = 12;  // of one tetrahedron, where smaller ones have fewer

/** The cells that reach into a tetrahedron. */
using CellList = std::vector<int>;

/** The smallest radius of curvature of a surface near a tetrahedron [m]; a lower bound by the
 surface's kind keeps it from 0 off the surface. */
double Radius(const Surface& S, const Carving& carving, int t, double size) {
  if (S.kind == SurfaceKind::kTorus) return S.e.y;
  const double bend = 2 * std::max({std::fabs(S.e.x), std::fabs(S.e.y), std::fabs(S.e.z)});
  double least = kFinest * size;
  if (S.kind == SurfaceKind::kCylinder) return std::sqrt(-S.c / S.e.x);
  if (S.kind == SurfaceKind::kEllipsoid) {
    const double low = std::min({S.e.x, S.e.y, S.e.z});
    least = std::sqrt(-S.c * low) / (0.5 * bend);  // b²/a of the longest and shortest semi-axes
  }
  double radius = std::numeric_limits<double>::infinity();
  Vec3 centroid;
  for (const int i : carving.tets[t].v) {
    const Vec3& p = carving.vertices[i].p;
    centroid += 0.25 * p;
    radius = std::min(radius, Norm(geometry::Gradient(S, p)) / bend);
  }
  return std::max(least, std::min(radius, Norm(geometry::Gradient(S, centroid)) / bend));
}

double Length(const Carving& carving, int a, int b) {
  return Norm(carving.vertices[a].p - carving.vertices[b].p);
}

/** The longest edge of a tetrahedron; of equal ones that of the lowest vertices, so that all
 tetrahedra around an edge agree. */
std::pair<int, int> LongestEdge(const Carving& carving, int t) {
  std::pair<int, int> longest{-1, -1};
  double most = -1;
  const auto& v = carving.tets[t].v;
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) {
      const std::pair<int, int> edge = std::minmax(v[i], v[j]);
      const double length = Length(carving, edge.first, edge.second);
      const double slack = 1e-9 * most;
      if (length > most + slack || (length > most - slack && edge < longest)) {
        most = length;
        longest = edge;
      }
    }
  }
  return longest;
}

/** Drops the cells that do not reach into the tetrahedron; says whether it is too coarse. */
bool TooCoarse(const SurfaceSet& set, double deviation, double chord, const Carving& carving, int t,
               CellList* list) {
  const Aabb box = BoxOf(carving, t);
  const Vec3 center = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
  const auto [a, b] = LongestEdge(carving, t);
  const double edge = Length(carving, a, b);
  bool coarse = false;
  double smallest = std::numeric_limits<double>::infinity();
  std::erase_if(*list, [&](int c) {
    if (!geometry::Overlap(box, set.boxes[c])) return true;
    double radius = std::numeric_limits<double>::infinity();
    int active = 0;
    for (const SurfaceSide& s : set.cells[c]) {
      Surface S = set.surfaces[s.surface];
      S.side = static_cast<std::int8_t>(s.side);
      const Restriction r = geometry::Restrict(S, center, Mat3::Identity(), half);
      if (r == Restriction::kOutside) return true;
      if (r != Restriction::kActive) continue;
      ++active;
      if (S.kind != SurfaceKind::kPlane) radius = std::min(radius, Radius(S, carving, t, set.size));
    }
    // The sagitta of a chord is its square over eight radii.
    const bool bends =
        edge > chord * radius || (active > 1 && edge * edge > 8 * radius * deviation);
    coarse = coarse || bends;
    smallest = std::min(smallest, Norm(set.boxes[c].upper - set.boxes[c].lower));
    return false;
  });
  if (list->capacity() > 2 * list->size()) list->shrink_to_fit();  // most lists become short
  return coarse || (list->size() > kCells && edge > smallest);
}

/** A cube of six tetrahedra around the solid, off its planes of symmetry. */
Carving Cube(const SurfaceSet& set) {
  Aabb all = set.boxes.front();
  for (const Aabb& box : set.boxes) all = geometry::BoxAround(all, box);
  const Vec3 extent = all.upper - all.lower;
  const double edge = 1.1307 * std::max({extent.x, extent.y, extent.z});
  const Vec3 low = 0.5 * (all.lower + all.upper) - edge * Vec3{0.4871, 0.5093, 0.4957};
  Carving carving;
  for (int k = 0; k < 8; ++k) {
    carving.vertices.push_back(
        {low + edge * Vec3{double(k & 1), double((k >> 1) & 1), double((k >> 2) & 1)}, {}});
  }
  carving.tets.Reserve(8);
  const int orders[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  for (const auto& o : orders) carving.tets.Add({0, o[0], o[1], 7}, -1);
  return carving;
}

/** The volume of a tetrahedron [m³]. */
double VolumeOf(const Carving& carving, int t) {
  const auto& v = carving.tets[t].v;
  const auto p = [&](int k) { return carving.vertices[v[k]].p; };
  return std::fabs(Dot(p(1) - p(0), Cross(p(2) - p(0), p(3) - p(0)))) / 6;
}

/** The volume of all tetrahedra [m³]. */
double VolumeOf(const Carving& carving) {
  double sum = 0;
  for (int t = 0; t < carving.tets.Size(); ++t) sum += VolumeOf(carving, t);
  return sum;
}

/** Moves the neighbour of a vertex that is nearest to a direction from it into that direction. */
void PlaceOnAxis(int vertex, const Vec3& direction, Carving* carving) {
  const Vec3 p = carving->vertices[vertex].p;
  int best = -1;
  double most = 0;
  for (const int t : carving->tets.Star(vertex)) {
    for (const int v : carving->tets[t].v) {
      const Vec3 d = carving->vertices[v].p - p;
      if (v == vertex || !carving->vertices[v].on.empty()) continue;
      if (Dot(d, direction) > most * Norm(d)) most = Dot(d, direction) / Norm(d), best = v;
    }
  }
  if (best < 0) return;
  Vec3& q = carving->vertices[best].p;
  q = p + Norm(q - p) * direction;
}

/** Moves the nearest vertex onto each apex of a cone that lies on the solid, and a neighbour of it
 onto the axis: between them the tip is seen however narrow it is. */
void PlaceApexes(const SurfaceSet& set, Carving* carving) {
  for (std::size_t k = 0; k < set.surfaces.size(); ++k) {
    const Surface& S = set.surfaces[k];
    if (S.kind != SurfaceKind::kCone) continue;
    const double slack = 1e-9 * set.size;
    const bool shows = std::any_of(set.cells.begin(), set.cells.end(), [&](const auto& cell) {
      return std::any_of(cell.begin(), cell.end(),
                         [&](const auto& s) { return s.surface == static_cast<int>(k); }) &&
             std::all_of(cell.begin(), cell.end(), [&](const auto& s) {
               return s.side * geometry::Value(set.surfaces[s.surface], S.o) <= slack;
             });
    });
    if (!shows) continue;
    const bool is_there =
        std::any_of(carving->vertices.begin(), carving->vertices.end(),
                    [&](const MeshVertex& v) { return !v.on.empty() && Norm(v.p - S.o) <= slack; });
    if (is_there) continue;
    auto nearest = carving->vertices.begin();
    for (auto v = nearest; v != carving->vertices.end(); ++v) {
      if (v->on.empty() && SquaredNorm(v->p - S.o) < SquaredNorm(nearest->p - S.o)) nearest = v;
    }
    nearest->p = S.o;
    for (std::size_t i = 0; i < set.surfaces.size(); ++i) {
      if (std::fabs(geometry::Value(set.surfaces[i], S.o)) <= slack) {
        nearest->on.push_back(static_cast<int>(i));
      }
    }
    const auto apex = static_cast<int>(nearest - carving->vertices.begin());
    PlaceOnAxis(apex, S.R.Col(2), carving);
  }
}

/** Refines a cube as MakeGrid does; stops where it has more than `most` tetrahedra. */
Carving Refined(const SurfaceSet& set, double deviation, double chord, int most, const Told& told) {
  Carving carving = Cube(set);
  const double all_volume = VolumeOf(carving);
  double done = 0;  // volume of what is fine enough
  int steps = 0;
  CellList all(set.cells.size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int>(c);
  std::vector<CellList> lists(carving.tets.Size(), all);
  std::vector<int> work(carving.tets.Size());
  for (std::size_t t = 0; t < work.size(); ++t) work[t] = static_cast<int>(t);
  std::vector<std::pair<int, int>> born;
  while (!work.empty() && carving.tets.Alive() <= most) {
    const int t = work.back();
    if (!TooCoarse(set, deviation, chord, carving, t, &lists[t])) {
      work.pop_back();
      done += VolumeOf(carving, t);
      if (++steps % kTellEvery == 0) Tell(told, std::min(1.0, done / all_volume));
      continue;
    }
    // The edge is bisected where it is the longest of all tetrahedra around it; else the longest of
    // those goes first.
    auto edge = LongestEdge(carving, t);
    for (bool grew = true; grew;) {
      grew = false;
      for (const int s : carving.tets.Around(edge.first, edge.second)) {
        const auto other = LongestEdge(carving, s);
        if (other == edge) continue;
        edge = other;
        grew = true;
        break;
      }
    }
    const int p = static_cast<int>(carving.vertices.size());
    carving.vertices.push_back(
        {0.5 * (carving.vertices[edge.first].p + carving.vertices[edge.second].p), {}});
    carving.tets.Bisect(edge.first, edge.second, p, &born);
    lists.resize(carving.tets.Size());
    for (const auto& [half, other] : born) {
      lists[other] = lists[half];
      work.push_back(other);
      work.push_back(half);
    }
  }
  return carving;
}

}  // namespace

Aabb BoxOf(const Carving& carving, int t) {
  const auto p = [&](int k) { return carving.vertices[carving.tets[t].v[k]].p; };
  return geometry::BoxAround(std::array{p(0), p(1), p(2), p(3)});
}

void RequireRoom(const Carving& carving) {
  if (carving.tets.Alive() <= kMostTets) return;
  throw std::invalid_argument("its triangles need more than " + std::to_string(kMostTets) +
                              " tetrahedra. Write its parts one by one.");
}

Carving MakeGrid(const SurfaceSet& set, double deviation, const Told& told) {
  Carving carving = Refined(set, deviation, kChord, kManyTets, PartOf(told, 0, 0.5));
  if (carving.tets.Alive() > kManyTets) {
    carving = {};
    carving = Refined(set, deviation, kLongChord, kMostTets, PartOf(told, 0.5, 1));
  }
  RequireRoom(carving);
  PlaceApexes(set, &carving);
  return carving;
}

}  // namespace intervox::host
