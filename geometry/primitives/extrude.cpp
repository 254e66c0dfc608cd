#include "geometry/primitives/extrude.h"

#include <cmath>

#include "geometry/make_surface.h"
#include "geometry/primitives/outline.h"

namespace intervox::geometry {

Pieces ToPieces(const Extrude& primitive, const std::string& place) {
  RequirePositive(place, "height", primitive.height);
  const double h = 0.5 * primitive.height;
  Pieces pieces;
  for (const OutlinePart& part : OutlineParts(primitive.outline, place)) {
    SurfaceList piece{MakePlane({0, 0, 1}, h), MakePlane({0, 0, -1}, h)};
    for (const auto& [a, b] : part.lines) {
      const Vec3 right{b.y - a.y, a.x - b.x, 0};
      piece.push_back(MakePlane(Normalized(right), Vec3{a.x, a.y, 0}));
    }
    for (const OutlineCircle& circle : part.circles) {
      const Surface S =
          MakeCylinder(circle.radius, {Mat3::Identity(), {circle.center.x, circle.center.y, 0}});
      piece.push_back(circle.side > 0 ? S : Complement(S));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace intervox::geometry
