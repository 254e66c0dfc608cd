// Round parts that fill round holes: every part of a curved wall presses along its own normal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Frictional;
using scenes::Frictionless;
using scenes::MakeScene;
using scenes::Solid;

constexpr double kStiffness = 1e11;

geometry::ShapePtr Less(geometry::ShapePtr whole, geometry::ShapePtr tool) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->name = "block";
  shape->operation = geometry::Operation::kDifference;
  shape->children = {std::move(whole), std::move(tool)};
  return shape;
}

/** A free body that nothing moves: what is fixed and what is driven do not touch. */
BodySettings Heavy(const std::string& name) { return scenes::Free(name, name, 1e15, {}); }

PrescribedMotion Along(const std::vector<std::pair<double, Vec3>>& places) {
  PrescribedMotion motion;
  for (const auto& [t, p] : places) motion.keys.push_back({t, p, {}, {}, {}});
  return motion;
}

/** A taper of the mean radius R, the length and the half angle, driven in and out again. */
struct Taper {
  double radius, length, half_angle, mu;
};

/** What it takes to pull it out, as a share of what it took to press it in. */
double PulledOverPressed(const Taper& taper) {
  const double slope = std::tan(taper.half_angle), L = taper.length;
  const double way = 1e-4 * taper.radius / std::sin(taper.half_angle);
  const double sigma_0 = 2e3 * taper.mu / way;  // the bristles turn round in a thousandth of it
  ContactModelSettings model = Frictional(kStiffness, 1.0, taper.mu);
  model.friction.parameters["sigma_0"] = sigma_0;
  model.friction.parameters["sigma_1"] = 1e-3 * sigma_0;
  Scene scene = MakeScene(model, 1e-3);
  scene.gravity = {};
  const double widest = taper.radius + slope * L;
  scene.shapes["block"] = Less(
      Solid(geometry::Box{{4 * widest, 4 * widest, L}}, "box"),
      Solid(geometry::Cone{taper.radius - 0.6 * slope * L, taper.radius + 0.6 * slope * L, 1.2 * L},
            "bore"));
  scene.shapes["pin"] =
      Solid(geometry::Cone{taper.radius - 0.4 * slope * L, taper.radius + 0.4 * slope * L, 0.8 * L},
            "pin");
  BodySettings pin;
  pin.name = "pin";
  pin.shape = "pin";
  pin.mass = 1;
  pin.motion =
      Along({{0, {}}, {0.2, {0, 0, -way}}, {0.21, {0, 0, -way}}, {0.41, {0, 0, -0.9 * way}}});
  scene.bodies = {Heavy("block"), pin};
  Simulation simulation(scene);
  double pressed = 0, pulled = 0;
  while (simulation.Time() < 0.4 - 1e-9) {
    simulation.Step();
    const double f = simulation.State()[1].contact_force.z;
    pressed = std::max(pressed, f);
    pulled = std::max(pulled, -f);
  }
  EXPECT_EQ(simulation.Counters().engine_failures, 0);
  return pulled / pressed;
}

double ByHand(const Taper& taper) {
  const double s = std::sin(taper.half_angle), c = taper.mu * std::cos(taper.half_angle);
  return (c - s) / (c + s);
}

TEST(SimulationWallTest, ATaperComesLooseAsByHand) {
  const double morse = std::atan(0.5 / 20.02), degree = std::numbers::pi / 180;
  for (const Taper& taper : {Taper{0.00889, 0.064, morse, 0.1}, Taper{0.00889, 0.064, morse, 0.2},
                             Taper{0.000889, 0.0064, morse, 0.2}, Taper{0.889, 6.4, morse, 0.2},
                             Taper{0.01, 0.02, degree, 0.1}, Taper{0.01, 0.02, 3 * degree, 0.2},
                             Taper{0.01, 0.02, 10 * degree, 0.5}, Taper{0.01, 0.2, degree, 0.1}}) {
    SCOPED_TRACE(testing::Message()
                 << taper.radius << " m, " << taper.half_angle << " rad, mu " << taper.mu);
    const double ratio = PulledOverPressed(taper), by_hand = ByHand(taper);
    EXPECT_NEAR(ratio, by_hand, 0.005 * by_hand);
  }
}

/** Force along z in equal stairs from `from` to `to`, within the times given. */
void Ramp(double t0, double t1, double from, double to, BodySettings* body) {
  constexpr int kStairs = 50;
  for (int k = 0; k < kStairs; ++k) {
    const double share = (k + 0.5) / kStairs;
    body->wrenches.push_back({t0 + k * (t1 - t0) / kStairs,
                              t0 + (k + 1) * (t1 - t0) / kStairs,
                              {0, 0, from + share * (to - from)},
                              {},
                              {},
                              false});
  }
}

// Morse taper No. 2, pressed in by 200 N and pulled.
TEST(SimulationWallTest, AFreeTaperComesLooseAsByHand) {
  for (const double mu : {0.1, 0.2}) {
    const Taper taper{0.00889, 0.064, std::atan(0.5 / 20.02), mu};
    const double slope = std::tan(taper.half_angle), L = taper.length, load = 200;
    ContactModelSettings model = Frictional(kStiffness, 1.0, mu);
    model.friction.parameters["sigma_0"] = 2e6;
    Scene scene = MakeScene(model, 50e-6);
    scene.gravity = {};
    scene.shapes["block"] = Less(Solid(geometry::Box{{0.06, 0.06, L}}, "box"),
                                 Solid(geometry::Cone{taper.radius - 0.6 * slope * L,
                                                      taper.radius + 0.6 * slope * L, 1.2 * L},
                                       "bore"));
    scene.shapes["pin"] = Solid(
        geometry::Cone{taper.radius - 0.4 * slope * L, taper.radius + 0.4 * slope * L, 0.8 * L},
        "pin");
    BodySettings pin = scenes::Free("pin", "pin", 1, {0, 0, -1e-6});
    const double by_hand = ByHand(taper) * load;
    Ramp(0, 0.1, 0, -load, &pin);
    Ramp(0.1, 0.13, -load, 0, &pin);
    Ramp(0.13, 0.16, 0, 0.9 * by_hand, &pin);
    Ramp(0.16, 0.36, 0.9 * by_hand, 1.1 * by_hand, &pin);
    scene.bodies = {scenes::Fixed("block", "block"), pin};
    Simulation simulation(scene);
    double held = 0;
    while (simulation.Time() < 0.36 && std::fabs(simulation.State()[1].X_WB.p.z) < 1e-3) {
      simulation.Step();
      held = std::max(held, -simulation.State()[1].contact_force.z);
    }
    EXPECT_NEAR(held, by_hand, 0.01 * by_hand);
    EXPECT_LT(simulation.Time(), 0.36);
  }
}

/** A pin of the radius R + excess in a bore of the radius R, pushed aside. */
struct Bushing {
  double radius, excess, aside, direction;
};

TEST(SimulationWallTest, ACylinderPushedAsideMeetsWinklersForce) {
  for (const Bushing& b :
       {Bushing{0.01, 0, 1e-5, 0.0}, Bushing{0.01, 0, 1e-5, 0.4}, Bushing{0.01, 0, 1e-5, 0.785},
        Bushing{0.01, 2e-5, 1e-5, 0.3}, Bushing{0.01, -1e-5, 1.1e-5, 0.2},
        Bushing{0.01, -1e-5, 1.5e-5, 0.6}, Bushing{0.01, -1e-5, 4e-5, 0.1},
        Bushing{1, 0, 1e-3, 0.2}, Bushing{1e-4, -1e-7, 3e-7, 1.1}}) {
    SCOPED_TRACE(testing::Message()
                 << b.radius << " " << b.excess << " " << b.aside << " " << b.direction);
    const double L = b.radius;
    Scene scene = MakeScene(Frictionless(kStiffness, 0.5), 1e-3);
    scene.gravity = {};
    scene.shapes["block"] = Less(Solid(geometry::Box{{4 * b.radius, 4 * b.radius, 3 * L}}, "box"),
                                 Solid(geometry::Cylinder{b.radius, 4 * L}, "bore"));
    scene.shapes["pin"] = Solid(geometry::Cylinder{b.radius + b.excess, L}, "pin");
    BodySettings pin;
    pin.name = "pin";
    pin.shape = "pin";
    pin.mass = 1;
    const Vec3 u{std::cos(b.direction), std::sin(b.direction), 0};
    pin.motion = Along({{0, {}}, {0.1, b.aside * u}});
    scene.bodies = {Heavy("block"), pin};
    Simulation simulation(scene);
    while (simulation.Time() < 0.12 - 1e-9) simulation.Step();
    double by_hand = 0;  // ∫ k d cos θ dA of the depths d > 0
    constexpr int kParts = 100000;
    for (int i = 0; i < kParts; ++i) {
      const double c = std::cos((i + 0.5) * std::numbers::pi / kParts);
      by_hand += std::max(0.0, b.excess + b.aside * c) * c;
    }
    by_hand *= 2 * kStiffness * b.radius * L * std::numbers::pi / kParts;
    const Vec3 f = simulation.State()[1].contact_force;
    EXPECT_NEAR(-Dot(f, u), by_hand, 0.003 * by_hand);
    EXPECT_LT(Norm(f - Dot(f, u) * u), 0.003 * by_hand);
  }
}

/** A convex part with two tips that press on one quarter of a bore, at different heights. */
TEST(SimulationWallTest, TwoContactsOnOneQuarterGiveTheWrenchOfBoth) {
  const double radius = 0.01, reach = 0.01005, turns[2] = {0.6, -0.5}, heights[2] = {0.008, -0.009};
  Scene scene = MakeScene(Frictionless(kStiffness, 1.0), 1e-3);
  scene.gravity = {};
  scene.shapes["block"] = Less(Solid(geometry::Box{{0.04, 0.04, 0.04}}, "box"),
                               Solid(geometry::Cylinder{radius, 0.05}, "bore"));
  std::vector<Vec3> corners{{-0.004, 0.004, 0.002}, {-0.004, -0.004, -0.002}};
  for (int k = 0; k < 2; ++k) {
    corners.push_back({reach * std::cos(turns[k]), reach * std::sin(turns[k]), heights[k]});
  }
  scene.shapes["pin"] = Solid(geometry::Convex{corners}, "pin");
  BodySettings pin;
  pin.name = "pin";
  pin.shape = "pin";
  pin.mass = 1;
  pin.motion = Along({{0, {}}, {1, {}}});
  scene.bodies = {Heavy("block"), pin};
  Simulation simulation(scene);
  simulation.Step();
  ASSERT_EQ(simulation.Contacts().size(), 1U);
  const host::PatchGeometry& g = simulation.Contacts()[0].geometry;
  // The tips' volumes are as the patch's centroid lies between them.
  const double lower = (heights[0] - g.p_WC.z) / (heights[0] - heights[1]);
  Vec3 force, torque;
  for (int k = 0; k < 2; ++k) {
    const Vec3 out{std::cos(turns[k]), std::sin(turns[k]), 0};
    const Vec3 f = -kStiffness * g.V * (k == 0 ? 1 - lower : lower) * out;
    force += f;
    torque += Cross(Vec3{0, 0, heights[k]}, f);
  }
  EXPECT_LT(Norm(simulation.State()[1].contact_force - force), 0.01 * Norm(force));
  EXPECT_LT(Norm(simulation.State()[1].contact_torque - torque), 0.01 * Norm(torque));
  EXPECT_GT(std::fabs(torque.x), 0.2 * Norm(torque));  // a couple about the middle of both
}

}  // namespace
}  // namespace intervox
