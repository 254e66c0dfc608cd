#include "host/contact/finder/repeated_points.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "geometry/faces.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

using geometry::Cell;
using geometry::Surface;

/** Share of a part's size within which points lie on its surfaces. */
constexpr double kOnSurface = 1e-7;
/** Of a point's stiffness below which it is left out. */
constexpr double kLeastShare = 1e-6;
/** The square of the sine below which directions are one. */
constexpr double kSameDirection = 1e-14;
/** The cosine of 60°: a way out nearer than that to a face's normal leads through the face. */
constexpr double kThrough = 0.5;

/** A point seen from one body, in its frame. */
struct Seen {
  const Cell* cell = nullptr;
  int index = 0;         ///< of the cell
  Vec3 p;                ///< the body's own witness point
  Vec3 p_other;          ///< the other's
  Vec3 n;                ///< out of the body
  double depth = 0.0;    ///< [m]
  bool covered = false;  ///< its face lies within a larger one of another part
};

/** A point seen from both bodies. */
struct SeenPoint {
  Seen i, j;
};

double RoomOf(const Cell& cell) { return kOnSurface * geometry::SizeOf(cell); }

/** The surfaces of a cell that a point lies on. */
std::vector<const Surface*> SurfacesAt(const Cell& cell, const Vec3& p) {
  std::vector<const Surface*> out;
  for (const Surface& S : cell.surfaces) {
    if (geometry::Level(S, p) > -RoomOf(cell)) out.push_back(&S);
  }
  return out;
}

Vec3 OutOf(const Surface& plane) { return static_cast<double>(plane.side) * plane.PlaneNormal(); }

bool AreParallel(const Vec3& m, const Vec3& n) {
  return Dot(m, n) > 0.0 && SquaredNorm(Cross(m, n)) < kSameDirection;
}

bool Has(const std::vector<const Surface*>& surfaces, const Vec3& n) {
  return std::any_of(surfaces.begin(), surfaces.end(),
                     [&](const Surface* S) { return AreParallel(OutOf(*S), n); });
}

/** The one of the surfaces whose normal is nearest to a direction; null where there is none. */
const Surface* FaceAlong(const std::vector<const Surface*>& surfaces, const Vec3& n) {
  const auto along = [&](const Surface* S) { return Dot(OutOf(*S), n); };
  const auto best =
      std::max_element(surfaces.begin(), surfaces.end(),
                       [&](const Surface* S, const Surface* T) { return along(S) < along(T); });
  return best == surfaces.end() ? nullptr : *best;
}

/** Whether all corners of a part's face lie in a cell. */
bool HoldsFace(const Cell& cell, const Cell& part, const Surface& face) {
  return std::all_of(part.faces.begin(), part.faces.end(), [&](const geometry::FacePolygon& of) {
    return &part.surfaces[static_cast<std::size_t>(of.surface)] != &face ||
           std::all_of(of.p_C.begin(), of.p_C.end(),
                       [&](const Vec3& p) { return geometry::Level(cell, p) <= RoomOf(cell); });
  });
}

Seen SeenFrom(bool from_i, const BodyCells& cells, const Pose& X, const ActivePair& active) {
  const double x = -active.metrics.volume, sign = from_i ? 1.0 : -1.0;
  const Vec3 n = active.metrics.area_vector;
  Seen seen;
  seen.index = from_i ? active.a : active.b;
  seen.cell = &cells.cells[static_cast<std::size_t>(seen.index)];
  seen.p = TransposeTimes(X.R, active.metrics.p_WC + 0.5 * sign * x * n - X.p);
  seen.p_other = TransposeTimes(X.R, active.metrics.p_WC - 0.5 * sign * x * n - X.p);
  seen.n = TransposeTimes(X.R, -sign * n);
  seen.depth = -x;
  if (!cells.overlap) return seen;
  const Surface* face = FaceAlong(SurfacesAt(*seen.cell, seen.p), seen.n);
  seen.covered =
      face != nullptr && std::any_of(cells.cells.begin(), cells.cells.end(), [&](const Cell& part) {
        return &part != seen.cell && HoldsFace(part, *seen.cell, *face);
      });
  return seen;
}

SeenPoint SeenFromBoth(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                       const ActivePair& point) {
  return {SeenFrom(true, *pair.cells_i, X_WI, point), SeenFrom(false, *pair.cells_j, X_WJ, point)};
}

/** Whether two pairs of cells have the same point. */
bool IsSame(const SeenPoint& k, const SeenPoint& l) {
  const double room = std::min(RoomOf(*k.i.cell), RoomOf(*k.j.cell));
  return Norm(k.i.p - l.i.p) <= room && std::fabs(k.i.depth - l.i.depth) <= room &&
         AreParallel(k.i.n, l.i.n);
}

/** The cells of a body that hold a point, in its frame. */
std::vector<int> CellsAt(const BodyCells& cells, const Vec3& p) {
  std::vector<int> out;
  for (std::size_t c = 0; c < cells.cells.size(); ++c) {
    if (geometry::Level(cells.cells[c], p) <= RoomOf(cells.cells[c])) {
      out.push_back(static_cast<int>(c));
    }
  }
  return out;
}

/** What is left of the depth of a point in its part, in shares of it, once the other body has gone
 the way out of another part that holds the other's witness, too. */
double LeftBy(const Seen& other, const Seen& point) {
  const double room = std::min(RoomOf(*point.cell), RoomOf(*other.cell));
  if (geometry::Level(*other.cell, point.p_other) > room) return 1.0;
  const double before = -geometry::Level(*point.cell, point.p_other);
  if (!(before > 0.0)) return 1.0;
  const double after = -geometry::Level(*point.cell, point.p_other + other.depth * other.n);
  return std::clamp(after / before, 0.0, 1.0);
}

/** The share of its stiffness that a point of one part of a body keeps beside one of another part.
 */
double ShareBeside(const Seen& point, const Seen& other) {
  if (geometry::Level(*other.cell, point.p) <= RoomOf(*other.cell)) {
    const std::vector<const Surface*> own = SurfacesAt(*point.cell, point.p),
                                      others = SurfacesAt(*other.cell, point.p);
    // A corner or an edge of the part where the other one goes on, or its face in a larger one.
    const bool ends = others.size() < own.size() &&
                      std::all_of(others.begin(), others.end(),
                                  [&](const Surface* S) { return Has(own, OutOf(*S)); }) &&
                      std::any_of(others.begin(), others.end(), [&](const Surface* S) {
                        return Dot(OutOf(*S), other.n) > kThrough;
                      });
    if (ends) return 0.0;
    const Surface* face = FaceAlong(own, point.n);
    if (face != nullptr && Has(others, OutOf(*face))) {
      if (!(Dot(OutOf(*face), other.n) > kThrough) || !HoldsFace(*other.cell, *point.cell, *face)) {
        return 1.0;
      }
      const bool same = HoldsFace(*point.cell, *other.cell, *FaceAlong(others, OutOf(*face)));
      return same && point.index < other.index ? 1.0 : 0.0;
    }
  }
  // The shorter way counts by as much as it takes out of both, too.
  const bool shorter = std::tuple(point.depth, point.index) < std::tuple(other.depth, other.index);
  const double left = LeftBy(other, point);
  return shorter ? std::max(left, 1.0 - LeftBy(point, other)) : left;
}

}  // namespace

void LeaveOutRepeated(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                      std::span<ActivePair> active) {
  thread_local std::vector<SeenPoint> seen;
  thread_local std::vector<double> share;
  seen.clear();
  for (const ActivePair& point : active) seen.push_back(SeenFromBoth(pair, X_WI, X_WJ, point));
  const auto rank = [&](std::size_t k) {
    const auto& [i, j] = seen[k];
    return std::tuple(static_cast<int>(i.covered) + static_cast<int>(j.covered), i.index, j.index);
  };
  share.assign(active.size(), 1.0);
  for (std::size_t k = 0; k < active.size(); ++k) {
    for (std::size_t l = 0; l < active.size(); ++l) {
      const bool differ_i = pair.cells_i->overlap && seen[k].i.index != seen[l].i.index,
                 differ_j = pair.cells_j->overlap && seen[k].j.index != seen[l].j.index;
      if (!differ_i && !differ_j) continue;
      if (IsSame(seen[k], seen[l])) {
        if (rank(l) < rank(k)) share[k] = 0.0;
        continue;
      }
      if (differ_i) share[k] = std::min(share[k], ShareBeside(seen[k].i, seen[l].i));
      if (differ_j) share[k] = std::min(share[k], ShareBeside(seen[k].j, seen[l].j));
    }
  }
  for (std::size_t k = 0; k < active.size(); ++k) {
    active[k].weight *= share[k];
    if (!(share[k] > kLeastShare)) active[k].i = -1;
  }
}

void LeaveOutOnCuts(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                    std::span<ActivePair> active) {
  thread_local std::vector<SeenPoint> seen;
  seen.clear();
  for (const ActivePair& point : active) seen.push_back(SeenFromBoth(pair, X_WI, X_WJ, point));
  for (std::size_t k = 0; k < active.size(); ++k) {
    const auto has = [&](int a, int b) {
      return std::any_of(seen.begin(), seen.end(), [&](const SeenPoint& other) {
        return other.i.index == a && other.j.index == b && IsSame(seen[k], other);
      });
    };
    const bool is_first =
        std::none_of(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(k),
                     [&](const SeenPoint& before) { return IsSame(before, seen[k]); });
    const std::vector<int> of_i = CellsAt(*pair.cells_i, seen[k].i.p),
                           of_j = CellsAt(*pair.cells_j, seen[k].j.p);
    const bool all = std::all_of(of_i.begin(), of_i.end(), [&](int a) {
      return std::all_of(of_j.begin(), of_j.end(), [&](int b) { return has(a, b); });
    });
    if (!(is_first && all && of_i.size() + of_j.size() > 2)) active[k].i = -1;
  }
}

}  // namespace intervox::host
