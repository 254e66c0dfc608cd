// Stiff springs of the simulation against Stronge's law: the same collision by two ways.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "host/scene/reader.h"
#include "host/simulation.h"
#include "tests/host/impulse/collisions.h"
#include "tests/host/scene_text.h"

namespace intervox::host {
namespace {

using testing::CollisionSource;

/** A body that strikes the floor at the origin with the end of an arm. */
struct Strike {
  CollidingBody body;
  double size = 1.0, speed = 1.0, mu = 0.5;

  CollisionPoint At() const { return CollisionAt(body, {}, {}, {0, 0, 1}); }
};

Strike Draw(CollisionSource* source) {
  Strike s;
  s.size = source->Around(0.3);
  s.speed = source->Around(1.0);
  s.mu = std::pow(10.0, source->Uniform(-1.5, 0.3));
  s.body = source->Body(s.size, s.speed);
  s.body.p = s.size * Vec3{source->Uniform(-1, 1), source->Uniform(-1, 1), source->Uniform(0.3, 1)};
  s.body.w = {};
  s.body.v = s.speed * Vec3{source->Uniform(-1, 1), source->Uniform(-1, 1), -1};
  return s;
}

/** The impulse of an elastic spring as deep as a share of the size, by the simulation. */
Vec3 OfSprings(const Strike& s, double share) {
  const double m = 1.0 / s.At().inverse_inertia(2, 2), depth = share * s.size;
  const double stiffness = m * s.speed * s.speed / (depth * depth);
  const double step = std::numbers::pi * depth / s.speed / 400, radius = 0.01 * s.size;
  const auto list = [](const Vec3& a) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", a.x, a.y, a.z);
  };
  const Mat3& J = s.body.inertia;
  const std::string text = fmt::format(
      "schema: intervox/scene/2\nname: strike\ngravity: [0, 0, 0]\nduration: {:.17g}\n"
      "integrator: {{step: {:.17g}}}\ncontact_models:\n  default:\n    geometry: points\n"
      "    normal: {{model: gonthier, stiffness: {:.17g}, exponent: 1, restitution: 1}}\n"
      "    friction: {{model: coulomb, mu: {:.17g}, v_epsilon: {:.17g}}}\nbodies:\n"
      "  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: true}}\n"
      "  body: {{shape: {{sphere: {{radius: {:.17g}}}}}, mass: {:.17g}, center_of_mass: {}, "
      "inertia: [{}, {}, {}], pose: {{position: [0, 0, {:.17g}]}}, velocity: {{linear: {}}}}}\n",
      20000 * step, step, stiffness, s.mu, 1e-5 * s.speed, radius, s.body.mass,
      list(s.body.p - Vec3{0, 0, radius}), list(J.row0), list(J.row1), list(J.row2),
      radius + 0.1 * step * s.speed, list(s.body.v));
  Simulation simulation(ParseScene(text, "strike.yaml", {}));
  intervox::testing::RunThroughContact(&simulation);
  return s.body.mass * (simulation.State()[1].v_WM - s.body.v);
}

TEST(ImpulseSprings, StiffOnesComeToStrongesLaw) {
  CollisionSource source(11);
  std::vector<double> soft, stiff, newton;
  for (int k = 0; k < 60; ++k) {
    const Strike s = Draw(&source);
    const ImpulseParameters surfaces{1.0, s.mu, 0.0};
    const Vec3 P = Collide(ImpulseLaw::kStronge, s.At(), surfaces).impulse;
    soft.push_back(Norm(OfSprings(s, 1e-3) - P) / Norm(P));
    stiff.push_back(Norm(OfSprings(s, 1e-5) - P) / Norm(P));
    newton.push_back(Norm(Collide(ImpulseLaw::kNewton, s.At(), surfaces).impulse - P) / Norm(P));
  }
  for (auto* list : {&soft, &stiff, &newton}) std::sort(list->begin(), list->end());
  const auto middle = [](const std::vector<double>& list) { return list[list.size() / 2]; };
  EXPECT_LT(middle(stiff), 5e-5);
  EXPECT_LT(stiff.back(), 5e-3);  // ends that jam are the slowest to come near
  EXPECT_GT(middle(soft), 30.0 * middle(stiff));
  EXPECT_GT(middle(newton), 5e-3);  // which is another law
}

}  // namespace
}  // namespace intervox::host
