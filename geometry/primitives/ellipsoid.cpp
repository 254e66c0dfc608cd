#include "geometry/primitives/ellipsoid.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Ellipsoid& primitive, const std::string& place) {
  for (int k = 0; k < 3; ++k) {
    RequirePositive(place, "radii[" + std::to_string(k) + "]", primitive.radii[k]);
  }
  return {{MakeEllipsoid(primitive.radii)}};
}

}  // namespace intervox::geometry
