// What one patch on a slow body does not show: several corners at once, large turns within a step.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictional;
using scenes::MakeScene;
using scenes::Solid;

constexpr double kSlot = 0.01;    // width of the slot [m]
constexpr double kWidth = 0.008;  // of the peg, across the slot
constexpr double kHeight = 0.04;
constexpr double kMass = 0.02;
constexpr double kPush = 50;    // downward [N]
constexpr double kPress = 100;  // on each wall [N]
constexpr double kStiffness = 1e11;

/** The tilt at which two opposite corners of the peg touch the slot's walls. */
double WedgeAngle() {
  double angle = 0;
  for (int k = 0; k < 50; ++k) {
    const double gap = kWidth * std::cos(angle) + kHeight * std::sin(angle) - kSlot;
    angle -= gap / (kHeight * std::cos(angle) - kWidth * std::sin(angle));
  }
  return angle;
}

/** A 20 g peg across a slot, two opposite corners pressed on the walls with 100 N each by a couple,
 and pushed down with 50 N. At its corners ωh is 5 at 250 µs. */
Scene WedgedPeg(double mu, const char* method, double step) {
  Scene scene = MakeScene(Frictional(kStiffness, 0.5, mu));
  scene.gravity = {};
  scene.integrator = {method, step};
  auto walls = std::make_shared<geometry::Shape>();
  walls->name = "slot";
  walls->operation = geometry::Operation::kUnion;
  Pose right, left;
  right.p = {0.5 * kSlot + 0.01, 0, 0};
  left.p = {-0.5 * kSlot - 0.01, 0, 0};
  walls->children = {Solid(geometry::Box{{0.02, 0.1, 4}}, "right", right),
                     Solid(geometry::Box{{0.02, 0.1, 4}}, "left", left)};
  scene.shapes["slot"] = walls;
  scene.shapes["peg"] = Solid(geometry::Box{{kWidth, 0.008, kHeight}}, "peg");
  BodySettings peg = Free("peg", "peg", kMass, {}, {0, 0, -0.01});
  double angle = WedgeAngle();
  // A corner d deep has V = ½ d² (tan + cot) times its length, 8 mm.
  const double depth =
      std::sqrt(2 * kPress / (kStiffness * 0.008 * (std::tan(angle) + 1 / std::tan(angle))));
  angle += 2 * depth / (kHeight * std::cos(angle) - kWidth * std::sin(angle));
  const double c = std::cos(angle), s = std::sin(angle);
  peg.X_WB.R = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
  const double couple = kPress * (kHeight * c - kWidth * s);
  peg.wrenches.push_back({0, 10, {0, 0, -kPush}, {0, couple, 0}, {}, false});
  scene.bodies = {Fixed("slot", "slot"), peg};
  return scene;
}

TEST(SimulationWedgeTest, APegWedgedInTwoCornersJamsOrSlides) {
  for (const char* method : {"ark3", "ark2"}) {
    for (const double step : {50e-6, 250e-6}) {
      for (const double mu : {0.05, 0.8}) {
        SCOPED_TRACE(testing::Message() << method << " h " << step << " mu " << mu);
        Simulation simulation(WedgedPeg(mu, method, step));
        double slide_from = 0;
        const double start = simulation.Energy().kinetic + simulation.Energy().elastic;
        while (simulation.Time() < 0.02 - 1e-9) {
          simulation.Step();
          const EnergyAudit& energy = simulation.Energy();
          EXPECT_LE(energy.kinetic + energy.elastic + energy.bristle,
                    start + energy.work_applied + 2e-3 * std::fabs(energy.work_applied) + 1e-5)
              << simulation.Time();
          if (simulation.Time() < 0.01) slide_from = simulation.State()[1].v_WM.z;
        }
        EXPECT_EQ(simulation.Contacts().size(), 2U);
        EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
        EXPECT_EQ(simulation.Counters().creating_contacts, 0);
        const Vec3& v = simulation.State()[1].v_WM;
        if (mu > 0.5) {  // 2 · 0.8 · 100 N hold 50 N
          EXPECT_LT(Norm(v), 1e-3);
          EXPECT_NEAR(simulation.State()[1].contact_force.z, kPush, 0.5);
        } else {  // 2 · 0.05 · 100 N do not
          EXPECT_NEAR(v.z - slide_from, -0.01 * (kPush - 2 * mu * 100) / kMass, 0.1 * 20);
        }
      }
    }
  }
}

TEST(SimulationWedgeTest, ASpinningDiscStopsInTimeThoughItTurnsARadianAStep) {
  // All friction goes into the torque μ N r_gyr; it spins down linearly from 4000 rad/s.
  const double radius = 0.004, mass = 0.02, load = 50, mu = 0.3, area = std::numbers::pi * 16e-6;
  Scene scene = MakeScene(Frictional(5e6 / area, 0.6, mu));
  scene.gravity = {};
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["disc"] = Solid(geometry::Cylinder{radius, 0.01}, "disc");
  BodySettings disc = Free("disc", "disc", mass, {0, 0, 0.005 - load / 5e6}, {}, {0, 0, 4000});
  disc.wrenches.push_back({0, 10, {0, 0, -load}, {}, {}, false});
  scene.bodies = {Fixed("floor", "floor"), disc};
  Simulation simulation(scene);
  const double inertia = 0.5 * mass * radius * radius;
  const double slowing = mu * load * radius / std::sqrt(2.0) / inertia;  // [rad/s²]
  while (simulation.Time() < 0.01 - 1e-9) {
    simulation.Step();
    EXPECT_NEAR(simulation.State()[1].w_WB.z, 4000 - slowing * simulation.Time(), 4)
        << simulation.Time();
    EXPECT_LT(std::hypot(simulation.State()[1].w_WB.x, simulation.State()[1].w_WB.y), 1e-3);
  }
  while (simulation.Time() < 0.03) simulation.Step();
  EXPECT_LT(std::fabs(simulation.State()[1].w_WB.z), 0.01);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
  EXPECT_EQ(simulation.Counters().creating_contacts, 0);
}

}  // namespace
}  // namespace intervox
