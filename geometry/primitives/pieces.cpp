#include "geometry/primitives/pieces.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "geometry/primitives/box.h"
#include "geometry/primitives/capsule.h"
#include "geometry/primitives/cone.h"
#include "geometry/primitives/convex.h"
#include "geometry/primitives/cylinder.h"
#include "geometry/primitives/ellipsoid.h"
#include "geometry/primitives/extrude.h"
#include "geometry/primitives/fillet.h"
#include "geometry/primitives/half_space.h"
#include "geometry/primitives/half_spaces.h"
#include "geometry/primitives/prism.h"
#include "geometry/primitives/quadric.h"
#include "geometry/primitives/revolve.h"
#include "geometry/primitives/rounded_box.h"
#include "geometry/primitives/sphere.h"
#include "geometry/primitives/thread.h"
#include "geometry/primitives/torus.h"
#include "geometry/primitives/wedge.h"

namespace intervox::geometry {

Pieces ToPieces(const Primitive& primitive, const std::string& place) {
  return std::visit([&place](const auto& p) { return ToPieces(p, place); }, primitive);
}

std::string PrimitiveName(const Primitive& primitive) {
  return std::visit([](const auto& p) { return KeyOf(p); }, primitive);
}

void Refuse(const std::string& place, const std::string& what, double value,
            const std::string& remedy) {
  char number[32];
  std::snprintf(number, sizeof number, "%.9g", value);
  throw std::invalid_argument(place + ": " + what + " is " + number + ". " + remedy);
}

void RequirePositive(const std::string& place, const std::string& what, double value) {
  if (value >= kSmallestLength && value <= kLargestLength) return;
  Refuse(place, what, value,
         "Give a positive finite number from 1e-12 to 1e12 (lengths in metres).");
}

void RequireFinite(const std::string& place, const std::string& what, const Vec3& value) {
  for (int k = 0; k < 3; ++k) {
    if (std::isfinite(value[k])) continue;
    Refuse(place, what + "[" + std::to_string(k) + "]", value[k], "Give finite numbers.");
  }
}

void RequirePosition(const std::string& place, const std::string& what, const Vec3& value) {
  RequireFinite(place, what, value);
  for (int k = 0; k < 3; ++k) {
    if (std::abs(value[k]) <= kLargestLength) continue;
    Refuse(place, what + "[" + std::to_string(k) + "]", value[k],
           "Give coordinates in metres, at most 1e12 in size.");
  }
}

}  // namespace intervox::geometry
