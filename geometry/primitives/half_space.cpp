#include "geometry/primitives/half_space.h"

#include <algorithm>

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const HalfSpace& primitive, const std::string& place) {
  RequireFinite(place, "normal", primitive.normal);
  RequireFinite(place, "offset", {primitive.offset, 0, 0});
  const Vec3 a = Abs(primitive.normal);
  const double largest = std::max({a.x, a.y, a.z});
  if (!(largest > 0)) {
    Refuse(place, "the length of the normal", 0, "Give a normal that is not zero.");
  }
  const Vec3 scaled = primitive.normal / largest;  // no overflow in the norm
  const double norm = Norm(scaled);
  const double offset = primitive.offset / largest / norm;
  RequirePosition(place, "the offset over the normal's length", {offset, 0, 0});
  return {{MakePlane(scaled / norm, offset)}};
}

}  // namespace intervox::geometry
