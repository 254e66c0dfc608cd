#include "geometry/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/box_index.h"

namespace intervox::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/** Room for the rounding of a support, as a share of the coordinates' size. */
constexpr double kSlack = 1e-15;

/** max n·x over an oriented box. */
double BoxSupport(const OrientedBox& box, const Vec3& n) {
  double s = Dot(n, box.X.p);
  for (int k = 0; k < 3; ++k) {
    const double c = std::abs(Dot(n, box.X.R.Col(k)));
    if (c > 0) s += c * box.half[k];
  }
  return s;
}

/** max n·x over the part of a curved solid f ≤ 0 that lies in the box. */
double CurvedSupport(const Surface& S, const OrientedBox& box, const Vec3& n) {
  const Vec3 m = TransposeTimes(S.R, n);
  const double across = std::sqrt(std::max(0.0, m.x * m.x + m.y * m.y));
  const Vec3 axis = S.R.Col(2);
  const double lo = -BoxSupport(box, -axis) - Dot(axis, S.o);
  const double hi = BoxSupport(box, axis) - Dot(axis, S.o);
  const double at = Dot(n, S.o);
  switch (S.kind) {
    case SurfaceKind::kEllipsoid: {
      double square = 0;
      for (int k = 0; k < 3; ++k) square += m[k] * m[k] * (-S.c / S.e[k]);
      return at + std::sqrt(square);
    }
    case SurfaceKind::kCylinder:
      if (m.z == 0) return at + across * std::sqrt(-S.c / S.e.x);
      return at + across * std::sqrt(-S.c / S.e.x) + std::max(m.z * lo, m.z * hi);
    case SurfaceKind::kCone: {
      const double slope = m.z + across * std::sqrt(-S.e.z / S.e.x);
      if (slope == 0) return at;
      return at + std::max(slope * std::max(lo, 0.0), slope * hi);
    }
    case SurfaceKind::kTorus:
      return at + across * S.e.x + S.e.y;
    default:
      return kInfinity;
  }
}

double Support(const Cell& cell, const Vec3& n) {
  double s = BoxSupport(cell.bounds, n);
  if (cell.polytope && cell.bounded && !cell.faces.empty()) {
    double most = -kInfinity;
    for (const FacePolygon& face : cell.faces) {
      for (const Vec3& p : face.p_C) most = std::max(most, Dot(n, p));
    }
    s = std::min(s, most);
  }
  for (const Surface& S : cell.surfaces) {
    if (S.side < 0) continue;
    if (S.kind == SurfaceKind::kPlane) {
      const Vec3 m = S.PlaneNormal();
      if (SquaredNorm(m - n) < 1e-30) s = std::min(s, Dot(n, S.o));
    } else {
      s = std::min(s, CurvedSupport(S, cell.bounds, n));
    }
  }
  return s;
}

}  // namespace

Aabb BoundsInPose(const Cell& cell, const Pose& X_WC) {
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = X_WC.R.Row(k);  // the world axis, in C
    const double up = Support(cell, n), down = Support(cell, -n);
    const double slack = kSlack * (Norm(cell.bounds.X.p) + std::abs(X_WC.p[k]));
    box.upper[k] = X_WC.p[k] + up + (up < kInfinity ? slack + kSlack * std::abs(up) : 0);
    box.lower[k] = X_WC.p[k] - down - (down < kInfinity ? slack + kSlack * std::abs(down) : 0);
  }
  return box;
}

Aabb BoundsInPose(std::span<const Cell> cells, const Pose& X_WC) {
  Aabb box{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const Cell& cell : cells) {
    const Aabb b = BoundsInPose(cell, X_WC);
    box.lower = Min(box.lower, b.lower);
    box.upper = Max(box.upper, b.upper);
  }
  return box;
}

bool Overlap(const Aabb& a, const Aabb& b) {
  for (int k = 0; k < 3; ++k) {
    if (a.lower[k] > b.upper[k] || b.lower[k] > a.upper[k]) return false;
  }
  return true;
}

std::vector<std::pair<int, int>> NearPairs(std::span<const Aabb> boxes) {
  std::vector<std::pair<int, int>> pairs;
  BoxIndex index;
  std::vector<int> near;
  index.Add({boxes.begin(), boxes.end()});
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    index.Find(boxes[a], &near);
    const auto above = std::upper_bound(near.begin(), near.end(), static_cast<int>(a));
    for (auto b = above; b != near.end(); ++b) pairs.emplace_back(static_cast<int>(a), *b);
  }
  return pairs;
}

}  // namespace intervox::geometry
