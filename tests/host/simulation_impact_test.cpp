// Stiff impacts at 250 µs against explicit runs of 0.1 µs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/simulation.h"
#include "tests/host/joint_scenes.h"
#include "tests/host/scene_text.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kStep = 250e-6;
constexpr double kReference = 0.1e-6;  // of the explicit method
constexpr double kSpeed = 0.84;

/** 100 kg, k_v A = 6.5e8 N/m, over a floor; its centre of mass is `arm` beside the face's centre.
 It falls at 0.84 m/s while it slides at 0.02 m/s, and touches `wait` after the start. */
Scene Hit(double e, double arm, double tilt, double wait) {
  Scene scene = scenes::MakeScene(scenes::Frictional(6.5e8 / 0.09, e, 0.3));
  scene.gravity = {};
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.3, 0.3, 0.3}}, "box");
  const double c = std::cos(tilt), s = std::sin(tilt);
  const Vec3 start{0, 0, 0.15 * (c + s) + kSpeed * wait};
  BodySettings box = scenes::Free("box", "box", 100, start, {0.02, 0, -kSpeed});
  box.X_WB.R = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
  box.center_of_mass = Vec3{-arm, 0, 0};
  box.inertia = Mat3::Diagonal({12, 12, 11});
  scene.bodies = {scenes::Fixed("floor", "floor"), box};
  return scene;
}

/** 20 g, k_v A = 5e6 N/m, pushed down at 50 N and in equilibrium with it, slides at 0.01 m/s. Its
 centre of mass is at the foot, so that friction does not tip it over. */
Scene PushedPeg(double e) {
  const double radius = 4e-3, height = 0.04;
  Scene scene =
      scenes::MakeScene(scenes::Frictional(5e6 / (std::numbers::pi * radius * radius), e, 0.3));
  scene.gravity = {};
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["peg"] = scenes::Solid(geometry::Cylinder{radius, height}, "peg");
  BodySettings peg =
      scenes::Free("peg", "peg", 0.02, {0, 0, 0.5 * height - 50 / 5e6}, {0.01, 0, 0});
  peg.center_of_mass = Vec3{0, 0, -0.5 * height};
  peg.inertia = Mat3::Diagonal({4e-6, 4e-6, 2e-7});
  peg.wrenches.push_back({0, 1, {0, 0, -50}, {}, {0, 0, -0.5 * height}, false});
  scene.bodies = {scenes::Fixed("floor", "floor"), peg};
  return scene;
}

struct After {
  Vec3 v, w;
};

/** Runs to `until`; in no step may friction, or anything else, create energy. */
After Play(Scene scene, const char* method, double step, double until) {
  scene.integrator = {method, step};
  Simulation simulation(scene);
  const double start = simulation.Energy().kinetic;
  while (simulation.Time() < until - 0.5 * step) {
    simulation.Step();
    const EnergyAudit& energy = simulation.Energy();
    EXPECT_LE(energy.kinetic, start * (1 + 1e-12) + std::fmax(0.0, energy.work_applied))
        << method << " " << step << " at " << simulation.Time();
  }
  EXPECT_EQ(simulation.Counters().creating_contacts, 0) << method << " " << step;
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0) << method << " " << step;
  return {simulation.State()[1].v_WM, simulation.State()[1].w_WB};
}

/** Largest difference over the phases of touching within a step, as a share of the impact speed. */
double WorstError(double e, double arm, double tilt, const char* method, double until) {
  const After fine = Play(Hit(e, arm, tilt, 0), "rk3", kReference, until);
  double worst = 0;
  for (int phase = 0; phase < 8; ++phase) {
    // What waits is what flies longer: by then all have left the floor.
    const Scene scene = Hit(e, arm, tilt, (phase + 0.01) / 8 * kStep);
    const After coarse = Play(scene, method, kStep, until + kStep);
    const double error = std::fmax(Norm(coarse.v - fine.v), 0.15 * Norm(coarse.w - fine.w));
    worst = std::fmax(worst, error / kSpeed);
  }
  return worst;
}

// The table of docs/simulation.md.
TEST(SlowSimulationImpactTest, BoxLeavesWithTheVelocitiesOfAReferenceOfATenthMicrosecond) {
  struct Row {
    double e, arm, tilt, ark3, ark2;  // bounds of the error
  };
  for (const Row& row : {Row{0.6, 0, 0, 0.001, 0.003}, Row{0.05, 0, 0, 0.0002, 0.002},
                         Row{0.05, 0.2, 0, 0.001, 0.002}, Row{0.6, 0, 0.03, 0.001, 0.002},
                         Row{0.05, 0, 0.03, 0.0001, 0.0002}}) {
    SCOPED_TRACE(::testing::Message()
                 << "e " << row.e << " arm " << row.arm << " tilt " << row.tilt);
    const double ark3 = WorstError(row.e, row.arm, row.tilt, "ark3", 0.0075);
    const double ark2 = WorstError(row.e, row.arm, row.tilt, "ark2", 0.0075);
    std::printf("e %.2f, arm %.1f m, tilt %.2f: ark3 %.3f %%, ark2 %.3f %%\n", row.e, row.arm,
                row.tilt, 100 * ark3, 100 * ark2);
    EXPECT_LT(ark3, row.ark3);
    EXPECT_LT(ark2, row.ark2);
  }
}

TEST(SlowSimulationImpactTest, PushedPegStopsAsTheReferenceDoes) {
  for (const double until : {0.5e-3, 1e-3, 2e-3}) {
    const After fine = Play(PushedPeg(0.6), "rk3", kReference, until);
    for (const char* method : {"ark3", "ark2"}) {
      const After coarse = Play(PushedPeg(0.6), method, kStep, until);
      std::printf("peg after %.1f ms, %s: %.3f %%\n", 1e3 * until, method,
                  100 * Norm(coarse.v - fine.v) / 0.01);
      EXPECT_LT(Norm(coarse.v - fine.v), 0.01 * 0.01) << method << " " << until;
    }
  }
}

// A face that comes down flat returns e to 1e-6 where 1,000 steps resolve the contact, whose force
// begins like the depth; mass, stiffness and depth a hundredth or a hundred times as large.
TEST(SimulationImpactTest, AFaceReturnsItsRestitutionToAMillionth) {
  for (const double e : {1.0, 0.9, 0.5, 0.1, 0.01}) {
    for (int k = 0; k < 9; ++k) {
      const double factor[] = {0.01, 1.0, 100.0};
      const double mass = 0.454 * factor[k % 3], k_v = 1e8 * factor[k / 3], area = 0.01;
      const double omega = std::sqrt(k_v * area / mass), step = std::numbers::pi / omega / 1000;
      const double speed = 1e-4 * factor[(k + k / 3) % 3] * omega;
      Scene scene = scenes::MakeScene(scenes::Frictionless(k_v, e), step);
      scene.contact_models["default"].normal.parameters["v_small"] = 1e-9;
      scene.gravity = {};
      scene.duration = 100000 * step;
      scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
      scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
      const double gap = (3.0 + 0.37 * (k % 2)) * step * speed;
      scene.bodies = {scenes::Fixed("floor", "floor"),
                      scenes::Free("box", "box", mass, {0, 0, 0.05 + gap}, {0, 0, -speed})};
      Simulation simulation(scene);
      testing::RunThroughContact(&simulation);
      EXPECT_NEAR(simulation.State()[1].v_WB.z / speed, e, 1e-6 * e)
          << "e " << e << ", mass " << mass << ", stiffness " << k_v << ", speed " << speed;
    }
  }
}

// What follows the load leaves impacts alone that are faster than it: the same speed to all digits,
// of a box, of one that carries a hundred times its mass, and of a wedge in its notch.
TEST(SimulationImpactTest, TheLoadDampsNoImpact) {
  const auto returns = [](const std::string& latch, int kind, double e) {
    Scene scene = scenes::MakeScene(scenes::Frictionless(1e10, e));
    scene.contact_models["default"].normal.choices["latch"] = latch;
    scene.gravity = {0, 0, -0.1};
    scene.duration = 0.5;
    scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
    scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
    scene.bodies = {scenes::Fixed("floor", "floor"),
                    scenes::Free("box", "box", 1.0, {0, 0, 0.0501}, {0, 0, -1})};
    if (kind == 1) {
      scene.bodies.push_back(scenes::Free("load", "box", 100.0, {0, 0, 0.4}, {0, 0, -1}));
      scene.joints.push_back(scenes::JointAt(JointType::kFixed, "box", "load", {0, 0, 0.05}));
    }
    if (kind == 2) {  // walls at 0.1 rad from the vertical
      for (const double side : {-1.0, 1.0}) {
        const std::string wall = side < 0 ? "left" : "right";
        scene.shapes[wall] = scenes::Solid(
            geometry::HalfSpace{{-side * std::cos(0.1), 0, std::sin(0.1)}, -0.1}, wall);
        scene.bodies.push_back(scenes::Fixed(wall, wall));
      }
      scene.shapes["ball"] = scenes::Solid(geometry::Sphere{0.1}, "ball");
      scene.bodies[1] = scenes::Free("ball", "ball", 1.0, {0, 0, 1.1e-3}, {0, 0, -1});
      scene.bodies.erase(scene.bodies.begin());
    }
    Simulation simulation(scene);
    testing::RunThroughContact(&simulation);
    double speed = 0.0;
    for (const BodyState& body : simulation.State()) speed = std::fmax(speed, body.v_WB.z);
    return speed;
  };
  for (int kind = 0; kind < 3; ++kind) {
    for (const double e : {0.9, 0.5, 0.1}) {
      const double largest = returns("largest", kind, e);
      EXPECT_GT(largest, 0.3 * e) << kind << " " << e;
      EXPECT_EQ(returns("load", kind, e), largest) << kind << " " << e;
    }
  }
}

TEST(SimulationImpactTest, AGrazingContactStruckLaterGainsNoEnergy) {
  // Sinks in at 0.1 mm/s, is struck at 0.1 m/s: the latch must follow.
  const double k_v = 1e8 / 0.01, mass = 2;
  const auto run = [&](double restitution) {
    Scene scene = scenes::MakeScene(scenes::Frictionless(k_v, restitution));
    scene.gravity = {};
    scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
    scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
    scene.bodies = {scenes::Fixed("floor", "floor"),
                    scenes::Free("box", "box", mass, {0, 0, 0.05 - 1e-9}, {0, 0, -1e-4})};
    // A blow of 0.5 ms that brings it to 0.1 m/s.
    scene.bodies[1].wrenches.push_back({0.5e-3, 1e-3, {0, 0, -mass * 0.1 / 0.5e-3}, {}, {}, false});
    Simulation simulation(scene);
    double peak = 0;
    while (simulation.Time() < 0.02) {
      simulation.Step();
      if (!simulation.Contacts().empty()) peak = std::fmax(peak, simulation.Contacts()[0].f_n);
    }
    EXPECT_LT(simulation.Energy().kinetic, simulation.Energy().work_applied + 1e-6);
    return peak;
  };
  const double elastic = run(1.0);
  EXPECT_GT(elastic, 500.0);
  EXPECT_LT(run(0.6), 3 * elastic);
}

// Pressed into a soft floor by its weight, a box comes faster from step to step, and its latch
// follows.
TEST(SimulationImpactTest, AContactsForceIsThatOfItsLatch) {
  const double k_v = 4e4;
  Scene scene = scenes::MakeScene(scenes::Frictionless(k_v, 0.5), 1e-3);
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.bodies = {scenes::Fixed("floor", "floor"),
                  scenes::Free("box", "box", 1, {0, 0, 0.05 - 1e-9}, {0, 0, -1e-2})};
  Simulation simulation(scene);
  int moved = 0;
  double before = 0;
  for (int n = 0; n < 30; ++n) {
    simulation.Step();
    const ContactReport& contact = simulation.Contacts()[0];
    const double f_e = k_v * contact.geometry.V;
    const double f_n = f_e * (1 + contact.latch.a * Dot(contact.geometry.n, contact.v_c));
    EXPECT_NEAR(contact.f_n / f_n, 1, 1e-9) << n;
    moved += contact.latch.a > before * (1 - 1e-3) ? 1 : 0;
    before = contact.latch.a;
  }
  EXPECT_GT(moved, 20);
}

}  // namespace
}  // namespace intervox
