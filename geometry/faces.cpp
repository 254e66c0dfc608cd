#include "geometry/faces.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "geometry/box_around.h"
#include "geometry/enclose.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

/** Boxes looked at when faces are compared. */
constexpr int kFaceBudget = 4000;
/** A point this deep, as a share of the size, proves what it shows: no search can tell otherwise.
 */
constexpr double kClear = 1e-7;
/** How near its end a point towards a corner of a box or a polygon lies. */
constexpr double kNearCorner = 0.9;

std::vector<Surface> Without(const Cell& cell, std::size_t i) {
  std::vector<Surface> rest = cell.surfaces;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
  return rest;
}

Aabb BoxOf(const Cell& cell) { return BoundsInPose(cell, Pose::Identity()); }

/** A box around the cell with room to spare, never flat; infinite where the cell is. */
Aabb RoomAround(const Cell& cell) {
  constexpr double kRoom = 0.1;
  const Aabb box = BoxOf(cell);
  const double room = kRoom * SizeOf(cell);
  return {box.lower - Vec3{room, room, room}, box.upper + Vec3{room, room, room}};
}

/** The polygon of a plane face, which the curved surfaces of the cell may cut further; null where
 the cell has none. */
const FacePolygon* PolygonOf(const Cell& cell, std::size_t i) {
  const auto face = std::find_if(cell.faces.begin(), cell.faces.end(), [i](const FacePolygon& f) {
    return f.surface == static_cast<int>(i);
  });
  return face != cell.faces.end() && cell.bounded ? &*face : nullptr;
}

/** Whether the point is deeper than `depth` inside all surfaces of the cell but one. */
bool IsInside(const Cell& cell, std::size_t but, const Vec3& p, double depth) {
  for (std::size_t k = 0; k < cell.surfaces.size(); ++k) {
    if (k != but && !(Level(cell.surfaces[k], p) < -depth)) return false;
  }
  return true;
}

/** Whether one of some points of a curved surface passes the test: points near the middle, the
 faces and the corners of a box. */
template <class Test>
bool AnyNear(const Surface& S, const OrientedBox& box, Test test) {
  constexpr double kPlaces[][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                   {0, 0, 1},   {0, 0, -1}, {1, 1, 1},   {1, 1, -1},  {1, -1, 1},
                                   {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
  const double close = 1e-12 * Norm(box.half);
  if (!std::isfinite(close)) return false;
  return std::any_of(std::begin(kPlaces), std::end(kPlaces), [&](const auto& at) {
    const Vec3 along = Scaled({at[0], at[1], at[2]}, kNearCorner * box.half);
    const Vec3 p = PulledOnto(S, box.X * along);
    return std::abs(Value(S, p)) <= close && test(p);
  });
}

/** Whether one of some points of a polygon passes the test: its middle, and points towards its
 corners and the middles of its edges. */
template <class Test>
bool AnyWithin(const std::vector<Vec3>& polygon, Test test) {
  const Vec3 middle = Mean(polygon);
  if (test(middle)) return true;
  for (const double share : {0.5, kNearCorner}) {
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const Vec3 corner = middle + share * (polygon[k] - middle);
      const Vec3 next = middle + share * (polygon[(k + 1) % polygon.size()] - middle);
      if (test(corner) || test(0.5 * (corner + next))) return true;
    }
  }
  return false;
}

/** No point of the polygon is farther than `touching` beyond t: by its vertices where t's kept side
 is convex, else by bounds over the box around them. */
bool AllSatisfy(std::span<const Vec3> polygon, const Surface& t, double touching) {
  if (KeepsConvex(t)) {
    return std::all_of(polygon.begin(), polygon.end(),
                       [&](const Vec3& p) { return Level(t, p) <= touching; });
  }
  const Aabb box = BoxAround(polygon);
  const Bounds f = BoundsOverBox(t, 0.5 * (box.lower + box.upper), Mat3::Identity(),
                                 0.5 * (box.upper - box.lower));
  return (t.side > 0 ? f.hi : -f.lo) <= touching;
}

/** Whether t is a plane of which a side, 1 or −1, holds the cell's bounds. */
bool HoldsBounds(const Surface& t, int side, const Cell& A, double touching) {
  if (t.kind != SurfaceKind::kPlane || !A.bounded) return false;
  const Bounds f = BoundsOverBox(t, A.bounds.X.p, A.bounds.X.R, A.bounds.half);
  return (side > 0 ? f.hi : -f.lo) <= touching;
}

/** Whether a plane of A other than `but` leaves B's bounds no deeper in A than `depth`. */
bool HoldsApart(const Cell& A, std::size_t but, const Cell& B, double depth) {
  for (std::size_t k = 0; k < A.surfaces.size(); ++k) {
    const Surface& S = A.surfaces[k];
    if (k != but && HoldsBounds(S, -S.side, B, depth)) return true;
  }
  return false;
}

/** The hull of a cell's surfaces, made when it is first needed. */
using LazyHull = std::optional<EnclosingPolytope>;

/** Whether that follows for a face of revolution from the surfaces about its axis alone. */
bool ProfileSatisfies(const Cell& A, std::size_t i, const Surface& t, double touching) {
  const Surface& S = A.surfaces[i];
  const Vec3 axis = S.R.Col(2);
  const double size = Norm(A.bounds.X.p - S.o) + Norm(A.bounds.half);
  const auto turns = [&](const Surface& s) { return TurnsAbout(s, S.o, axis, size); };
  if (S.kind == SurfaceKind::kPlane || !turns(S) || !turns(t)) return false;
  std::vector<Surface> outside{Complement(t)};
  for (std::size_t k = 0; k < A.surfaces.size(); ++k) {
    if (k != i && turns(A.surfaces[k])) outside.push_back(A.surfaces[k]);
  }
  return FindOnProfile(S, outside, RoomAround(A), touching, kFaceBudget).verdict ==
         Interior::kEmpty;
}

/** The whole of face i of A satisfies the surface t of the cell on its other side. */
bool FaceSatisfies(const Cell& A, std::size_t i, const Surface& t, double size, LazyHull* hull) {
  const Surface& S = A.surfaces[i];
  const double touching = kTouchingDepth * size;
  const FacePolygon* const polygon = PolygonOf(A, i);
  if (polygon != nullptr) {
    const bool all = AllSatisfy(polygon->p_C, t, touching);
    if (all || (A.polytope && KeepsConvex(t))) return all;
  }
  for (std::size_t k = 0; k < A.surfaces.size(); ++k) {
    if (k == i) continue;
    const Surface& s = A.surfaces[k];
    if (Coincide(s, t, A.bounds.X.p, size) == Coincidence::kSame) return true;
    if (S.kind == SurfaceKind::kPlane && SameOnPlane(s, t, S, size)) return true;
  }
  if (S.kind == SurfaceKind::kPlane && KeepsConvex(t) && A.bounded) {
    const double clear = kClear * size;
    const auto beyond = [&](const Vec3& p) {
      return Level(t, p) > clear && IsInside(A, i, p, clear);
    };
    if (!*hull && polygon != nullptr && AnyWithin(polygon->p_C, beyond)) return false;
    if (!*hull) *hull = EncloseWithin(A.surfaces, BoxOf(A));
    const PolytopeFace* face = FindFace(**hull, static_cast<int>(i));
    if (face != nullptr) return AllSatisfy((*hull)->polytope.Corners(*face), t, touching);
  }
  if (S.kind != SurfaceKind::kPlane && HoldsBounds(t, t.side, A, 0.5 * touching)) return true;
  if (A.bounded && ProfileSatisfies(A, i, t, touching)) return true;
  std::vector<Surface> outside = Without(A, i);
  outside.push_back(Complement(t));
  return FindOnSurface(S, outside, RoomAround(A), touching, kFaceBudget).verdict ==
         Interior::kEmpty;
}

}  // namespace

bool KeepsConvex(const Surface& S) {
  return S.kind == SurfaceKind::kPlane ||
         (S.side > 0 && (S.kind == SurfaceKind::kEllipsoid || S.kind == SurfaceKind::kCylinder ||
                         S.kind == SurfaceKind::kCone));
}

double SizeOf(const Cell& cell) {
  return cell.bounded ? Norm(cell.bounds.half) : LengthScale(cell.surfaces);
}

bool Touches(const Cell& cell, const Vec3& p) {
  return Level(cell, p) <= kTouchingDepth * SizeOf(cell);
}

bool FaceWithin(const Cell& A, std::size_t i, const Cell& B, std::size_t j, double size) {
  const double clear = kClear * size;
  const auto reaches_out = [&](const Vec3& p) {
    if (!IsInside(A, i, p, clear)) return false;
    for (std::size_t k = 0; k < B.surfaces.size(); ++k) {
      if (k != j && Level(B.surfaces[k], p) > clear) return true;
    }
    return false;
  };
  if (A.surfaces[i].kind != SurfaceKind::kPlane && AnyNear(A.surfaces[i], A.bounds, reaches_out)) {
    return false;
  }
  LazyHull hull;
  for (std::size_t k = 0; k < B.surfaces.size(); ++k) {
    if (k != j && !FaceSatisfies(A, i, B.surfaces[k], size, &hull)) return false;
  }
  return true;
}

bool Touch(const Cell& A, std::size_t i, const Cell& B, std::size_t j, const Aabb& common,
           double depth) {
  if (HoldsApart(A, i, B, depth) || HoldsApart(B, j, A, depth)) return false;
  const auto proves = [&](const Vec3& p) {
    return IsInside(A, i, p, depth) && IsInside(B, j, p, depth);
  };
  if (const FacePolygon* face = PolygonOf(A, i); face != nullptr) {
    std::vector<Vec3> shared = face->p_C;
    for (std::size_t k = 0; k < B.surfaces.size() && !shared.empty(); ++k) {
      if (k == j || B.surfaces[k].kind != SurfaceKind::kPlane) continue;
      const PlaneCut cut = ToCut(B.surfaces[k], -1);
      const auto inside = [&](const Vec3& p) { return Dot(cut.n, p) <= cut.d - depth; };
      if (std::all_of(shared.begin(), shared.end(), inside)) continue;
      shared = ClipPolygon(shared, cut.n, cut.d - depth, 0.0);
    }
    if (shared.empty()) return false;
    if (AnyWithin(shared, proves)) return true;
    const auto excludes = [&](const Surface& s) {
      return s.kind != SurfaceKind::kPlane && AllSatisfy(shared, Complement(s), depth);
    };
    if (std::any_of(A.surfaces.begin(), A.surfaces.end(), excludes) ||
        std::any_of(B.surfaces.begin(), B.surfaces.end(), excludes)) {
      return false;
    }
  } else if (A.surfaces[i].kind != SurfaceKind::kPlane) {
    OrientedBox box;
    box.X.p = 0.5 * (common.lower + common.upper);
    box.half = 0.5 * (common.upper - common.lower);
    if (AnyNear(A.surfaces[i], box, proves)) return true;
  }
  std::vector<Surface> both = Without(A, i);
  const std::vector<Surface> rest = Without(B, j);
  both.insert(both.end(), rest.begin(), rest.end());
  return FindOnSurface(A.surfaces[i], both, RoomAround(A), depth, kFaceBudget).verdict ==
         Interior::kFound;
}

}  // namespace intervox::geometry
