// Options of contacts and bodies, as a simulation shows them.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictionless;
using scenes::MakeScene;
using scenes::Solid;

constexpr double kG = 9.81;

/** A 2 kg cube of 0.1 m over a floor. */
Scene CubeOverFloor(const ContactModelSettings& model, const Vec3& p, const Vec3& v) {
  Scene scene = MakeScene(model);
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["cube"] = Solid(geometry::Box{{0.1, 0.1, 0.1}}, "cube");
  scene.bodies = {Fixed("floor", "floor"), Free("cube", "cube", 2, p, v)};
  return scene;
}

// Gonthier (3.44): detected late, a contact starts from zero force and comes to its own depth.
TEST(SimulationOptionsTest, RelaxedContactStartsWithoutForceAndItsOffsetsWorkIsInTheAudit) {
  ContactModelSettings model = Frictionless(1e6, 0.5);
  model.normal.parameters["relaxation_time"] = 1.0;
  double balance[2];
  for (int k = 0; k < 2; ++k) {
    Scene scene = CubeOverFloor(model, {0, 0, 0.0502}, {0, 0, -0.5});
    scene.integrator = {"rk3", k == 0 ? 1e-3 : 2.5e-4};  // explicit steps are not cut at onsets
    Simulation simulation(scene);
    while (simulation.Contacts().empty()) simulation.Step();
    EXPECT_EQ(simulation.Contacts()[0].f_n, 0.0);
    const double offset = simulation.Contacts()[0].state.V_o;
    EXPECT_GT(offset, 1e-7);
    EXPECT_EQ(offset, simulation.Contacts()[0].geometry.V);
    const double begun = simulation.Time();
    while (simulation.Time() < begun + 2.0 - 1e-9) simulation.Step();
    ASSERT_EQ(simulation.Contacts().size(), 1U);
    const ContactReport& contact = simulation.Contacts()[0];
    if (contact.since <= begun) {
      EXPECT_NEAR(contact.state.V_o, offset * std::exp(-2.0), 1e-6 * offset);
    }
    while (simulation.Time() < 16) simulation.Step();
    EXPECT_NEAR(0.05 - simulation.State()[1].p_WM.z, 2 * kG / 1e4, 1e-8);
    const EnergyAudit& e = simulation.Energy();
    EXPECT_GT(std::fabs(e.work_relaxation), 1e-4);
    EXPECT_NEAR(e.elastic, 0.5 * 2 * kG * 2 * kG / 1e4, 1e-4);  // ½ k_v A d²
    balance[k] = std::fabs(e.balance);
    EXPECT_LT(balance[k], 2e-3 * 0.25);
  }
  EXPECT_GT(std::log2(balance[0] / balance[1]), 2 * 2.0);  // a fourth of the step, third order
}

// The thesis' latch, for contrast: what has grazed keeps its damping when it is struck.
TEST(SimulationOptionsTest, TheFirstLatchKeepsTheDampingOfAGraze) {
  const auto struck = [](const char* latch) {
    ContactModelSettings model = Frictionless(1e8, 0.6);
    model.normal.choices["latch"] = latch;
    Scene scene = CubeOverFloor(model, {0, 0, 0.05 - 1e-9}, {0, 0, -1e-4});
    scene.gravity = {};
    scene.bodies[1].wrenches.push_back({0.5e-3, 1e-3, {0, 0, -400}, {}, {}, false});  // 0.1 m/s
    Simulation simulation(scene);
    const double grazed = simulation.Contacts()[0].latch.a;
    double fastest = 0;
    while (simulation.Time() < 2e-3) {
      simulation.Step();
      if (!simulation.Contacts().empty()) fastest = simulation.Contacts()[0].latch.v_i;
    }
    return std::pair(simulation.Contacts()[0].latch.a / grazed, fastest);
  };
  const auto [kept, slow] = struck("first");
  EXPECT_EQ(kept, 1.0);
  EXPECT_LE(slow, 1.1e-4);
  const auto [fallen, fast] = struck("largest");
  EXPECT_GT(fast, 0.02);
  EXPECT_NEAR(fallen, 1e-4 / fast, 1e-12);
}

TEST(SimulationOptionsTest, TheNormalIsTheAreaVectorOrTheEigenvector) {
  for (const auto direction : {NormalDirection::kAreaVector, NormalDirection::kEigenvector}) {
    SCOPED_TRACE(direction == NormalDirection::kAreaVector);
    ContactModelSettings model = Frictionless(1e8, 0.5);
    model.direction = direction;
    // Tilted so that the depth goes from 0.4 to 1.6 mm along x, turned about z.
    Scene scene = CubeOverFloor(model, {0, 0, 0.05 - 1e-3}, {});
    scene.shapes["cube"] = Solid(geometry::Box{{0.1, 0.06, 0.1}}, "cube");
    scene.gravity = {};
    const double tilt = 0.012, c = std::cos(tilt), s = std::sin(tilt);
    scene.bodies[1].X_WB.R = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
    const Simulation simulation(scene);
    ASSERT_EQ(simulation.Contacts().size(), 1U);
    const host::PatchGeometry& g = simulation.Contacts()[0].geometry;
    const Vec3 along = g.J_W * g.n;
    const double turned = Norm(along - Dot(along, g.n) * g.n) / Norm(along);
    const double area = Norm(Normalized(g.S) - g.n);
    if (direction == NormalDirection::kAreaVector) {
      EXPECT_LT(area, 1e-14);
      EXPECT_GT(turned, 1e-4);
    } else {
      EXPECT_LT(turned, 1e-12);
      EXPECT_GT(area, 1e-4);
      EXPECT_GT(Dot(g.n, g.S), 0.0);
    }
  }
}

// A moving sensor's own motion: v + ω × r of its frame, in the axes asked for.
TEST(SimulationOptionsTest, ASensorReadsTheMotionOfItsFrame) {
  Scene scene = CubeOverFloor(Frictionless(1e8, 0.5), {1, 2, 3}, {0.5, -0.2, 0.1});
  scene.gravity = {};
  const Vec3 w{0, 0, 2};
  scene.bodies[1].w_WB = w;
  SensorSettings sensor;
  sensor.name = "corner";
  sensor.body = "cube";
  sensor.X_BS.p = {0.1, 0.2, 0.3};
  sensor.X_BS.R = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  sensor.resolve_in = "world";
  scene.sensors.push_back(sensor);
  sensor.resolve_in = "cube";
  scene.sensors.push_back(sensor);
  Simulation simulation(scene);
  while (simulation.Time() < 0.5) simulation.Step();
  const Pose& X_WB = simulation.State()[1].X_WB;
  const Vec3 v = Vec3{0.5, -0.2, 0.1} + Cross(w, X_WB.R * sensor.X_BS.p);
  const SensorReading &world = simulation.Sensors()[0], &own = simulation.Sensors()[1];
  EXPECT_LT(Norm(world.position - X_WB * sensor.X_BS.p), 1e-12);
  EXPECT_LT(Norm(world.velocity - v), 1e-9);
  EXPECT_LT(Norm(world.angular_velocity - w), 1e-9);
  const Mat3 turned = ToRotation(world.orientation) - X_WB.R * sensor.X_BS.R;
  EXPECT_LT(Norm(turned.row0) + Norm(turned.row1) + Norm(turned.row2), 1e-12);
  EXPECT_LT(Norm(own.position - sensor.X_BS.p), 1e-12);
  EXPECT_LT(Norm(own.velocity - TransposeTimes(X_WB.R, v)), 1e-9);
}

// The same solid in another body frame moves the same way: inertia is given in any frame.
TEST(SimulationOptionsTest, TheBodyFrameIsAMatterOfDescription) {
  const Mat3 J{{0.010, 0.001, 0}, {0.001, 0.016, 0.002}, {0, 0.002, 0.023}};
  const Vec3 center{0.02, -0.01, 0.03}, spin{0.3, 5, 0.2};
  const auto run = [&](const Pose& X_BC) {  // C: the frame that J and center are given in
    Scene scene = MakeScene(Frictionless(1e6, 1.0));
    BodySettings body = Free("body", "", 1, {}, {}, spin);
    body.inertia = X_BC.R * J * Transpose(X_BC.R);
    body.center_of_mass = X_BC * center;
    const Pose X_WC;  // at the start
    body.X_WB = X_WC * Inverse(X_BC);
    body.v_WB = Vec3{1, 2, 3} + Cross(spin, body.X_WB.p);
    scene.bodies = {body};
    Simulation simulation(scene);
    while (simulation.Time() < 0.4) simulation.Step();
    return simulation.State()[0].X_WB * X_BC;
  };
  Pose X_BC;
  X_BC.p = {0.4, -0.7, 0.2};
  X_BC.R = ToRotation(Normalized(Quaternion{0.5, 0.3, -0.7, 0.2}));
  const Pose a = run({}), b = run(X_BC);
  EXPECT_LT(Norm(a.p - b.p), 1e-12);
  const Mat3 d = a.R - b.R;
  EXPECT_LT(Norm(d.row0) + Norm(d.row1) + Norm(d.row2), 1e-12);
}

}  // namespace
}  // namespace intervox
