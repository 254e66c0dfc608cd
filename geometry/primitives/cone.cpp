#include "geometry/primitives/cone.h"

#include <cmath>

#include "geometry/make_surface.h"
#include "geometry/primitives/cylinder.h"

namespace intervox::geometry {
namespace {

/** Radii whose difference is below this share of the larger one make a cylinder: the apex would
 lie further away than positions can be told apart there. */
constexpr double kCylindrical = 1e-12;

void RequireRadius(const std::string& place, const std::string& what, double value) {
  if (value == 0 || (value >= kSmallestLength && value <= kLargestLength)) return;
  Refuse(place, what, value,
         "Give a finite length in metres, at least 0 (0 or from 1e-12 to 1e12).");
}

}  // namespace

Pieces ToPieces(const Cone& primitive, const std::string& place) {
  const double bottom = primitive.radius_bottom, top = primitive.radius_top;
  RequireRadius(place, "radius_bottom", bottom);
  RequireRadius(place, "radius_top", top);
  RequirePositive(place, "height", primitive.height);
  const double large = std::max(bottom, top), small = std::min(bottom, top);
  if (!(large > 0)) {
    Refuse(place, "radius_bottom", bottom, "At least one of the two radii must be positive.");
  }
  if (large - small <= kCylindrical * large) {
    return ToPieces(Cylinder{large, primitive.height}, place);
  }
  const double slope = (large - small) / primitive.height;
  const double apex = 0.5 * primitive.height + small / slope;  // distance from the centre
  Pose X;  // axis from the apex to the larger end
  if (bottom > top) {
    X.R = Mat3::FromColumns({1, 0, 0}, {0, -1, 0}, {0, 0, -1});
    X.p = {0, 0, apex};
  } else {
    X.p = {0, 0, -apex};
  }
  SurfaceList surfaces{MakeCone(slope, large / slope, X)};
  if (bottom > 0) surfaces.push_back(MakePlane(Vec3{0, 0, -1}, 0.5 * primitive.height));
  if (top > 0) surfaces.push_back(MakePlane(Vec3{0, 0, 1}, 0.5 * primitive.height));
  return {surfaces};
}

}  // namespace intervox::geometry
