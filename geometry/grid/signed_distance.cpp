#include "geometry/grid/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "geometry/closest.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

using internal::ClosestPoints;

/** A closest point of one surface of a cell. */
struct Foot {
  int surface = 0;
  Vec3 x;
  double distance = 0.0;
};

double DistanceToBox(const OrientedBox& box, const Vec3& p) {
  const Vec3 y = Abs(TransposeTimes(box.X.R, p - box.X.p)) - box.half;
  return Norm(Max(y, Vec3{}));
}

}  // namespace

SignedDistance::SignedDistance(std::span<const Cell> cells) {
  if (cells.empty()) throw std::invalid_argument("a shape without cells has no boundary");
  lower_ = {1e300, 1e300, 1e300};
  upper_ = -lower_;
  std::vector<Aabb> boxes;
  boxes.reserve(cells.size());
  for (const Cell& cell : cells) {
    if (cell.grid.field != nullptr) {
      throw std::invalid_argument("cell '" + cell.name +
                                  "' is a grid already; name the shape that it was made of");
    }
    if (!cell.bounded) {
      throw std::invalid_argument("cell '" + cell.name +
                                  "' is unbounded; intersect the shape with a box first");
    }
    const Vec3 reach{Dot(Abs(cell.bounds.X.R.row0), cell.bounds.half),
                     Dot(Abs(cell.bounds.X.R.row1), cell.bounds.half),
                     Dot(Abs(cell.bounds.X.R.row2), cell.bounds.half)};
    cells_.push_back(cell);
    boxes.push_back({cell.bounds.X.p - reach, cell.bounds.X.p + reach});
    lower_ = Min(lower_, boxes.back().lower);
    upper_ = Max(upper_, boxes.back().upper);
  }
  tree_ = BoxTree(boxes);
  tolerance_ = 1e-10 * Norm(upper_ - lower_);
}

bool SignedDistance::Accepts(const Cell& cell, const Vec3& x) const {
  return std::all_of(cell.surfaces.begin(), cell.surfaces.end(), [&](const Surface& s) {
    const bool plane = s.kind == SurfaceKind::kPlane;
    const double f = plane ? Dot(s.PlaneNormal(), x - s.o) : Value(s, x);
    return s.side * f <= tolerance_;
  });
}

bool SignedDistance::Contains(const Vec3& p) const {
  return tree_.AnyWithin(p, 2 * tolerance_, [&](int k) { return Accepts(cells_[k], p); });
}

bool SignedDistance::OnBoundary(const Vec3& x, std::span<const Vec3> normals) const {
  // Some way to leave the union must start at x: look into every octant of the normals.
  const double step = 1e4 * tolerance_;
  const int count = static_cast<int>(normals.size());
  for (int signs = (1 << count) - 1; signs >= 0; --signs) {
    Vec3 d;
    for (int k = 0; k < count; ++k) d += ((signs >> k) & 1) != 0 ? normals[k] : -normals[k];
    const double length = Norm(d);
    if (length > 1e-3 && !Contains(x + (step / length) * d)) return true;
  }
  return false;
}

void SignedDistance::Improve(const Cell& cell, const Vec3& p, bool is_inside, double* best) const {
  const std::vector<Surface>& surfaces = cell.surfaces;
  const auto offer = [&](const Vec3& x, std::span<const Vec3> normals) {
    const double d = Norm(x - p);
    if (d < *best && Accepts(cell, x) && (!is_inside || OnBoundary(x, normals))) *best = d;
  };
  std::vector<Foot> feet;  // of the globally closest points, which bound edges from below
  for (int i = 0; i < static_cast<int>(surfaces.size()); ++i) {
    const Surface& s = surfaces[i];
    const bool plane = s.kind == SurfaceKind::kPlane;
    if (plane && std::fabs(Dot(s.PlaneNormal(), p - s.o)) > *best + tolerance_) continue;
    const ClosestPoints closest = internal::ClosestOnSurface(s, p);
    for (int k = 0; k < closest.count; ++k) {
      const Vec3& x = closest.x[k];
      const double d = Norm(x - p);
      if (k == 0 && d < *best) feet.push_back({i, x, d});
      const Vec3 n[] = {OutwardNormal(s, x)};
      if (d < *best) offer(x, n);
    }
  }
  // An edge is no nearer than the surfaces that meet in it.
  for (std::size_t a = 0; a < feet.size(); ++a) {
    for (std::size_t b = a + 1; b < feet.size(); ++b) {
      if (std::max(feet[a].distance, feet[b].distance) >= *best) continue;
      const Surface& s_a = surfaces[feet[a].surface];
      const Surface& s_b = surfaces[feet[b].surface];
      Vec3 x = 0.5 * (feet[a].x + feet[b].x);
      if (!internal::ClosestOnCurve(s_a, s_b, p, &x)) continue;
      if (Norm(x - p) >= *best) continue;
      const Vec3 n[] = {OutwardNormal(s_a, x), OutwardNormal(s_b, x)};
      offer(x, n);
      for (std::size_t c = 0; c < feet.size(); ++c) {
        if (c == a || c == b || feet[c].distance >= *best) continue;
        const Surface& s_c = surfaces[feet[c].surface];
        if (Level(s_c, x) <= tolerance_) continue;  // the edge's closest point is on its kept side
        Vec3 corner = x;
        if (!internal::FindCorner(s_a, s_b, s_c, &corner)) continue;
        const Vec3 m[] = {OutwardNormal(s_a, corner), OutwardNormal(s_b, corner),
                          OutwardNormal(s_c, corner)};
        offer(corner, m);
      }
    }
  }
}

double SignedDistance::operator()(const Vec3& p, double reach) const {
  const bool is_inside = Contains(p);
  double best = reach;
  tree_.AnyWithin(p, best, [&](int k) {
    if (DistanceToBox(cells_[k].bounds, p) < best) Improve(cells_[k], p, is_inside, &best);
    return false;
  });
  return is_inside ? -best : best;
}

}  // namespace intervox::geometry
