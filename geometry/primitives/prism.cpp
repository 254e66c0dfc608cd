#include "geometry/primitives/prism.h"

#include <cmath>
#include <numbers>

#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Prism& primitive, const std::string& place) {
  if (primitive.sides < 3 || primitive.sides > kMostPrismSides) {
    Refuse(place, "sides", primitive.sides, "Give a number from 3 to 1000.");
  }
  RequirePositive(place, "radius", primitive.radius);
  RequirePositive(place, "height", primitive.height);
  const double h = 0.5 * primitive.height, half = std::numbers::pi / primitive.sides;
  SurfaceList planes{MakePlane({0, 0, 1}, h), MakePlane({0, 0, -1}, h)};
  for (int k = 0; k < primitive.sides; ++k) {
    const double middle = (2 * k + 1) * half;
    planes.push_back(
        MakePlane({std::cos(middle), std::sin(middle), 0}, primitive.radius * std::cos(half)));
  }
  return {planes};
}

}  // namespace intervox::geometry
