#include "host/render/hierarchy.h"

#include <algorithm>
#include <cmath>

#include "geometry/grid/ray.h"
#include "geometry/make_surface.h"
#include "geometry/ray.h"
#include "geometry/surface_eval.h"

namespace intervox::host::internal {
namespace {

/** Whether the ray meets the box within (t_min, t_max); `inverse` holds 1/direction. */
bool MeetsBox(const geometry::Aabb& box, const Vec3& origin, const Vec3& inverse, double t_min,
              double t_max) {
  for (int k = 0; k < 3; ++k) {
    const double a = (box.lower[k] - origin[k]) * inverse[k];
    const double b = (box.upper[k] - origin[k]) * inverse[k];
    // With a direction of zero a or b is NaN only on the box's face; the comparisons then keep it.
    t_min = std::max(t_min, std::min(a, b));
    t_max = std::min(t_max, std::max(a, b));
  }
  return t_min <= t_max;
}

}  // namespace

Hierarchy::Hierarchy(const std::vector<RenderBody>& bodies, const std::vector<int>& listed) {
  for (const int b : listed) {
    const RenderBody& body = bodies[b];
    for (const geometry::Cell& cell_B : body.cells) {
      PosedCell posed;
      posed.body = b;
      posed.cell.bounded = cell_B.bounded;
      posed.cell.polytope = cell_B.polytope;
      posed.cell.bounds = {body.X_WB * cell_B.bounds.X, cell_B.bounds.half};
      for (const geometry::Surface& s : cell_B.surfaces) {
        posed.cell.surfaces.push_back(body.X_WB * s);
      }
      posed.cell.grid = cell_B.grid;
      posed.cell.grid.X_CG = body.X_WB * cell_B.grid.X_CG;
      posed.first_cut = static_cast<int>(posed.cell.surfaces.size());
      for (const CutPlane& cut : body.cuts) {
        posed.cell.surfaces.push_back(geometry::MakePlane(cut.normal, cut.offset));
      }
      cells_.push_back(std::move(posed));
    }
  }
  const auto is_bounded = [](const PosedCell& c) { return c.cell.bounded; };
  std::stable_partition(cells_.begin(), cells_.end(), is_bounded);
  std::vector<geometry::Aabb> boxes;
  for (const PosedCell& posed : cells_) {
    if (!posed.cell.bounded) break;
    const geometry::OrientedBox& box = posed.cell.bounds;
    const Vec3 reach{Dot(Abs(box.X.R.row0), box.half), Dot(Abs(box.X.R.row1), box.half),
                     Dot(Abs(box.X.R.row2), box.half)};
    boxes.push_back({box.X.p - reach, box.X.p + reach});
  }
  bounded_ = static_cast<int>(boxes.size());
  if (bounded_ > 0) boxes_ = geometry::BoxTree(boxes);
}

bool Hierarchy::HitCell(int index, const Vec3& origin, const Vec3& direction, double t_min,
                        double t_max, SurfaceHit* hit) const {
  const PosedCell& posed = cells_[index];
  const std::vector<geometry::Surface>& surfaces = posed.cell.surfaces;
  // The planes first: most cells are bounded by planes only, and they refuse most rays.
  double lo = t_min;
  double hi = t_max;
  int entry = -1;
  bool curved = false;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const geometry::Surface& s = surfaces[k];
    if (s.kind != geometry::SurfaceKind::kPlane) {
      curved = true;
      continue;
    }
    const Vec3 n = s.side * s.PlaneNormal();
    const double speed = Dot(n, direction);
    const double height = Dot(n, origin - s.o);
    if (speed < 0) {
      const double t = -height / speed;
      if (t > lo) {
        lo = t;
        entry = static_cast<int>(k);
      }
    } else if (speed > 0) {
      hi = std::min(hi, -height / speed);
    } else if (height > 0) {
      return false;
    }
    if (lo >= hi) return false;
  }
  if (posed.cell.grid.field != nullptr) {
    // The planes around the blocks are no surfaces; a cut plane is one where it is entered inside.
    bool inside = false;
    const auto entered = geometry::FirstEntry(posed.cell.grid, origin, direction, lo, hi, &inside);
    if (!inside || entry < posed.first_cut) {
      if (!entered) return false;
      lo = entered->t;
      entry = kGridSurface;
      hit->normal = entered->normal;
    }
  } else if (curved) {
    geometry::RayHit inner;
    // From t_min on, not from lo: a start inside the cell is no entry.
    if (!geometry::FirstHit({&posed.cell, 1}, origin, direction, t_min, hi, &inner)) return false;
    if (inner.surface < 0) return false;
    entry = inner.surface;
    lo = inner.t;
  }
  if (entry == -1) return false;
  hit->t = lo;
  hit->body = posed.body;
  hit->cell = index;
  hit->surface = entry;
  hit->cut = entry >= posed.first_cut;
  return true;
}

template <class Visit>
void Hierarchy::Walk(const Vec3& origin, const Vec3& direction, double t_min, double t_max,
                     Visit&& visit) const {
  for (int i = bounded_; i < static_cast<int>(cells_.size()); ++i) t_max = visit(i, t_max);
  const Vec3 inverse{1 / direction.x, 1 / direction.y, 1 / direction.z};
  const auto meets = [&](const geometry::Aabb& box) {
    return MeetsBox(box, origin, inverse, t_min, t_max);
  };
  boxes_.Any(meets, [&](int i) {
    t_max = visit(i, t_max);
    return t_max <= t_min;
  });
}

SurfaceHit Hierarchy::FirstHit(const Vec3& origin, const Vec3& direction, double t_min,
                               double t_max) const {
  SurfaceHit best;
  Walk(origin, direction, t_min, t_max, [&](int i, double limit) {
    return HitCell(i, origin, direction, t_min, limit, &best) ? best.t : limit;
  });
  if (best.body >= 0 && best.surface != kGridSurface) {
    const geometry::Surface& s = cells_[best.cell].cell.surfaces[best.surface];
    best.normal = geometry::OutwardNormal(s, origin + best.t * direction);
  }
  return best;
}

bool Hierarchy::Occluded(const Vec3& origin, const Vec3& direction, double t_min,
                         double t_max) const {
  SurfaceHit hit;
  Walk(origin, direction, t_min, t_max, [&](int i, double limit) {
    // One hit is enough: nothing is left to look for.
    const bool done = hit.body >= 0 || HitCell(i, origin, direction, t_min, limit, &hit);
    return done ? t_min : limit;
  });
  return hit.body >= 0;
}

}  // namespace intervox::host::internal
