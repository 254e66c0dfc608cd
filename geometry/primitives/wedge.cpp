#include "geometry/primitives/wedge.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Wedge& primitive, const std::string& place) {
  for (int k = 0; k < 3; ++k) {
    RequirePositive(place, "size[" + std::to_string(k) + "]", primitive.size[k]);
  }
  if (!(primitive.top >= 0 && primitive.top <= primitive.size.x)) {
    Refuse(place, "top", primitive.top, "Give a length from 0 to size[0].");
  }
  const Vec3 h = 0.5 * primitive.size;
  const Vec3 slope{primitive.size.z, 0, primitive.size.x - primitive.top};
  SurfaceList planes{MakePlane({-1, 0, 0}, h.x), MakePlane({0, -1, 0}, h.y),
                     MakePlane({0, 1, 0}, h.y), MakePlane({0, 0, -1}, h.z),
                     MakePlane(Normalized(slope), Vec3{h.x, 0, -h.z})};
  if (primitive.top > 0) planes.push_back(MakePlane({0, 0, 1}, h.z));
  return {planes};
}

}  // namespace intervox::geometry
