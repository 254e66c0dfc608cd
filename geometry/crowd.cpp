#include "geometry/crowd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/box_around.h"
#include "geometry/enclose.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

bool IsPlane(const Surface& S) { return S.kind == SurfaceKind::kPlane; }

/** Where along the axes each surface may bound the cell. */
std::vector<Aabb> Reaches(const RawCell& cell) {
  std::vector<Surface> around;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 n;
    n[axis] = 1;
    if (std::isfinite(cell.box.upper[axis])) around.push_back(MakePlane(n, cell.box.upper[axis]));
    if (std::isfinite(cell.box.lower[axis])) around.push_back(MakePlane(-n, -cell.box.lower[axis]));
  }
  std::vector<Aabb> reaches;
  for (const Surface& S : cell.surfaces) {
    if (IsPlane(S)) continue;
    std::vector<Surface> inside = around;
    inside.push_back(S.side > 0 ? S : Complement(S));
    reaches.push_back(MakeRawCell(std::move(inside), "", -1).box);
  }
  const EnclosingPolytope hull = Enclose(cell.surfaces);
  for (const PolytopeFace& face : hull.polytope.faces) {
    const bool plane = face.cut < static_cast<int>(hull.cuts.size()) &&
                       hull.cuts[static_cast<std::size_t>(face.cut)].id >= 0;
    if (!plane) continue;
    reaches.push_back(BoxAround(hull.polytope.Corners(face)));
  }
  return reaches;
}

/** A plane x_axis = at, and the most surfaces that reach either of its sides. */
struct Cut {
  int axis = 0;
  double at = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

Cut BestAlong(const std::vector<Aabb>& reaches, int axis) {
  std::vector<double> lower, upper, centers;
  for (const Aabb& r : reaches) {
    lower.push_back(r.lower[axis]);
    upper.push_back(r.upper[axis]);
    const double center = 0.5 * (r.lower[axis] + r.upper[axis]);
    if (std::isfinite(center)) centers.push_back(center);
  }
  std::sort(lower.begin(), lower.end());
  std::sort(upper.begin(), upper.end());
  std::sort(centers.begin(), centers.end());
  Cut best;
  for (std::size_t k = 1; k < centers.size(); ++k) {
    const double at = 0.5 * (centers[k - 1] + centers[k]);
    if (!(centers[k - 1] < at && at < centers[k])) continue;
    const auto below = std::lower_bound(lower.begin(), lower.end(), at) - lower.begin();
    const auto above = upper.end() - std::upper_bound(upper.begin(), upper.end(), at);
    const auto most = static_cast<std::size_t>(std::max(below, above));
    if (most < best.most) best = {axis, at, most};
  }
  return best;
}

/** The parts of a cell below and above a cut; nothing where one of them has no volume. */
std::vector<RawCell> Sides(const RawCell& cell, const Cut& cut, Effort* effort) {
  Vec3 n;
  n[cut.axis] = 1;
  Surface plane = MakePlane(n, cut.at);
  plane.node = cell.node;
  std::vector<RawCell> sides{cell, cell};
  sides[0].surfaces.push_back(plane);
  sides[1].surfaces.push_back(Complement(plane));
  if (!Simplify(&sides[0], effort) || !Simplify(&sides[1], effort)) return {};
  return sides;
}

}  // namespace

bool IsCrowded(std::span<const Surface> surfaces) {
  const auto planes = std::count_if(surfaces.begin(), surfaces.end(), IsPlane);
  const auto all = static_cast<std::ptrdiff_t>(surfaces.size());
  return all - planes > kMostCurved || (all > planes && all > kMostSurfaces);
}

std::vector<RawCell> SplitCrowd(RawCell cell, Effort* effort) {
  if (!IsCrowded(cell.surfaces)) return {std::move(cell)};
  const std::vector<Aabb> reaches = Reaches(cell);
  std::array<Cut, 3> cuts;
  for (int axis = 0; axis < 3; ++axis) cuts[axis] = BestAlong(reaches, axis);
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const Cut& a, const Cut& b) { return a.most < b.most; });
  for (const Cut& cut : cuts) {
    if (cut.most >= reaches.size()) break;
    const auto is_smaller = [&](const RawCell& side) {
      return side.surfaces.size() < cell.surfaces.size();
    };
    std::vector<RawCell> sides = Sides(cell, cut, effort), parts;
    if (sides.empty() || !std::all_of(sides.begin(), sides.end(), is_smaller)) continue;
    for (RawCell& side : sides) {
      for (RawCell& part : SplitCrowd(std::move(side), effort)) parts.push_back(std::move(part));
    }
    return parts;
  }
  return {std::move(cell)};
}

std::vector<RawCell> SplitForTools(const RawCell& cell, std::span<const int> near,
                                   const std::vector<RawCell>& tools, Effort* effort) {
  if (near.size() <= kMostTools) return {};
  Cut best;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> lower, upper;
    for (const int k : near) {
      lower.push_back(tools[static_cast<std::size_t>(k)].box.lower[axis]);
      upper.push_back(tools[static_cast<std::size_t>(k)].box.upper[axis]);
    }
    std::sort(lower.begin(), lower.end());
    std::sort(upper.begin(), upper.end());
    // Between the tools that end and those that begin, in the middle half of the upper ends.
    for (std::size_t k = upper.size() / 4; k < 3 * upper.size() / 4; ++k) {
      const auto next = std::upper_bound(lower.begin(), lower.end(), upper[k]);
      if (next == lower.end() || !std::isfinite(upper[k])) continue;
      const double at = 0.5 * (upper[k] + *next);
      if (!(cell.box.lower[axis] < at && at < cell.box.upper[axis])) continue;
      const auto below = next - lower.begin();
      const auto above = upper.end() - std::upper_bound(upper.begin(), upper.end(), at);
      const auto most = static_cast<std::size_t>(std::max(below, above));
      if (most < best.most) best = {axis, at, most};
    }
  }
  if (best.most > near.size() - near.size() / 8) return {};
  return Sides(cell, best, effort);
}

}  // namespace intervox::geometry
