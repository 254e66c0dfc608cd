#include "host/contact/points/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/contact/points/deepest.h"
#include "host/contact/points/extremes.h"
#include "host/contact/points/nearest.h"
#include "host/contact/points/polytopes.h"
#include "host/contact/points/rings.h"
#include "host/contact/points/vertices.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** The sphere of a ball, or of a part of one that at most one plane cuts off that is no cut. */
struct BallPart {
  const Surface* sphere = nullptr;  ///< null: the cell is none
  const Surface* plane = nullptr;   ///< null: all of the ball, or cuts inside its body alone
};

BallPart BallPartOf(const Cell& cell) {
  const Surface* s = OnlyCurved(cell);
  if (s == nullptr || s->side < 0 || !geometry::IsSphere(*s)) return {};
  BallPart part{s, nullptr};
  for (const Surface& other : cell.surfaces) {
    if (&other == s || other.cut) continue;
    if (part.plane != nullptr) return {};
    part.plane = &other;
  }
  return part;
}

/** The surface of a ball, or of a part of one that is cut off inside its body, as a capsule's ends
 are; null: the cell is no ball. */
const Surface* SphereOf(const Cell& cell) {
  const BallPart part = BallPartOf(cell);
  return part.plane == nullptr ? part.sphere : nullptr;
}

/** The radius of the widest circle on a part of a ball, which goes through no narrower bore [m]; 0:
 the cell is no such part. */
double WidestCircleOf(const Cell& cell) {
  const BallPart cap = BallPartOf(cell);
  if (cap.plane == nullptr) return 0.0;
  const Plane plane = PlaneOf(*cap.plane, Pose{});
  const double beyond = std::fmax(0.0, Dot(plane.n, cap.sphere->o) - plane.offset);
  return std::sqrt(std::fmax(0.0, -cap.sphere->c / cap.sphere->e.x - beyond * beyond));
}

/** Whether the other of two cells is to a part of a ball as a convex one, but has hollows that it
 does not fit into. */
bool IsCapOver(const Cell& cap, const Cell& other) {
  return WidestHollow(other) > 0.0 && IsConvexTo(WidestCircleOf(cap), other);
}

bool IsHalfSpace(const Cell& cell) {
  return cell.surfaces.size() == 1 && cell.surfaces[0].kind == SurfaceKind::kPlane;
}

PointContact Touch(int feature, double x, const Vec3& n, const Vec3& p_WA) {
  return {feature, x, n, p_WA, p_WA - x * n};
}

/** The only face of an unbounded cell that is not cut, a plane: a half-space, or what a union with
 another left of one. It is felt as a whole, as the neighbours hold the rest of it. Null: the cell
 is none. */
const Surface* OnlyPlane(const Cell& cell) {
  const Surface* found = nullptr;
  if (cell.bounded || !cell.polytope) return nullptr;
  for (const Surface& s : cell.surfaces) {
    if (s.cut) continue;
    if (found != nullptr) return nullptr;
    found = &s;
  }
  return found;
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

/** The direction nearest to u, from a ring's axis, whose place on the ring is below a plane by at
 least a depth; empty where the ring has none. So a point stays at the end of its arc. */
std::optional<Vec3> TurnedBelow(const Plane& plane, double depth, const Ring& ring, const Vec3& u) {
  const Vec3 across = plane.n - Dot(plane.n, ring.axis) * ring.axis;
  const double slope = ring.radius * Norm(across);
  const double above =
      Dot(plane.n, ring.o + ring.z * ring.axis) - plane.offset + depth;  // on the axis
  if (above + ring.radius * Dot(plane.n, u) <= 0.0) return u;
  if (ring.face != nullptr || above > slope) return std::nullopt;
  // Below the plane are the directions within an angle of cosine above/slope about the lowest one.
  const Vec3 lowest = across / -Norm(across);
  const double cosine = above / slope;
  Vec3 side = u - Dot(u, lowest) * lowest;
  side = Norm(side) > 0.0 ? side / Norm(side) : Cross(ring.axis, lowest);
  return cosine * lowest + std::sqrt(1.0 - cosine * cosine) * side;
}

/** A ball of body A and any cell of B. Empty where no foot of its centre is found.
 @param plane_B  of a part of a ball, in B's frame: the points stay below it by their depth. Empty
 where they cannot. Null: of all of the ball */
std::optional<double> BallPoint(const Surface& sphere, const Pose& X_WA, const Cell& cell,
                                const Pose& X_WB, std::vector<PointContact>* out,
                                const Plane* plane_B = nullptr) {
  const Vec3 c_W = X_WA * sphere.o;
  const double radius = std::sqrt(-sphere.c / sphere.e.x);
  if (IsHalfSpace(cell)) {
    const Plane plane = PlaneOf(cell.surfaces[0], X_WB);
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
    if (plane_B && Dot(plane_B->n, foot->p) - plane_B->offset > x) return std::nullopt;
    touch(0, x, foot->n);
    return 0.0;
  }
  // Three points about the axis, one of them the foot; but where the ball is deep all around they
  // keep their places: to second order their potential is the same in any direction, and as the
  // ball crosses the axis its foot would jump to the other side.
  const Ring& ring = *foot->ring;
  const Vec3 farthest = NearestOnRing(ring, -ring.e, c_B);
  const bool all_around = Norm(c_B - farthest) < radius && LiesOn(cell, farthest);
  std::array<Vec3, 3> around =
      ThreeAround(ring.axis, all_around ? AnyOrthogonal(ring.axis) : ring.e);
  for (Vec3& u : around) {
    const auto turned = plane_B ? TurnedBelow(*plane_B, -x, ring, u) : std::optional(u);
    if (!turned) return std::nullopt;
    u = *turned;
  }
  const bool has_foot = !all_around && !plane_B;
  if (has_foot) touch(0, x, foot->n);
  for (int k = has_foot ? 1 : 0; k < 3; ++k) {
    const Vec3 p = NearestOnRing(ring, around[static_cast<std::size_t>(k)], c_B), way = c_B - p;
    const double distance = Norm(way);
    if (distance < radius && LiesOn(cell, p)) {
      touch(all_around ? 3 + k : k, distance - radius, way / distance);
    }
  }
  return 0.0;
}

/** A part of a ball, of body A, and any cell of B, at the points of its ball. Empty where some of
 them are nearer to the way out through its plane than to their own. */
std::optional<double> CapPoints(const Cell& cell, const Pose& X_WA, const Cell& other,
                                const Pose& X_WB, std::vector<PointContact>* out) {
  const BallPart cap = BallPartOf(cell);
  const Plane plane_B = PlaneOf(*cap.plane, Inverse(X_WB) * X_WA);
  return BallPoint(*cap.sphere, X_WA, other, X_WB, out, &plane_B);
}

/** The extremes of a cell of body A below the only plane of B. Empty where one is in a hollow. */
std::optional<double> PlanePoints(const Cell& cell, const Pose& X_WA, const Cell& half_space,
                                  const Pose& X_WB, std::vector<PointContact>* out) {
  const Plane plane = PlaneOf(*OnlyPlane(half_space), X_WB);
  const Vec3& n = plane.n;
  const Vec3 n_A = TransposeTimes(X_WA.R, n);
  const double offset = plane.offset - Dot(n, X_WA.p);
  const bool corners = HasCorners(cell);  // which lie on their cell
  double least = HUGE_VAL;
  bool in_hollow = false;
  VisitExtremes(cell, -n_A, [&](int feature, const Vec3& p_A) {
    const double x = Dot(n_A, p_A) - offset;
    if (!(x < 0.0 || x < least)) return;
    if (!corners && !LiesOn(cell, p_A)) {
      in_hollow = in_hollow || (x < 0.0 && IsInHollow(cell, p_A));
      return;
    }
    least = std::min(least, x);
    if (x < 0.0) out->push_back(Touch(feature, x, n, X_WA * p_A));
  });
  if (in_hollow) return std::nullopt;
  return std::isfinite(least) ? std::max(0.0, least) : 0.0;
}

/** Whether a boundary point of the hull is one of the cell: not in one of its hollows. */
bool IsClearOfHollows(const Cell& cell, const Pose& X_WC, const Vec3& p_W, double room) {
  return cell.polytope || !IsInHollow(cell, TransposeTimes(X_WC.R, p_W - X_WC.p), room);
}

}  // namespace

double TouchesWholeBelow(std::span<const Cell> cells) {
  double least = cells.empty() ? 0.0 : HUGE_VAL;
  for (const Cell& cell : cells) {
    if (SphereOf(cell) != nullptr || (cell.polytope && !cell.grid.field)) continue;
    least = std::fmin(least, std::fmax(TubeOf(cell), WidestCircleOf(cell)));
  }
  return least;
}

double WidestHollow(std::span<const Cell> cells) {
  double widest = 0.0;
  for (const Cell& cell : cells) widest = std::fmax(widest, WidestHollow(cell));
  return widest;
}

PairKind KindOf(const Cell& a, const Cell& b) {
  if (a.grid.field || b.grid.field) return PairKind::kAny;
  if (SphereOf(a) != nullptr || SphereOf(b) != nullptr) return PairKind::kBall;
  if ((OnlyPlane(a) != nullptr && HasExtremes(b)) || (OnlyPlane(b) != nullptr && HasExtremes(a))) {
    return PairKind::kPlane;
  }
  if (HasCorners(a) && HasCorners(b)) return PairKind::kPolytopes;
  if (IsRingOnConvex(a, b)) return PairKind::kRing;
  if (IsCapOver(a, b) || IsCapOver(b, a)) return PairKind::kCap;
  return HaveVertices(a, b) ? PairKind::kVertices : PairKind::kAny;
}

double FindPoints(const PairQuery& query, PairKind kind, double power,
                  std::vector<PointContact>* out, std::optional<PointContact>* on_cut) {
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
    case PairKind::kPlane: {
      const std::size_t before = out->size();
      const auto of_b = [&] { return PlanePoints(b, X_WB, a, X_WA, out); };
      const auto gap =
          OnlyPlane(b) != nullptr ? PlanePoints(a, X_WA, b, X_WB, out) : Exchanged(of_b, out);
      if (gap) return *gap;
      out->resize(before);
      break;
    }
    case PairKind::kPolytopes: {
      const std::size_t before = out->size();
      const double gap = PointsOfPolytopes(a, X_WA, b, X_WB, power, out);
      const bool on_solid = std::all_of(out->begin() + static_cast<std::ptrdiff_t>(before),
                                        out->end(), [&](const auto& point) {
                                          return IsClearOfHollows(a, X_WA, point.p_WA, -point.x) &&
                                                 IsClearOfHollows(b, X_WB, point.p_WB, -point.x);
                                        });
      if (on_solid) return gap;
      out->resize(before);
      break;
    }
    case PairKind::kRing:
      if (const auto gap = PointsOfRing(query, power, out, on_cut)) return *gap;
      break;
    case PairKind::kCap: {
      const auto of_b = [&] { return CapPoints(b, X_WB, a, X_WA, out); };
      const auto gap = IsCapOver(a, b) ? CapPoints(a, X_WA, b, X_WB, out) : Exchanged(of_b, out);
      if (gap) return *gap;
      if (const auto vertices = PointsOfVertices(query, power, out)) return *vertices;
      break;
    }
    case PairKind::kVertices:
      if (const auto gap = PointsOfVertices(query, power, out)) return *gap;
      break;
    case PairKind::kAny:
      break;
  }
  if (const auto deepest = DeepestPoint(query, on_cut)) out->push_back(*deepest);
  return 0.0;
}

}  // namespace intervox::host::points
