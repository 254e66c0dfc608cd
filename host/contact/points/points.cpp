#include "host/contact/points/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cuda/engine.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/contact/patch_depth.h"
#include "host/contact/points/nearest.h"
#include "host/contact/points/polytopes.h"
#include "host/distance/distance.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** Share of a cell's size by which a point may lie outside its other surfaces. */
constexpr double kOnCell = 1e-9;

/** A unit vector across an axis, and those at 120° from it. */
std::array<Vec3, 3> ThreeAround(const Vec3& axis, const Vec3& e) {
  constexpr double kSine = 0.86602540378443865;
  const Vec3 f = Cross(axis, e);
  return {e, -0.5 * e + kSine * f, -0.5 * e - kSine * f};
}

/** The only curved surface of a cell; null where it has none or several. */
const Surface* OnlyCurved(const Cell& cell) {
  const Surface* found = nullptr;
  for (const Surface& s : cell.surfaces) {
    if (s.kind == SurfaceKind::kPlane) continue;
    if (found != nullptr) return nullptr;
    found = &s;
  }
  return found;
}

/** The surface of a ball, or of a part of one that is cut off inside its body, as a capsule's ends
 are; null: the cell is no ball. */
const Surface* SphereOf(const Cell& cell) {
  const Surface* s = OnlyCurved(cell);
  if (s == nullptr || s->side < 0 || !geometry::IsSphere(*s)) return nullptr;
  for (const Surface& other : cell.surfaces) {
    if (&other != s && !other.cut) return nullptr;
  }
  return s;
}

bool IsHalfSpace(const Cell& cell) {
  return cell.surfaces.size() == 1 && cell.surfaces[0].kind == SurfaceKind::kPlane;
}

bool IsPolytope(const Cell& cell) {
  return cell.polytope && cell.bounded && !cell.corners.p_C.empty();
}

/** Whether corners, rims and extreme points are all that can stand on a plane. */
bool HasExtremes(const Cell& cell) {
  if (IsPolytope(cell)) return true;
  const Surface* s = OnlyCurved(cell);
  if (s == nullptr || s->side < 0) return false;
  const bool axial = s->kind == SurfaceKind::kCylinder || s->kind == SurfaceKind::kCone;
  if (!axial && s->kind != SurfaceKind::kEllipsoid && s->kind != SurfaceKind::kTorus) return false;
  for (const Surface& plane : cell.surfaces) {
    if (&plane == s) continue;
    if (!axial) {
      if (!plane.cut) return false;
      continue;
    }
    if (SquaredNorm(Cross(plane.PlaneNormal(), s->R.Col(2))) > kParallel) return false;
  }
  return true;
}

/** The points of a convex cell that may be the deepest below a plane, in the cell's frame.
 @param down  unit, into the plane's solid; @param visit  called with (feature, point) */
template <class Visit>
void VisitExtremes(const Cell& cell, const Vec3& down, const Visit& visit) {
  if (IsPolytope(cell)) {
    const geometry::Corners& t = cell.corners;
    for (std::size_t k = 0; k < t.p_C.size(); ++k) {
      // A corner of a cut lies on an edge or a face of the body: what ends there goes on.
      if (t.extreme.empty() || t.extreme[k]) visit(static_cast<int>(k), t.p_C[k]);
    }
    return;
  }
  const Surface& s = *OnlyCurved(cell);
  const Vec3 axis = s.R.Col(2), local = TransposeTimes(s.R, down);
  if (s.kind == SurfaceKind::kEllipsoid) {
    const Vec3 squares{-s.c / s.e.x, -s.c / s.e.y, -s.c / s.e.z};
    const Vec3 q = Scaled(squares, local);
    visit(0, s.o + s.R * (q / std::sqrt(Dot(q, local))));
    return;
  }
  const Vec3 across = down - Dot(down, axis) * axis;
  const double lean = Norm(across);
  const Vec3 e = lean * lean > kParallel ? across / lean : s.R.Col(0);
  const std::array<Vec3, 3> around = ThreeAround(axis, e);
  if (s.kind == SurfaceKind::kTorus) {
    const Vec3 tube = s.e.y * down;
    for (int k = 0; k < 3; ++k) visit(k, s.o + s.e.x * around[static_cast<std::size_t>(k)] + tube);
    return;
  }
  int rim = 0;
  for (const Surface& plane : cell.surfaces) {
    if (&plane == &s) continue;
    ++rim;
    if (plane.cut) continue;
    const double z = Dot(axis, plane.o - s.o);
    const double radius =
        s.kind == SurfaceKind::kCylinder ? std::sqrt(-s.c / s.e.x) : z * std::sqrt(-s.e.z / s.e.x);
    if (!(radius > 0.0)) continue;
    for (int k = 0; k < 3; ++k) {
      visit(3 * rim + k, s.o + z * axis + radius * around[static_cast<std::size_t>(k)]);
    }
  }
  if (s.kind == SurfaceKind::kCone) visit(0, s.o);
}

/** Whether a point lies on a cell, but for rounding. */
bool LiesOn(const Cell& cell, const Vec3& p) {
  const double room = kOnCell * (cell.bounded ? Norm(cell.bounds.half) : 1.0);
  return !(geometry::Level(cell, p) > room);
}

PointContact Touch(int feature, double x, const Vec3& n, const Vec3& p_WA) {
  return {feature, x, n, p_WA, p_WA - x * n};
}

/** Finds points with the bodies exchanged, then gives each its own part of them. */
template <class Find>
auto Exchanged(const Find& find, std::vector<PointContact>* out) {
  const std::size_t before = out->size();
  const auto gap = find();
  std::transform(out->begin() + static_cast<std::ptrdiff_t>(before), out->end(),
                 out->begin() + static_cast<std::ptrdiff_t>(before), OfTheOther);
  return gap;
}

/** The plane of a half-space in the world: solid is where n·p < offset. */
struct Plane {
  Vec3 n;
  double offset = 0.0;
};

Plane PlaneOf(const Cell& half_space, const Pose& X_WB) {
  const Surface& s = half_space.surfaces[0];
  const double side = s.side;
  const Vec3 n = X_WB.R * (side * s.PlaneNormal());
  return {n, Dot(n, X_WB * s.o)};
}

/** A ball of body A and any cell of B. Empty where no foot of its centre is found. */
std::optional<double> BallPoint(const Surface& sphere, const Pose& X_WA, const Cell& cell,
                                const Pose& X_WB, std::vector<PointContact>* out) {
  const Vec3 c_W = X_WA * sphere.o;
  const double radius = std::sqrt(-sphere.c / sphere.e.x);
  if (IsHalfSpace(cell)) {
    const Plane plane = PlaneOf(cell, X_WB);
    const double x = Dot(plane.n, c_W) - plane.offset - radius;
    if (x < 0.0) out->push_back(Touch(0, x, plane.n, c_W - radius * plane.n));
    return std::max(0.0, x);
  }
  const Vec3 c_B = TransposeTimes(X_WB.R, c_W - X_WB.p);
  const Surface* other = SphereOf(cell);
  const std::optional<Foot> foot =
      other != nullptr ? NearestOnSurface(*other, c_B) : NearestOnCell(cell, c_B);
  if (!foot) return std::nullopt;
  const double x = foot->x - radius;
  if (x >= 0.0) return x;
  if (foot->is_cut) return 0.0;
  const auto touch = [&](int feature, double depth, const Vec3& n_B) {
    const Vec3 n = X_WB.R * n_B;
    out->push_back(Touch(feature, depth, n, c_W - radius * n));
  };
  if (!foot->ring) {
    touch(0, x, foot->n);
    return 0.0;
  }
  // Three points about the axis, one of them the foot; but where the ball is deep all around they
  // keep their places: to second order their potential is the same in any direction, and as the
  // ball crosses the axis its foot would jump to the other side.
  const Ring& ring = *foot->ring;
  const Vec3 farthest = NearestOnRing(ring, -ring.e, c_B);
  const bool all_around = Norm(c_B - farthest) < radius && LiesOn(cell, farthest);
  const std::array<Vec3, 3> around =
      ThreeAround(ring.axis, all_around ? AnyOrthogonal(ring.axis) : ring.e);
  if (!all_around) touch(0, x, foot->n);
  for (int k = all_around ? 0 : 1; k < 3; ++k) {
    const Vec3 p = NearestOnRing(ring, around[static_cast<std::size_t>(k)], c_B), way = c_B - p;
    const double distance = Norm(way);
    if (distance < radius && LiesOn(cell, p)) {
      touch(all_around ? 3 + k : k, distance - radius, way / distance);
    }
  }
  return 0.0;
}

/** The extremes of a cell of body A below the plane of B, a half-space. */
double PlanePoints(const Cell& cell, const Pose& X_WA, const Cell& half_space, const Pose& X_WB,
                   std::vector<PointContact>* out) {
  const Plane plane = PlaneOf(half_space, X_WB);
  const Vec3& n = plane.n;
  const Vec3 n_A = TransposeTimes(X_WA.R, n);
  const double offset = plane.offset - Dot(n, X_WA.p);
  const bool corners = IsPolytope(cell);  // which lie on their cell
  double least = HUGE_VAL;
  VisitExtremes(cell, -n_A, [&](int feature, const Vec3& p_A) {
    const double x = Dot(n_A, p_A) - offset;
    if (!(x < 0.0 || x < least)) return;
    if (!corners && !LiesOn(cell, p_A)) return;
    least = std::min(least, x);
    if (x < 0.0) out->push_back(Touch(feature, x, n, X_WA * p_A));
  });
  return std::isfinite(least) ? std::max(0.0, least) : 0.0;
}

/** The deepest point of any overlap. The signed distance along a direction n is that of the cells
 moved apart along n, less the way; the direction in which they are then nearest is n itself where
 the depth is least. Starts from the overlap's own normal; of grids the moments tell x. */
void DeepestPoint(const PairQuery& query, std::vector<PointContact>* out) {
  const InterferenceMetrics m = ComputeMetrics(query);
  if (m.status != Status::kOk && m.status != Status::kToleranceNotMet) return;
  const double S = Norm(m.area_vector);
  if (!(m.volume > 0.0) || !(S > 0.0)) return;
  PatchGeometry patch;
  patch.V = m.volume;
  patch.S = m.area_vector;
  patch.n = m.area_vector / S;
  patch.J_W = m.J_W;
  const double depth = Depth(patch);
  PointContact point = Touch(0, -depth, patch.n, m.p_WC - 0.5 * depth * patch.n);
  constexpr int kMostTurns = 16;
  constexpr double kTurn = 1e-9;
  constexpr double kFarther = 4.0, kClear = 1.1;
  DistanceOptions options;
  double way = 2.0 * depth;
  for (int k = 0; k < kMostTurns && !query.a->grid.field && !query.b->grid.field; ++k) {
    const Vec3 by = way * point.n;
    const Separation apart = MeasureDistance(
        {query.a, 1}, {query.b, 1}, {query.X_WA.R, query.X_WA.p + by}, query.X_WB, options);
    if (apart.status == Status::kInvalid) break;
    if (!(apart.distance > 0.0)) {
      way *= kFarther;
      options.start.reset();
      continue;
    }
    const double turn = Norm(apart.n - point.n);
    point = Touch(0, apart.distance - Dot(apart.n, by), apart.n, apart.p_WA - by);
    if (turn <= kTurn || point.x >= 0.0) break;
    // The nearer the cells, the less n turns on.
    way = -kClear * point.x;
    options.start = {point.p_WA + way * point.n, point.p_WB};
  }
  if (point.x < 0.0) out->push_back(point);
}

}  // namespace

bool IsBall(const Cell& cell) { return SphereOf(cell) != nullptr; }

PairKind KindOf(const Cell& a, const Cell& b) {
  if (a.grid.field || b.grid.field) return PairKind::kAny;
  if (SphereOf(a) != nullptr || SphereOf(b) != nullptr) return PairKind::kBall;
  if ((IsHalfSpace(a) && HasExtremes(b)) || (IsHalfSpace(b) && HasExtremes(a))) {
    return PairKind::kPlane;
  }
  return IsPolytope(a) && IsPolytope(b) ? PairKind::kPolytopes : PairKind::kAny;
}

double FindPoints(const PairQuery& query, PairKind kind, std::vector<PointContact>* out) {
  const Cell &a = *query.a, &b = *query.b;
  const Pose &X_WA = query.X_WA, &X_WB = query.X_WB;
  switch (kind) {
    case PairKind::kBall: {
      const Surface* s = SphereOf(a);
      const auto of_b = [&] { return BallPoint(*SphereOf(b), X_WB, a, X_WA, out); };
      const auto gap = s != nullptr ? BallPoint(*s, X_WA, b, X_WB, out) : Exchanged(of_b, out);
      if (gap) return *gap;
      break;
    }
    case PairKind::kPlane:
      if (IsHalfSpace(b)) return PlanePoints(a, X_WA, b, X_WB, out);
      return Exchanged([&] { return PlanePoints(b, X_WB, a, X_WA, out); }, out);
    case PairKind::kPolytopes:
      return PointsOfPolytopes(a, X_WA, b, X_WB, out);
    case PairKind::kAny:
      break;
  }
  DeepestPoint(query, out);
  return 0.0;
}

}  // namespace intervox::host::points
