#include "host/contact/points/nearest.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "geometry/closest.h"
#include "geometry/surface_eval.h"
#include "host/contact/points/curvature.h"

namespace intervox::host::points {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;

constexpr int kMostIterations = 60;
/** Share of the lengths below which a level or a residual is rounding. */
constexpr double kRounding = 1e-13;
constexpr double kTolerance = 1e-11;
/** Changes of the set of surfaces that a foot lies on. */
constexpr int kMostChanges = 24;
constexpr std::size_t kMostSurfaces = 3;

/** The point that several surfaces share nearest to c, and its multipliers: c − p = Σ λ ∇f. */
struct Projection {
  Vec3 p;
  std::array<double, kMostSurfaces> lambda{};
};

struct Circle {
  Vec3 center;
  Vec3 n;  ///< unit, across its plane
  double radius = 0.0;
};

/** The circle in which a plane and a ball, or a plane and what is round about its normal, meet, or
 two balls. Empty: they meet in something else, or not. */
std::optional<Circle> SharedCircle(const Surface& a, const Surface& b) {
  if (a.kind != SurfaceKind::kPlane && b.kind == SurfaceKind::kPlane) return SharedCircle(b, a);
  const auto squared_radius = [](const Surface& ball) { return -ball.c / ball.e.x; };
  const auto cut = [](const Vec3& o, const Vec3& n, double along, double square) {
    const double rest = square - along * along;
    return rest > 0.0 ? std::optional<Circle>({o + along * n, n, std::sqrt(rest)}) : std::nullopt;
  };
  if (geometry::IsSphere(a) && geometry::IsSphere(b)) {
    const double apart = Norm(b.o - a.o);
    if (!(apart > 0.0)) return std::nullopt;
    const double along = 0.5 * (apart + (squared_radius(a) - squared_radius(b)) / apart);
    return cut(a.o, (b.o - a.o) / apart, along, squared_radius(a));
  }
  if (a.kind != SurfaceKind::kPlane) return std::nullopt;
  const Vec3 n = a.PlaneNormal();
  if (geometry::IsSphere(b)) return cut(b.o, n, Dot(n, a.o - b.o), squared_radius(b));
  const bool axial = b.kind == SurfaceKind::kCylinder || b.kind == SurfaceKind::kCone;
  const Vec3 axis = b.R.Col(2);
  if (!axial || SquaredNorm(Cross(n, axis)) > kParallel) return std::nullopt;
  const double z = Dot(axis, a.o - b.o);
  const double square =
      b.kind == SurfaceKind::kCylinder ? squared_radius(b) : -b.e.z / b.e.x * z * z;
  if (b.kind == SurfaceKind::kCone && z < 0.0) return std::nullopt;
  return Circle{b.o + z * axis, axis, std::sqrt(square)};
}

/** Foot::ring of a foot p on one surface, or on the edge of two. */
std::optional<Ring> RingOf(std::span<const Surface* const> surfaces, const Vec3& p, const Vec3& c) {
  const Surface& s = *surfaces[0];
  Ring ring{s.o, s.R.Col(2), &s, 0.0, 0.0, {}};
  if (surfaces.size() == 1) {
    const bool hollow =
        s.side < 0 && (s.kind == SurfaceKind::kCylinder || s.kind == SurfaceKind::kCone);
    const bool round = s.kind == SurfaceKind::kTorus && geometry::Level(s, c) > 0.0;
    if (!hollow && !round) return std::nullopt;
  } else {
    if (surfaces.size() != 2) return std::nullopt;
    const std::optional<Circle> circle = SharedCircle(s, *surfaces[1]);
    if (!circle) return std::nullopt;
    ring = {circle->center, circle->n, nullptr, 0.0, 0.0, {}};
  }
  ring.z = Dot(ring.axis, p - ring.o);
  const Vec3 out = p - ring.o - ring.z * ring.axis, from = c - ring.o;
  ring.radius = Norm(out);
  const Vec3 across = from - Dot(ring.axis, from) * ring.axis;
  if (!(SquaredNorm(across) < SquaredNorm(out))) return std::nullopt;
  ring.e = out / ring.radius;
  return ring;
}

/** The multipliers of a point of the curve that two surfaces share. */
Projection OnCurve(std::span<const Surface* const> surfaces, const Vec3& c, const Vec3& p) {
  const Vec3 g_0 = geometry::Gradient(*surfaces[0], p), g_1 = geometry::Gradient(*surfaces[1], p);
  const double a = SquaredNorm(g_0), b = Dot(g_0, g_1), d = SquaredNorm(g_1);
  const double r_0 = Dot(g_0, c - p), r_1 = Dot(g_1, c - p), det = a * d - b * b;
  return {p, {(d * r_0 - b * r_1) / det, (a * r_1 - b * r_0) / det}};
}

/** Newton's method for p − c + Σ λ ∇f(p) = 0, f(p) = 0, from a start. */
std::optional<Projection> Project(std::span<const Surface* const> surfaces, const Vec3& c,
                                  const Vec3& start) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  const auto count = static_cast<int>(surfaces.size());
  if (count == 2) {
    // Near its axis all of a circle is about as far, and Newton's method fails.
    if (const auto circle = SharedCircle(*surfaces[0], *surfaces[1])) {
      const Vec3 from = c - circle->center, across = from - Dot(from, circle->n) * circle->n;
      const double length = Norm(across);
      const Vec3 out = length > 0.0 ? across / length : AnyOrthogonal(circle->n);
      return OnCurve(surfaces, c, circle->center + circle->radius * out);
    }
  }
  Projection at{start, {}};
  const double scale = Norm(c) + Norm(c - start) + Norm(surfaces[0]->o);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    Matrix matrix = Matrix::Zero(3 + count, 3 + count);
    Vector right = Vector::Zero(3 + count);
    Mat3 A = Mat3::Identity();
    double off = 0.0;
    for (int k = 0; k < count; ++k) {
      const Surface& s = *surfaces[static_cast<std::size_t>(k)];
      const double lambda = at.lambda[static_cast<std::size_t>(k)];
      A = A + lambda * Hessian(s, at.p);
      const Vec3 g = geometry::Gradient(s, at.p);
      for (int i = 0; i < 3; ++i) matrix(i, 3 + k) = matrix(3 + k, i) = g[i];
      const double level = geometry::Value(s, at.p);
      right(3 + k) = -level;
      off = std::fmax(off, std::fabs(level));
    }
    for (int i = 0; i < 3; ++i) {
      right(i) = (c - at.p)[i];
      for (int j = 0; j < 3; ++j) matrix(i, j) = A(i, j);
    }
    const Vector step = matrix.partialPivLu().solve(right);
    if (!step.allFinite()) return std::nullopt;
    const Vec3 way{step(0), step(1), step(2)};
    at.p += way;
    for (int k = 0; k < count; ++k) at.lambda[static_cast<std::size_t>(k)] = step(3 + k);
    if (Norm(way) <= kRounding * scale && off <= kTolerance * scale) return at;
    if (!(Norm(at.p - c) < 1e6 * scale)) return std::nullopt;
  }
  return std::nullopt;
}

/** The point of a segment that is nearest to c. */
Vec3 NearestOnSegment(const Vec3& from, const Vec3& to, const Vec3& c) {
  const Vec3 way = to - from;
  const double square = SquaredNorm(way);
  return square > 0.0 ? from + std::clamp(Dot(c - from, way) / square, 0.0, 1.0) * way : from;
}

/** The point of a face's polygon that is nearest to c. */
Vec3 NearestOnFace(const geometry::FacePolygon& face, const Vec3& n, const Vec3& c) {
  const std::vector<Vec3>& corners = face.p_C;
  const Vec3 on_plane = c - Dot(n, c - corners[0]) * n;
  bool inside = true;
  double least = std::numeric_limits<double>::infinity();
  Vec3 nearest = corners[0];
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vec3 &from = corners[k], &to = corners[(k + 1) % corners.size()];
    if (Dot(Cross(to - from, on_plane - from), n) >= 0.0) continue;
    inside = false;
    const Vec3 at = NearestOnSegment(from, to, c);
    if (!(SquaredNorm(c - at) < least)) continue;
    least = SquaredNorm(c - at);
    nearest = at;
  }
  return inside ? on_plane : nearest;
}

/** The foot of a point outside of a bounded polytope. */
Vec3 NearestOnPolytope(const geometry::Cell& cell, const Vec3& c) {
  double least = std::numeric_limits<double>::infinity();
  Vec3 nearest;
  for (const geometry::FacePolygon& face : cell.faces) {
    const Surface& s = cell.surfaces[static_cast<std::size_t>(face.surface)];
    const double side = s.side;
    if (!(geometry::Level(s, c) > 0.0)) continue;  // seen from behind
    const Vec3 at = NearestOnFace(face, side * s.PlaneNormal(), c);
    if (!(SquaredNorm(c - at) < least)) continue;
    least = SquaredNorm(c - at);
    nearest = at;
  }
  return nearest;
}

/** The foot p of a point c outside of a cell. Beyond a cut face on which it lies a neighbouring
 cell is nearer. */
Foot FootAt(const geometry::Cell& cell, const Vec3& p, const Vec3& n, const Vec3& c) {
  const double tolerance = kTolerance * (Norm(c) + Norm(c - p));
  Foot foot{p, n, Norm(c - p), false, {}};
  if (foot.x > tolerance) foot.n = (c - p) / foot.x;
  for (const Surface& s : cell.surfaces) {
    if (!s.cut || std::fabs(geometry::Level(s, p)) > tolerance) continue;
    foot.is_cut = foot.is_cut || geometry::Level(s, c) > tolerance;
  }
  return foot;
}

/** The surface other than the taken ones that a point is farthest outside of; null: none. */
const Surface* MostViolated(const geometry::Cell& cell, std::span<const Surface* const> taken,
                            const Vec3& p, double tolerance) {
  const Surface* most = nullptr;
  for (const Surface& s : cell.surfaces) {
    if (std::find(taken.begin(), taken.end(), &s) != taken.end()) continue;
    const double level = geometry::Level(s, p);
    if (!(level > tolerance)) continue;
    tolerance = level;
    most = &s;
  }
  return most;
}

}  // namespace

Vec3 NearestOnRing(const Ring& ring, const Vec3& u, const Vec3& c) {
  double r = ring.radius, z = ring.z;
  if (ring.face != nullptr) {
    const Surface& s = *ring.face;
    const double r_c = Dot(u, c - ring.o), z_c = Dot(ring.axis, c - ring.o);
    if (s.kind == SurfaceKind::kCylinder) z = z_c;
    if (s.kind == SurfaceKind::kCone) {
      const double slope = std::sqrt(-s.e.z / s.e.x);
      z = std::fmax(0.0, (slope * r_c + z_c) / (1.0 + slope * slope));
      r = slope * z;
    }
    if (s.kind == SurfaceKind::kTorus) {
      const double share = s.e.y / std::hypot(r_c - s.e.x, z_c);
      r = s.e.x + share * (r_c - s.e.x);
      z = share * z_c;
    }
  }
  return ring.o + z * ring.axis + r * u;
}

std::optional<Foot> NearestOnSurface(const Surface& s, const Vec3& c) {
  const geometry::internal::ClosestPoints closest = geometry::internal::ClosestOnSurface(s, c);
  if (closest.count == 0) return std::nullopt;
  const Vec3& p = closest.x[0];
  const double x = std::copysign(Norm(c - p), geometry::Level(s, c));
  const Vec3 n = geometry::OutwardNormal(s, p);  // none at a cone's tip
  return Foot{p, SquaredNorm(n) > 0.0 || x == 0.0 ? n : (c - p) / x, x, s.cut, {}};
}

std::optional<Foot> NearestOnCell(const geometry::Cell& cell, const Vec3& c) {
  std::optional<Foot> best;
  const Surface* first = nullptr;
  for (const Surface& s : cell.surfaces) {
    const std::optional<Foot> foot = NearestOnSurface(s, c);
    if (!foot) return std::nullopt;
    // Inside, a cut face is no boundary; outside of it the neighbour is nearer.
    if (s.cut && foot->x <= 0.0) continue;
    if (best && foot->x <= best->x) continue;
    best = foot;
    first = &s;
  }
  if (!best) return best;
  if (best->x <= 0.0) {
    best->ring = RingOf({&first, 1}, best->p, c);
    return best;
  }
  if (cell.polytope && cell.bounded && !cell.faces.empty()) {
    return FootAt(cell, NearestOnPolytope(cell, c), best->n, c);
  }

  std::array<const Surface*, kMostSurfaces> active{first};
  std::size_t count = 1;
  Vec3 p = best->p;
  const double scale = Norm(c) + best->x;
  // Without all faces the foot is no farther; where a cut face is among them a neighbour has one.
  const auto unknown = [&] {
    const auto end = active.begin() + static_cast<std::ptrdiff_t>(count);
    const bool cut = std::any_of(active.begin(), end, [](const Surface* s) { return s->cut; });
    return cut ? std::optional<Foot>({best->p, best->n, best->x, true, {}}) : std::nullopt;
  };
  for (int change = 0; change < kMostChanges; ++change) {
    const std::span<const Surface* const> taken(active.data(), count);
    const Surface* violated = MostViolated(cell, taken, p, kTolerance * scale);
    if (violated == nullptr) {
      Foot foot = FootAt(cell, p, best->n, c);
      foot.ring = RingOf(taken, p, c);
      return foot;
    }
    if (count == kMostSurfaces) return unknown();
    active[count++] = violated;
    // What only pulls c back is no boundary of the foot: it leaves, the worst first.
    for (bool solved = false; !solved;) {
      const std::span<const Surface* const> now(active.data(), count);
      std::optional<Projection> found = Project(now, c, p);
      if (!found && count == 2 && geometry::internal::ClosestOnCurve(*now[0], *now[1], c, &p)) {
        found = OnCurve(now, c, p);
      }
      if (!found) return unknown();
      p = found->p;
      std::size_t worst = count;
      double least = -kTolerance * scale;
      for (std::size_t k = 0; k < count; ++k) {
        if (active[k]->side * found->lambda[k] >= least) continue;
        least = active[k]->side * found->lambda[k];
        worst = k;
      }
      solved = worst == count || count == 1;
      if (!solved)
        std::copy(active.begin() + static_cast<std::ptrdiff_t>(worst) + 1,
                  active.begin() + static_cast<std::ptrdiff_t>(count--),
                  active.begin() + static_cast<std::ptrdiff_t>(worst));
    }
  }
  return unknown();
}

}  // namespace intervox::host::points
