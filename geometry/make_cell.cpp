#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "geometry/bounds.h"
#include "geometry/enclose.h"

namespace intervox::geometry {

namespace {

/** A polytope may reach this far beyond a box around it, as a share of the box: rounding. */
constexpr double kBeyond = 1e-9;

/** Clips the enclosing polytope where it reaches beyond the box that the cell is known to lie in.
 Returns whether it does. */
bool Confine(const Aabb& within, double scale, EnclosingPolytope* hull) {
  const double size = Norm(within.upper - within.lower);
  const double slack = std::isfinite(size) ? kBeyond * size : kBeyond * scale;
  const std::size_t before = hull->cuts.size();
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 n;
    n[axis] = 1;
    const double upper = within.upper[axis], lower = within.lower[axis];
    if (hull->polytope.upper[axis] > upper + slack) hull->cuts.push_back({n, upper, -1});
    if (hull->polytope.lower[axis] < lower - slack) hull->cuts.push_back({-n, -lower, -1});
  }
  if (hull->cuts.size() == before) return false;
  hull->polytope = ClipPolytope(hull->cuts, scale);
  return true;
}

}  // namespace

Cell MakeCell(std::vector<Surface> surfaces, std::string name) {
  const double inf = std::numeric_limits<double>::infinity();
  const Aabb anywhere{{-inf, -inf, -inf}, {inf, inf, inf}};
  return MakeCellWithin(anywhere, std::move(surfaces), std::move(name));
}

Cell MakeCellWithin(const Aabb& within, std::vector<Surface> surfaces, std::string name) {
  if (surfaces.empty()) {
    throw std::invalid_argument("cell '" + name +
                                "': it has no surface. List at least one bounding surface.");
  }
  EnclosingPolytope hull = Enclose(surfaces);
  // Nothing else that bounds a cell knows of its holes.
  const bool confined = Confine(within, LengthScale(surfaces), &hull);
  Cell cell = MakeCellIn(hull, std::move(surfaces), std::move(name));
  cell.filled = !confined;
  return cell;
}

Cell MakeCellIn(const EnclosingPolytope& hull, std::vector<Surface> surfaces, std::string name) {
  Cell cell;
  const double scale = LengthScale(surfaces);
  cell.bounds = EnclosingBox(surfaces, hull.polytope);
  cell.bounded = hull.polytope.bounded;
  cell.polytope = true;
  std::vector<PlaneCut> planes;
  planes.reserve(surfaces.size());
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (surfaces[i].kind == SurfaceKind::kPlane) {
      planes.push_back(ToCut(surfaces[i], static_cast<int>(i)));
    } else {
      cell.polytope = false;
    }
  }
  const int number = static_cast<int>(planes.size());
  // The enclosing polytope is that of the planes where nothing else cut it.
  const bool planes_only = cell.polytope || hull.cuts.size() == planes.size();
  Polytope clipped;
  if (!planes_only) clipped = ClipIfBounded(planes, scale);
  const Polytope* closed = planes_only ? &hull.polytope : &clipped;
  if (!closed->bounded) {  // the bounds close what the planes leave open
    for (int k = 0; k < 3; ++k) {
      const Vec3 n = cell.bounds.X.R.Col(k);
      const double o = Dot(n, cell.bounds.X.p);
      if (!(cell.bounds.half[k] < kUnboundedReach * scale)) continue;
      planes.push_back({n, o + cell.bounds.half[k], -1});
      planes.push_back({-n, -o + cell.bounds.half[k], -1});
    }
    clipped = ClipPolytope(planes, scale);
    closed = &clipped;
  }
  cell.faces.reserve(closed->faces.size());
  for (const PolytopeFace& face : closed->faces) {
    if (face.cut >= number) continue;
    const std::span<const Vec3> corners = closed->Corners(face);
    cell.faces.push_back({planes[face.cut].id, {corners.begin(), corners.end()}});
  }
  cell.surfaces = std::move(surfaces);
  cell.name = std::move(name);
  IndexCorners(&cell);
  return cell;
}

}  // namespace intervox::geometry
