// Analytic values and invariants of bodies in contact.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

using scenes::Fixed;
using scenes::Free;
using scenes::Frictional;
using scenes::Frictionless;
using scenes::MakeScene;
using scenes::Solid;

Scene OnFloor(const ContactModelSettings& model, const geometry::Primitive& primitive, double mass,
              const Vec3& p, const Vec3& v = {}, const Vec3& w = {}) {
  Scene scene = MakeScene(model);
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["part"] = Solid(primitive, "part");
  scene.bodies.push_back(Fixed("floor", "floor"));
  scene.bodies.push_back(Free("part", "part", mass, p, v, w));
  return scene;
}

double MechanicalEnergy(const Simulation& simulation) {
  return simulation.Energy().kinetic + simulation.Energy().gravity;
}

TEST(SimulationTest, SphereRestsWithItsWeightAtTheDepthOfItsCap) {
  const double R = 0.05, k = 1e8, mass = 2;
  Simulation simulation(OnFloor(Frictionless(k, 0.3), geometry::Sphere{R}, mass, {0, 0, 0.06}));
  while (simulation.Time() < 1.0) simulation.Step();
  ASSERT_EQ(simulation.Contacts().size(), 1U);
  const ContactReport& contact = simulation.Contacts()[0];
  EXPECT_NEAR(contact.f_n, mass * 9.81, 1e-6);
  EXPECT_EQ(contact.body_i, 0);
  EXPECT_EQ(contact.body_j, 1);
  EXPECT_NEAR(contact.geometry.n.z, -1.0, 1e-12);  // from the sphere toward the floor
  // V = π δ² (R − δ/3)
  const double delta = R - simulation.State()[1].p_WM.z;
  const double V = std::numbers::pi * delta * delta * (R - delta / 3);
  EXPECT_NEAR(k * V, mass * 9.81, 2e-3 * mass * 9.81);
  EXPECT_GT(simulation.RestingFor(), 0.5);
  EXPECT_GE(simulation.Impacts().size(), 1U);
  EXPECT_NEAR(simulation.Impacts()[0].approach_speed, std::sqrt(2 * 9.81 * 0.01), 0.02);
  EXPECT_GT(simulation.Impacts()[0].peak_force, 5 * mass * 9.81);
}

TEST(SimulationTest, CollidingBodiesKeepMomentaAndActionEqualsReaction) {
  Scene scene = MakeScene(Frictional(1e9, 0.5, 0.4));
  scene.gravity = {};
  scene.shapes["a"] = Solid(geometry::Box{{0.2, 0.1, 0.06}}, "a");
  scene.shapes["b"] = Solid(geometry::Box{{0.1, 0.1, 0.1}}, "b");
  const Vec3 far{3, -2, 5};
  scene.bodies.push_back(Free("a", "a", 2, far, {0.5, 0.1, 0}, {1, 2, 3}));
  scene.bodies.push_back(
      Free("b", "b", 1, far + Vec3{0.2, 0.03, 0.02}, {-0.7, 0, 0.1}, {-2, 1, 4}));
  Simulation simulation(scene);
  const double inertia_a[3] = {2 * (0.01 + 0.0036) / 12, 2 * (0.04 + 0.0036) / 12,
                               2 * (0.04 + 0.01) / 12};
  const auto momenta = [&](Vec3* p, Vec3* H) {
    const BodyState &a = simulation.State()[0], &b = simulation.State()[1];
    *p = 2.0 * a.v_WM + 1.0 * b.v_WM;
    const Vec3 w_A = TransposeTimes(a.X_WB.R, a.w_WB);
    const Vec3 L_A =
        a.X_WB.R * Vec3{inertia_a[0] * w_A.x, inertia_a[1] * w_A.y, inertia_a[2] * w_A.z};
    *H = Cross(a.p_WM, 2.0 * a.v_WM) + L_A + Cross(b.p_WM, b.v_WM) + (0.02 / 12) * b.w_WB;
  };
  Vec3 p0, H0, p, H;
  momenta(&p0, &H0);
  bool touched = false;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  double drift_p = 0, drift_H = 0;
  for (int k = 0; k < 2000; ++k) {
    simulation.Step();
    touched = touched || !simulation.Contacts().empty();
    const BodyState &a = simulation.State()[0], &b = simulation.State()[1];
    EXPECT_LE(Norm(a.contact_force + b.contact_force), 1e-15 * Norm(a.contact_force));
    // About any point, however far: the roundings are those of the arms' products.
    const Vec3 about = std::pow(10.0, k % 5 - 1) * Vec3{unit(random), unit(random), unit(random)};
    const Vec3 arm_a = a.X_WB.p - about, arm_b = b.X_WB.p - about;
    const Vec3 moment = a.contact_torque + Cross(arm_a, a.contact_force) + b.contact_torque +
                        Cross(arm_b, b.contact_force);
    const double scale = Norm(a.contact_torque) + Norm(b.contact_torque) +
                         (Norm(arm_a) + Norm(arm_b)) * Norm(a.contact_force);
    EXPECT_LE(Norm(moment), 4 * kEpsilon * scale);
    momenta(&p, &H);
    drift_p = std::fmax(drift_p, Norm(p - p0));
    drift_H = std::fmax(drift_H, Norm(H - H0));
  }
  EXPECT_TRUE(touched);
  // Wrenches cancel in both sums, so that each step leaves the roundings of its own additions.
  const double momentum = 2 * 0.51 + 0.71;
  EXPECT_LE(drift_p, 8 * kEpsilon * momentum);
  EXPECT_LE(drift_H, 8 * kEpsilon * Norm(far) * momentum);
}

TEST(SimulationTest, EnergyNeverRisesWhileABoxTumbles) {
  Scene scene = OnFloor(Frictional(1e8, 0.6, 0.3), geometry::Box{{0.2, 0.1, 0.06}}, 2, {0, 0, 0.25},
                        {0.8, 0.3, 0}, {3, -2, 1});
  scene.bodies[1].X_WB.R = ToRotation(Normalized(Quaternion{0.9, 0.2, 0.3, 0.1}));
  Simulation simulation(scene);
  const double start = MechanicalEnergy(simulation);
  const double scale = 2 * 9.81 * 0.25;
  double last_free = start;
  bool in_contact = false;
  EnergyAudit before = simulation.Energy();
  for (int k = 0; k < 7500; ++k) {
    simulation.Step();
    const EnergyAudit& now = simulation.Energy();
    // What must dissipate does, in every single step.
    EXPECT_GE(now.dissipated_normal - before.dissipated_normal, -1e-9 * scale) << k;
    EXPECT_GE(now.dissipated_rolling - before.dissipated_rolling, -1e-9 * scale) << k;
    before = now;
    if (simulation.Contacts().empty()) {
      // No energy hides in a contact: compare flight with flight.
      if (in_contact) {
        EXPECT_LT(MechanicalEnergy(simulation), last_free);
      }
      last_free = MechanicalEnergy(simulation);
    }
    in_contact = !simulation.Contacts().empty();
    EXPECT_LT(MechanicalEnergy(simulation), start + 1e-6 * scale);
  }
  EXPECT_GT(before.dissipated_normal, 0.1 * scale);
  EXPECT_GT(before.dissipated_sliding, 0.0);
  EXPECT_LT(std::fabs(before.balance), 0.02 * scale);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
  EXPECT_GT(simulation.RestingFor(), 0.1);
}

TEST(SimulationTest, ReboundIsTheRestitution) {
  for (const double e : {0.2, 0.5, 0.8, 1.0}) {
    for (const double speed : {0.05, 0.5}) {
      Scene scene = OnFloor(Frictionless(1e8, e), geometry::Box{{0.1, 0.1, 0.1}}, 1,
                            {0, 0, 0.05 + speed * 1e-4}, {0, 0, -speed});
      scene.gravity = {};
      scene.integrator.step = 10e-6;
      Simulation simulation(scene);
      while (simulation.Contacts().empty()) simulation.Step();
      while (!simulation.Contacts().empty() && simulation.Time() < 1) simulation.Step();
      EXPECT_NEAR(simulation.State()[1].v_WM.z / speed, e, 0.005) << "e " << e << " v " << speed;
    }
  }
}

TEST(SimulationTest, BeltCarriesABoxAndItsDriveDoesTheWork) {
  Scene scene = MakeScene(Frictional(1e9, 0.3, 0.4));
  scene.shapes["belt"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "belt");
  scene.shapes["box"] = Solid(geometry::Box{{0.1, 0.1, 0.05}}, "box");
  BodySettings belt;
  belt.name = belt.shape = "belt";
  belt.motion = PrescribedMotion{{{0, {}, {0.5, 0, 0}, {}, {}}}};
  scene.bodies.push_back(belt);
  scene.bodies.push_back(Free("box", "box", 2, {0, 0, 0.025 - 2 * 9.81 / (1e9 * 0.01)}));
  Simulation simulation(scene);
  while (simulation.Time() < 0.6) simulation.Step();
  EXPECT_NEAR(simulation.State()[1].v_WM.x, 0.5, 1e-5);
  EXPECT_NEAR(simulation.State()[0].X_WB.p.x, 0.3, 1e-12);
  // v²/(μ g 2) of slip: the belt gives m v², half of it is lost to friction.
  EXPECT_NEAR(simulation.Energy().work_driven, 2 * 0.25, 2e-3);
  EXPECT_NEAR(simulation.Energy().dissipated_sliding, 0.25, 2e-3);
  EXPECT_LT(std::fabs(simulation.Energy().balance), 1e-3);
}

TEST(SimulationTest, BoxWedgedInAGrooveCarriesItsWeightOnBothFlanks) {
  // A cube on its edge in a groove of half angle 45°: each flank carries W/√2 without friction.
  Scene scene = MakeScene(Frictional(1e9, 0.3, 0.3));
  const double s = std::sqrt(0.5);
  scene.shapes["left"] = Solid(geometry::HalfSpace{{s, 0, s}, 0}, "left");
  scene.shapes["right"] = Solid(geometry::HalfSpace{{-s, 0, s}, 0}, "right");
  auto groove = std::make_shared<geometry::Shape>();
  groove->name = "groove";
  groove->operation = geometry::Operation::kUnion;
  groove->children = {scene.shapes["left"], scene.shapes["right"]};
  scene.shapes["groove"] = groove;
  scene.shapes["box"] = Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.bodies.push_back(Fixed("groove", "groove"));
  BodySettings box = Free("box", "box", 2, {0, 0, 0.1 * s + 1e-3});
  box.X_WB.R = {{s, 0, s}, {0, 1, 0}, {-s, 0, s}};
  box.wrenches.push_back({0.3, 10, {0, 0, -50}, {}, {}, false});  // then it is pressed in
  scene.bodies.push_back(box);
  Simulation simulation(scene);
  double highest = MechanicalEnergy(simulation);
  while (simulation.Time() < 0.3 - 1e-9) {
    simulation.Step();
    EXPECT_LT(MechanicalEnergy(simulation), highest + 1e-9);
  }
  while (simulation.Time() < 1) simulation.Step();
  ASSERT_EQ(simulation.Contacts().size(), 2U);
  EXPECT_LT(Norm(simulation.State()[1].contact_force - Vec3{0, 0, 2 * 9.81 + 50}), 1e-3);
  EXPECT_LT(Norm(simulation.State()[1].v_WM), 1e-6);
  const Vec3 n0 = simulation.Contacts()[0].geometry.n, n1 = simulation.Contacts()[1].geometry.n;
  EXPECT_NEAR(Dot(n0, n1), 0.0, 1e-3);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
}

TEST(SimulationTest, SensorReadsWeightInItsAxes) {
  Scene scene =
      OnFloor(Frictionless(1e8, 0.3), geometry::Box{{0.2, 0.1, 0.1}}, 2, {1, 0, 0.0499999});
  SensorSettings sensor;
  sensor.name = "corner";
  sensor.body = "part";
  sensor.X_BS.p = {0.1, 0, 0};
  sensor.resolve_in = "part";
  scene.bodies[1].X_WB.R = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};  // a quarter turn about z
  scene.sensors.push_back(sensor);
  sensor.resolve_in = "world";
  scene.sensors.push_back(sensor);
  Simulation simulation(scene);
  while (simulation.Time() < 0.5) simulation.Step();
  ASSERT_EQ(simulation.Sensors().size(), 2U);
  const SensorReading &own = simulation.Sensors()[0], &world = simulation.Sensors()[1];
  EXPECT_NEAR(own.position.x, 0.1, 1e-12);
  EXPECT_NEAR(world.position.x, 1.0, 1e-9);
  EXPECT_NEAR(world.position.y, 0.1, 1e-9);
  EXPECT_NEAR(own.force.z, 2 * 9.81, 1e-2);
  // The weight's reaction acts 0.1 m behind the sensor along the body's −x: τ = −r × f.
  EXPECT_NEAR(own.torque.y, 0.1 * 2 * 9.81, 1e-3);
  EXPECT_NEAR(world.torque.x, -0.1 * 2 * 9.81, 1e-3);
}

TEST(SimulationTest, SerialAndThreadsGiveTheSameBits) {
  // Sixty boxes at once: enough pairs for the threads.
  Scene scene = MakeScene(Frictional(1e8, 0.5, 0.3));
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.bodies.push_back(Fixed("floor", "floor"));
  for (int k = 0; k < 60; ++k) {
    scene.bodies.push_back(Free("box" + std::to_string(k), "box", 1 + 0.02 * k,
                                {0.3 * k, 0.01 * k, 0.0501}, {0.1, 0.02 * k, -0.1},
                                {0.1, 0.2, k * 1.0}));
  }
  const auto run = [&](EngineOptions options) {
    Simulation simulation(scene, options);
    while (simulation.Time() < 0.02) simulation.Step();
    return std::vector<BodyState>(simulation.State().begin(), simulation.State().end());
  };
  const auto serial = run({Device::kSerial, 1, 0});
  const auto threads = run({Device::kThreads, 2, 0});
  for (std::size_t b = 0; b < serial.size(); ++b) {
    EXPECT_EQ(serial[b].p_WM, threads[b].p_WM);
    EXPECT_EQ(serial[b].v_WM, threads[b].v_WM);
    EXPECT_EQ(serial[b].w_WB, threads[b].w_WB);
    EXPECT_EQ(serial[b].contact_force, threads[b].contact_force);
  }
}

}  // namespace
}  // namespace intervox
