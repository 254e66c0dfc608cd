#include "geometry/primitives/capsule.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Capsule& primitive, const std::string& place) {
  RequirePositive(place, "radius", primitive.radius);
  RequirePositive(place, "length", primitive.length);
  const double r = primitive.radius, h = 0.5 * primitive.length;
  const Vec3 up{0, 0, 1}, down{0, 0, -1};
  const auto cut = [](const Vec3& n, double offset) {
    Surface plane = MakePlane(n, offset);
    plane.cut = true;
    return plane;
  };
  return {{MakeCylinder(r), cut(down, h), cut(up, h)},
          {MakeEllipsoid({r, r, r}, {Mat3::Identity(), {0, 0, -h}}), cut(up, -h)},
          {MakeEllipsoid({r, r, r}, {Mat3::Identity(), {0, 0, h}}), cut(down, -h)}};
}

}  // namespace intervox::geometry
