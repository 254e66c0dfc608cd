#include "geometry/primitives/torus.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Torus& primitive, const std::string& place) {
  RequirePositive(place, "major_radius", primitive.major_radius);
  RequirePositive(place, "minor_radius", primitive.minor_radius);
  if (primitive.minor_radius >= primitive.major_radius) {
    Refuse(place, "minor_radius", primitive.minor_radius,
           "It must be below major_radius, or the torus meets itself.");
  }
  return {{MakeTorus(primitive.major_radius, primitive.minor_radius)}};
}

}  // namespace intervox::geometry
