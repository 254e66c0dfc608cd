#include "host/impulse/slender_rod.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/input/error.h"

namespace intervox::host {
namespace {

void Check(const SlenderRod& rod) {
  const auto fail = [](const char* name, double value, const char* remedy) {
    throw InputError(fmt::format("slender rod: {}: {:g} is out of range. {}", name, value, remedy));
  };
  if (!(rod.mass > 0.0) || std::isinf(rod.mass)) {
    fail("mass", rod.mass, "Give a positive number of kilograms.");
  }
  if (!(rod.half_length > 0.0) || std::isinf(rod.half_length)) {
    fail("half_length", rod.half_length, "Give a positive number of metres.");
  }
  if (!(rod.angle > 0.0 && rod.angle <= 0.5 * std::numbers::pi)) {
    fail("angle", rod.angle, "Give radians above the floor, above 0 and at most π/2.");
  }
  if (!(rod.friction >= 0.0) || std::isinf(rod.friction)) {
    fail("friction", rod.friction, "Give 0 or more.");
  }
  if (!std::isfinite(rod.turning)) fail("turning", rod.turning, "Give finite radians a second.");
  if (!std::isfinite(rod.slip)) fail("slip", rod.slip, "Give finite metres a second.");
  if (!std::isfinite(rod.gravity)) fail("gravity", rod.gravity, "Give finite m/s².");
}

}  // namespace

std::vector<RodSolution> RodSolutions(const SlenderRod& rod) {
  Check(rod);
  const double cosine = std::cos(rod.angle), sine = std::sin(rod.angle);
  // The end's acceleration is (x₀ + a f_t + b f_n, z₀ + b f_t + c f_n).
  const double a = (1.0 + 3.0 * sine * sine) / rod.mass;
  const double b = -3.0 * sine * cosine / rod.mass;
  const double c = (1.0 + 3.0 * cosine * cosine) / rod.mass;
  const double centripetal = rod.half_length * rod.turning * rod.turning;
  const double x0 = centripetal * cosine, z0 = centripetal * sine - rod.gravity;
  std::vector<RodSolution> solutions;
  if (z0 >= 0.0) solutions.push_back({RodMode::kLeaves, 0.0, 0.0, z0, x0});
  const auto slides = [&](RodMode mode, double direction) {
    const double friction = -direction * rod.friction;
    const double rises = c + b * friction;
    const double n = -z0 / rises;
    if (!(n > 0.0) || std::isinf(n)) return;
    const double along = x0 + (a * friction + b) * n;
    if (rod.slip == 0.0 && direction * along <= 0.0) return;
    solutions.push_back({mode, n, friction * n, 0.0, along});
  };
  if (rod.slip >= 0.0) slides(RodMode::kSlidesForth, 1.0);
  if (rod.slip <= 0.0) slides(RodMode::kSlidesBack, -1.0);
  if (rod.slip == 0.0) {
    const double n = (b * x0 - a * z0) / (a * c - b * b);
    const double t = -(x0 + b * n) / a;
    if (n > 0.0 && std::fabs(t) <= rod.friction * n) {
      solutions.push_back({RodMode::kSticks, n, t, 0.0, 0.0});
    }
  }
  return solutions;
}

double JammingFriction(double angle) {
  const double cosine = std::cos(angle), sine = std::sin(angle);
  return (1.0 + 3.0 * cosine * cosine) / (3.0 * sine * cosine);
}

CollisionPoint RodContact(const SlenderRod& rod, double rise) {
  Check(rod);
  CollidingBody body, floor;
  body.name = "rod";
  body.mass = rod.mass;
  const double inertia = rod.mass * rod.half_length * rod.half_length / 3.0;
  body.inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}};  // only that about y acts
  body.p = {rod.half_length * std::cos(rod.angle), 0.0, rod.half_length * std::sin(rod.angle)};
  CollisionPoint contact = CollisionAt(body, floor, Vec3{}, {0, 0, 1});
  contact.velocity = {rod.slip, 0.0, rise};
  return contact;
}

}  // namespace intervox::host
