#include "geometry/primitives/cylinder.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Cylinder& primitive, const std::string& place) {
  RequirePositive(place, "radius", primitive.radius);
  RequirePositive(place, "height", primitive.height);
  return {{MakeCylinder(primitive.radius), MakePlane(Vec3{0, 0, -1}, 0.5 * primitive.height),
           MakePlane(Vec3{0, 0, 1}, 0.5 * primitive.height)}};
}

}  // namespace intervox::geometry
