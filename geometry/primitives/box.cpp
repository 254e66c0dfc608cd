#include "geometry/primitives/box.h"

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Box& primitive, const std::string& place) {
  SurfaceList planes;
  for (int k = 0; k < 3; ++k) {
    RequirePositive(place, "size[" + std::to_string(k) + "]", primitive.size[k]);
    for (int sign = -1; sign <= 1; sign += 2) {
      Vec3 n;
      n[k] = sign;
      planes.push_back(MakePlane(n, 0.5 * primitive.size[k]));
    }
  }
  return {planes};
}

}  // namespace intervox::geometry
