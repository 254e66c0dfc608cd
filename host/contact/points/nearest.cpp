#include "host/contact/points/nearest.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "geometry/surface_eval.h"

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

/** Second derivatives of the level function. */
Mat3 Hessian(const Surface& s, const Vec3& x) {
  if (s.kind == SurfaceKind::kPlane) return Mat3::Zero();
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  if (s.kind == SurfaceKind::kTorus) {
    const double rho = std::hypot(y.x, y.y), tube = std::hypot(rho - s.e.x, y.z);
    if (!(rho > 0.0) || !(tube > 0.0)) return Mat3::Zero();
    const Vec3 radial{y.x / rho, y.y / rho, 0.0}, along{-radial.y, radial.x, 0.0};
    const Vec3 out = ((rho - s.e.x) * radial + Vec3{0, 0, y.z}) / tube;
    const Vec3 around = Cross(along, out);
    const Mat3 inner =
        (1.0 / tube) * Outer(around, around) + ((rho - s.e.x) / (tube * rho)) * Outer(along, along);
    return s.R * inner * Transpose(s.R);
  }
  const bool below = s.kind == SurfaceKind::kCone && y.z < 0.0;
  return 2.0 * (s.R * Mat3::Diagonal({s.e.x, s.e.y, below ? -s.e.z : s.e.z}) * Transpose(s.R));
}

/** The point that several surfaces share nearest to c, and its multipliers: c − p = Σ λ ∇f. */
struct Projection {
  Vec3 p;
  std::array<double, kMostSurfaces> lambda{};
};

/** Newton's method for p − c + Σ λ ∇f(p) = 0, f(p) = 0, from a start. */
std::optional<Projection> Project(std::span<const Surface* const> surfaces, const Vec3& c,
                                  const Vec3& start) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  const auto count = static_cast<int>(surfaces.size());
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

/** A foot with the normal and the distance of the level function, seen from the kept side. */
Foot Outward(const Surface& s, const Vec3& p, const Vec3& normal, double x) {
  const double side = s.side;
  return {p, side * normal, side * x, s.cut};
}

/** An ellipsoid's: q_i = y_i/(1 + t e_i) with Σ e_i q_i² + c = 0, which falls with t. */
Foot OnEllipsoid(const Surface& s, const Vec3& c) {
  const Vec3 y = TransposeTimes(s.R, c - s.o);
  if (s.e.x == s.e.y && s.e.y == s.e.z) {
    const double radius = std::sqrt(-s.c / s.e.x), r = Norm(y);
    const Vec3 n = r > 0.0 ? y / r : Vec3{0, 0, 1};
    return Outward(s, s.o + s.R * (radius * n), s.R * n, r - radius);
  }
  int sharpest = 0;
  for (int k = 1; k < 3; ++k) sharpest = s.e[k] > s.e[sharpest] ? k : sharpest;
  const auto at = [&](double t) {
    return Vec3{y.x / (1 + t * s.e.x), y.y / (1 + t * s.e.y), y.z / (1 + t * s.e.z)};
  };
  const auto level = [&](const Vec3& q) { return Dot(Scaled(s.e, q), q) + s.c; };
  double low = -1.0 / s.e[sharpest], high = 0.0;
  if (level(y) > 0.0) {
    low = 0.0;
    high = Norm(y) * std::sqrt(1.0 / (-s.c * std::fmin(s.e.x, std::fmin(s.e.y, s.e.z))));
    while (level(at(high)) > 0.0) high *= 2.0;
  }
  double t = 0.5 * (low + high);
  Vec3 q;
  for (int k = 0; k < 2 * kMostIterations; ++k) {
    q = at(t);
    const double f = level(q);
    (f > 0.0 ? low : high) = t;
    double slope = 0.0;
    for (int i = 0; i < 3; ++i) slope -= 2.0 * s.e[i] * s.e[i] * q[i] * q[i] / (1 + t * s.e[i]);
    double next = slope < 0.0 ? t - f / slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::fabs(next - t) <= kRounding * std::fabs(t) * 1e-2 || !(high > low)) break;
    t = next;
  }
  // On the plane across the shortest axis, near the middle: the nearest point leaves the plane.
  if (y[sharpest] == 0.0 && level(q) < -kTolerance * std::fabs(s.c)) {
    q[sharpest] = std::sqrt(-level(q) / s.e[sharpest]);
  }
  const Vec3 p = s.o + s.R * q;
  const Vec3 n = Normalized(Scaled(s.e, q));
  return Outward(s, p, s.R * n, Dot(n, y - q));
}

Foot OnCone(const Surface& s, const Vec3& c) {
  const Vec3 y = TransposeTimes(s.R, c - s.o);
  const double k = std::sqrt(-s.e.z / s.e.x), scale = 1.0 / std::sqrt(1.0 + k * k);
  const double rho = std::hypot(y.x, y.y);
  const Vec3 radial = rho > 0.0 ? Vec3{y.x / rho, y.y / rho, 0.0} : Vec3{1, 0, 0};
  const double along = scale * (k * rho + y.z);
  if (!(along > 0.0)) {  // behind the apex
    const double r = Norm(y);
    return Outward(s, s.o, s.R * (r > 0.0 ? y / r : Vec3{0, 0, -1}), r);
  }
  const Vec3 n = scale * (radial - Vec3{0, 0, k});
  const double x = scale * (rho - k * y.z);
  return Outward(s, s.o + s.R * (along * scale * (k * radial + Vec3{0, 0, 1})), s.R * n, x);
}

Foot OnCylinder(const Surface& s, const Vec3& c) {
  const Vec3 y = TransposeTimes(s.R, c - s.o);
  const double rho = std::hypot(y.x, y.y), radius = std::sqrt(-s.c / s.e.x);
  const Vec3 n = rho > 0.0 ? Vec3{y.x / rho, y.y / rho, 0.0} : Vec3{1, 0, 0};
  return Outward(s, s.o + s.R * (radius * n + Vec3{0, 0, y.z}), s.R * n, rho - radius);
}

Foot OnTorus(const Surface& s, const Vec3& c) {
  const Vec3 y = TransposeTimes(s.R, c - s.o);
  const double rho = std::hypot(y.x, y.y);
  const Vec3 radial = rho > 0.0 ? Vec3{y.x / rho, y.y / rho, 0.0} : Vec3{1, 0, 0};
  const Vec3 from_circle = (rho - s.e.x) * radial + Vec3{0, 0, y.z};
  const double tube = Norm(from_circle);
  const Vec3 n = tube > 0.0 ? from_circle / tube : Vec3{0, 0, 1};
  return Outward(s, s.o + s.R * (s.e.x * radial + s.e.y * n), s.R * n, tube - s.e.y);
}

std::optional<Foot> OnQuadric(const Surface& s, const Vec3& c) {
  const Surface* const one[] = {&s};
  const auto found = Project(one, c, c);
  if (!found) return std::nullopt;
  const Vec3 n = Normalized(geometry::Gradient(s, found->p));
  return Outward(s, found->p, n, Dot(n, c - found->p));
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
  Foot foot{p, n, Norm(c - p), false};
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

std::optional<Foot> NearestOnSurface(const Surface& s, const Vec3& c) {
  switch (s.kind) {
    case SurfaceKind::kPlane: {
      const Vec3 n = s.PlaneNormal();
      const double x = Dot(n, c - s.o);
      return Outward(s, c - x * n, n, x);
    }
    case SurfaceKind::kEllipsoid:
      return OnEllipsoid(s, c);
    case SurfaceKind::kCylinder:
      return OnCylinder(s, c);
    case SurfaceKind::kCone:
      return OnCone(s, c);
    case SurfaceKind::kTorus:
      return OnTorus(s, c);
    default:
      return OnQuadric(s, c);
  }
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
  if (!best || best->x <= 0.0) return best;
  if (cell.polytope && cell.bounded && !cell.faces.empty()) {
    return FootAt(cell, NearestOnPolytope(cell, c), best->n, c);
  }

  std::array<const Surface*, kMostSurfaces> active{first};
  std::size_t count = 1;
  Vec3 p = best->p;
  const double scale = Norm(c) + best->x;
  for (int change = 0; change < kMostChanges; ++change) {
    const std::span<const Surface* const> taken(active.data(), count);
    const Surface* violated = MostViolated(cell, taken, p, kTolerance * scale);
    if (violated == nullptr) {
      return FootAt(cell, p, best->n, c);
    }
    if (count == kMostSurfaces) return std::nullopt;
    active[count++] = violated;
    // What only pulls c back is no boundary of the foot: it leaves, the worst first.
    for (bool solved = false; !solved;) {
      const auto found = Project(std::span(active.data(), count), c, p);
      if (!found) return std::nullopt;
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
  return std::nullopt;
}

}  // namespace intervox::host::points
