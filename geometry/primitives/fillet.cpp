#include "geometry/primitives/fillet.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Fillet& primitive, const std::string& place) {
  RequirePositive(place, "radius", primitive.radius);
  RequirePositive(place, "length", primitive.length);
  const double r = primitive.radius, h = 0.5 * primitive.length;
  return {{MakePlane({-1, 0, 0}, 0.0), MakePlane({0, -1, 0}, 0.0), MakePlane({0, 0, 1}, h),
           MakePlane({0, 0, -1}, h), MakePlane(Normalized(Vec3{1, 1, 0}), Vec3{r, 0, 0}),
           Complement(MakeCylinder(r, {Mat3::Identity(), {r, r, 0}}))}};
}

}  // namespace intervox::geometry
