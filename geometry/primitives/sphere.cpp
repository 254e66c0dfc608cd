#include "geometry/primitives/sphere.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Sphere& primitive, const std::string& place) {
  RequirePositive(place, "radius", primitive.radius);
  return {{MakeEllipsoid({primitive.radius, primitive.radius, primitive.radius})}};
}

}  // namespace intervox::geometry
