#include "geometry/primitives/half_spaces.h"

#include <stdexcept>

#include "geometry/enclose.h"
#include "geometry/primitives/half_space.h"

namespace intervox::geometry {

Pieces ToPieces(const HalfSpaces& primitive, const std::string& place) {
  if (primitive.half_spaces.empty()) {
    throw std::invalid_argument(place + ": half_spaces is an empty list. Give at least one.");
  }
  SurfaceList planes;
  for (std::size_t i = 0; i < primitive.half_spaces.size(); ++i) {
    const std::string item = place + ": half_spaces[" + std::to_string(i) + "]";
    planes.push_back(ToPieces(primitive.half_spaces[i], item).front().front());
  }
  const EnclosingPolytope hull = Enclose(planes);
  if (hull.polytope.empty) {
    throw std::invalid_argument(
        place +
        ": the half-spaces have no common interior. Check normals and offsets; the solid "
        "is normal·p <= offset.");
  }
  SurfaceList kept;
  for (const PolytopeFace& face : hull.polytope.faces) {
    if (face.cut < static_cast<int>(planes.size())) kept.push_back(planes[face.cut]);
  }
  return {kept};
}

}  // namespace intervox::geometry
