#include "geometry/ray.h"

#include <algorithm>
#include <cmath>

#include "geometry/surface_eval.h"
#include "geometry/surface_ray.h"

namespace intervox::geometry {
namespace {

/** Stretches closer than this, relative to the ray's reach at them, are one. */
constexpr double kSeam = 1e-9;

/** The ray misses the cell's box, which is grown by rounding. */
bool Misses(const OrientedBox& box, const Vec3& origin, const Vec3& direction, double t_min,
            double t_max) {
  const Vec3 to_origin = origin - box.X.p;
  // The line passes outside the ball around the box: cheap, and true of most cells.
  const Vec3 across = Cross(to_origin, direction);
  const double room = SquaredNorm(direction) * SquaredNorm(box.half);
  if (SquaredNorm(across) >
      room * (1 + 1e-9) + 1e-24 * SquaredNorm(to_origin) * SquaredNorm(direction))
    return true;
  const Vec3 p = TransposeTimes(box.X.R, to_origin);
  const Vec3 d = TransposeTimes(box.X.R, direction);
  const double reach = Norm(p);
  for (int k = 0; k < 3; ++k) {
    const double half = box.half[k] + 1e-12 * (box.half[k] + reach);
    if (d[k] == 0) {
      if (std::abs(p[k]) > half) return true;
      continue;
    }
    const double a = (-half - p[k]) / d[k], b = (half - p[k]) / d[k];
    t_min = std::max(t_min, std::min(a, b));
    t_max = std::min(t_max, std::max(a, b));
    if (t_min > t_max) return true;
  }
  return false;
}

/** The stretches inside one cell, with room that is used again from cell to cell. */
class CellSpans {
 public:
  const std::vector<RaySpan>& Find(const Cell& cell, const Vec3& origin, const Vec3& direction,
                                   double t_min, double t_max) {
    spans_.clear();
    if (Misses(cell.bounds, origin, direction, t_min, t_max)) return spans_;
    spans_.push_back({t_min, t_max, -1, -1, -1});
    for (std::size_t i = 0; i < cell.surfaces.size() && !spans_.empty(); ++i) {
      Cut(RayIntervals(cell.surfaces[i], origin, direction, t_min, t_max), static_cast<int>(i));
    }
    return spans_;
  }

 private:
  /** Intersects the stretches with the surface's intervals. */
  void Cut(const Intervals& in, int surface) {
    parts_.clear();
    for (const RaySpan& span : spans_) {
      for (int k = 0; k < in.count; ++k) {
        RaySpan part = span;
        if (in.lo[k] > part.lo) part.lo = in.lo[k], part.entry = surface;
        if (in.hi[k] < part.hi) part.hi = in.hi[k], part.exit = surface;
        if (part.lo < part.hi) parts_.push_back(part);
      }
    }
    spans_.swap(parts_);
  }

  std::vector<RaySpan> spans_;
  std::vector<RaySpan> parts_;
};

}  // namespace

std::vector<RaySpan> RaySpans(const Cell& cell, const Vec3& origin, const Vec3& direction,
                              double t_min, double t_max) {
  return CellSpans().Find(cell, origin, direction, t_min, t_max);
}

std::vector<RaySpan> RaySpans(std::span<const Cell> cells, const Vec3& origin,
                              const Vec3& direction, double t_min, double t_max) {
  std::vector<RaySpan> all;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (RaySpan span : RaySpans(cells[c], origin, direction, t_min, t_max)) {
      span.cell = static_cast<int>(c);
      all.push_back(span);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RaySpan& a, const RaySpan& b) { return a.lo < b.lo; });
  std::vector<RaySpan> merged;
  for (const RaySpan& span : all) {
    const double seam = kSeam * (std::abs(span.lo) + (span.hi - span.lo));
    if (merged.empty() || span.lo > merged.back().hi + seam) {
      merged.push_back(span);
    } else if (span.hi > merged.back().hi) {
      merged.back().hi = span.hi;
      merged.back().exit = span.exit;
    }
  }
  return merged;
}

namespace {

bool IsCut(std::span<const Cell> cells, int cell, int surface) {
  return surface >= 0 &&
         cells[static_cast<std::size_t>(cell)].surfaces[static_cast<std::size_t>(surface)].cut;
}

/** Where rounding lets a ray slip in through a cut face at the rim of the solid, the true face is
 the one that it crosses last among the others. */
int FaceBesideCut(const Cell& cell, const RaySpan& first, const Vec3& origin,
                  const Vec3& direction) {
  int face = first.entry;
  double last = -internal::kFar;
  for (std::size_t i = 0; i < cell.surfaces.size(); ++i) {
    if (cell.surfaces[i].cut) continue;
    const Intervals in =
        RayIntervals(cell.surfaces[i], origin, direction, -internal::kFar, first.hi);
    for (int k = 0; k < in.count; ++k) {
      if (in.lo[k] <= -internal::kFar || in.lo[k] > first.lo || in.lo[k] <= last) continue;
      last = in.lo[k];
      face = static_cast<int>(i);
    }
  }
  return face;
}

}  // namespace

bool FirstHit(std::span<const Cell> cells, const Vec3& origin, const Vec3& direction, double t_min,
              double t_max, RayHit* hit) {
  RaySpan first;
  CellSpans finder;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::vector<RaySpan>& spans =
        finder.Find(cells[c], origin, direction, t_min, first.cell < 0 ? t_max : first.hi);
    if (spans.empty()) continue;
    RaySpan candidate = spans.front();
    candidate.cell = static_cast<int>(c);
    // On a seam between two cells the face that is no cut is the one to see.
    const double seam = kSeam * (std::abs(candidate.lo) + (candidate.hi - candidate.lo));
    const bool tie = first.cell >= 0 && std::abs(candidate.lo - first.lo) <= seam;
    const bool better = tie ? IsCut(cells, first.cell, first.entry) &&
                                  !IsCut(cells, candidate.cell, candidate.entry)
                            : first.cell < 0 || candidate.lo < first.lo;
    if (better) first = candidate;
  }
  if (first.cell < 0) return false;
  const Cell& cell = cells[static_cast<std::size_t>(first.cell)];
  if (IsCut(cells, first.cell, first.entry)) {
    first.entry = FaceBesideCut(cell, first, origin, direction);
  }
  hit->t = first.lo;
  hit->cell = first.cell;
  hit->surface = first.entry;
  hit->normal = first.entry < 0
                    ? -Normalized(direction)
                    : OutwardNormal(cell.surfaces[static_cast<std::size_t>(first.entry)],
                                    origin + first.lo * direction);
  return true;
}

}  // namespace intervox::geometry
