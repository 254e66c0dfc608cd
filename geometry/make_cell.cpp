#include <stdexcept>
#include <utility>

#include "geometry/enclose.h"

namespace intervox::geometry {

Cell MakeCell(std::vector<Surface> surfaces, std::string name) {
  if (surfaces.empty()) {
    throw std::invalid_argument("cell '" + name +
                                "': it has no surface. List at least one bounding surface.");
  }
  Cell cell;
  const EnclosingPolytope hull = Enclose(surfaces);
  cell.bounds = EnclosingBox(surfaces, hull.polytope);
  cell.bounded = hull.polytope.bounded;
  cell.polytope = true;
  std::vector<PlaneCut> planes;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (surfaces[i].kind == SurfaceKind::kPlane) {
      planes.push_back(ToCut(surfaces[i], static_cast<int>(i)));
    } else {
      cell.polytope = false;
    }
  }
  const int number = static_cast<int>(planes.size());
  const double scale = LengthScale(surfaces);
  // Without curved surfaces the enclosing polytope is the cell itself.
  Polytope closed = cell.polytope ? hull.polytope : ClipPolytope(planes, scale);
  if (!closed.bounded) {  // the bounds close what the planes leave open
    for (int k = 0; k < 3; ++k) {
      const Vec3 n = cell.bounds.X.R.Col(k);
      const double o = Dot(n, cell.bounds.X.p);
      if (!(cell.bounds.half[k] < kUnboundedReach * scale)) continue;
      planes.push_back({n, o + cell.bounds.half[k], -1});
      planes.push_back({-n, -o + cell.bounds.half[k], -1});
    }
    closed = ClipPolytope(planes, scale);
  }
  for (const PolytopeFace& face : closed.faces) {
    if (face.cut < number) cell.faces.push_back({planes[face.cut].id, face.p});
  }
  cell.surfaces = std::move(surfaces);
  cell.name = std::move(name);
  IndexCorners(&cell);
  return cell;
}

}  // namespace intervox::geometry
