// Orders of convergence on smooth motion, of the state and of the energy balance.
#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictional;
using scenes::Frictionless;
using scenes::MakeScene;
using scenes::Solid;

struct End {
  Vec3 p, v, w;
  Mat3 R;
  double balance = 0;
};

End RunTo(Scene scene, const std::string& method, double step, double until) {
  scene.integrator = {method, step};
  scene.duration = until;
  Simulation simulation(scene);
  while (!simulation.Done()) simulation.Step();
  const BodyState& body = simulation.State().back();
  return {body.p_WM, body.v_WM, body.w_WB, body.X_WB.R, simulation.Energy().balance};
}

double Distance(const End& a, const End& b) {
  const Mat3 d = a.R - b.R;
  return Norm(a.p - b.p) + Norm(a.v - b.v) + 0.1 * Norm(a.w - b.w) + Norm(d.row0) + Norm(d.row1);
}

/** Observed order between steps h and h/2 against a fine run of order 5. */
double ObservedOrder(const Scene& scene, const std::string& method, double step, double until,
                     const End& reference) {
  const double coarse = Distance(RunTo(scene, method, step, until), reference);
  const double fine = Distance(RunTo(scene, method, step / 2, until), reference);
  return std::log2(coarse / fine);
}

/** A free asymmetric body that tumbles about its middle axis, and is turned a little: without
 torque every method is exact. */
Scene Tumbling() {
  Scene scene = MakeScene(Frictionless(1e6, 1.0));
  BodySettings body = Free("body", "", 1.0, {}, {1, 2, 3}, {0.3, 5, 0.2});
  body.inertia = Mat3{{0.010, 0.001, 0}, {0.001, 0.016, 0.002}, {0, 0.002, 0.023}};
  body.center_of_mass = Vec3{0.02, -0.01, 0.03};
  body.wrenches.push_back({0, HUGE_VAL, {}, {0.02, -0.01, 0.03}, {}});
  scene.bodies.push_back(body);
  return scene;
}

/** A body in a damped holder whose target turns and moves. */
Scene Held() {
  Scene scene = Tumbling();
  scene.bodies[0].v_WB = {};
  scene.bodies[0].wrenches.clear();
  Holder holder;
  holder.stiffness = {400, 300, 500};
  holder.damping = {5, 3, 4};
  holder.rotational_stiffness = {3, 2, 4};
  holder.rotational_damping = {0.03, 0.02, 0.05};
  holder.target.keys = {{0, {}, {0.2, 0, 0}, {}, {0, 1, 0}},
                        {1, {0.3, 0.1, 0}, {0, 0.2, 0}, {0.8, 0.1, 0.6, 0}, {1, 0, 0}}};
  scene.bodies[0].holder = holder;
  return scene;
}

/** A ball bouncing within its contact, never leaving it: k_v V(δ) is smooth there, and its damping
 factor stays. */
Scene Bobbing(double restitution) {
  Scene scene = MakeScene(Frictionless(1e7, restitution));
  scene.contact_models["default"].normal.choices["latch"] = "largest";
  scene.engine.tolerance = 1e-9;
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["ball"] = Solid(geometry::Sphere{0.1}, "ball");
  scene.bodies.push_back(Fixed("floor", "floor"));
  scene.bodies.push_back(Free("ball", "ball", 2, {0, 0, 0.0975}, {0.1, 0, -0.002}));
  return scene;
}

/** A box that slides over a floor with friction, spins and tilts a little: never leaves it, never
 sticks, and its whole face stays in. */
Scene Sliding() {
  ContactModelSettings model = Frictional(1e6, 0.9, 0.3);
  model.friction.parameters["mu_s"] = 0.4;
  Scene scene = MakeScene(model);
  scene.engine.tolerance = 1e-9;
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = Solid(geometry::Box{{0.2, 0.16, 0.05}}, "box");
  scene.bodies.push_back(Fixed("floor", "floor"));
  scene.bodies.push_back(
      Free("box", "box", 2, {0, 0, 0.025 - 6e-4}, {1, 0.2, -0.004}, {0.02, -0.03, 2}));
  return scene;
}

TEST(SimulationOrderTest, SlidingWithFrictionKeepsTheOrderAndTheBalanceFallsWithIt) {
  const Scene scene = Sliding();
  const End reference = RunTo(scene, "rk5", 2e-5, 0.06);
  const auto order = [&](const char* method, double step) {
    return ObservedOrder(scene, method, step, 0.06, reference);
  };
  EXPECT_NEAR(order("ark3", 1e-3), 3, 0.3);
  EXPECT_NEAR(order("ark2", 1e-3), 2, 0.3);
  EXPECT_NEAR(order("rk3", 5e-4), 3, 0.3);
  EXPECT_NEAR(order("rk4", 1e-3), 4, 0.4);
  EXPECT_GT(order("rk5", 1e-3), 4.6);  // 6.5: its fifth-order term is small here
  for (const char* method : {"ark3", "ark2"}) {
    const double coarse = RunTo(scene, method, 1e-3, 0.06).balance;
    const double fine = RunTo(scene, method, 5e-4, 0.06).balance;
    EXPECT_GT(std::log2(std::fabs(coarse / fine)), method[3] - '0' - 0.4) << method;
  }
}

TEST(SimulationOrderTest, MethodsHaveTheirOrderOnATumblingBody) {
  const End reference = RunTo(Tumbling(), "rk5", 1e-4, 0.4);
  const auto order = [&](const char* method, double step) {
    return ObservedOrder(Tumbling(), method, step, 0.4, reference);
  };
  EXPECT_NEAR(order("rk1", 5e-4), 1, 0.15);
  EXPECT_NEAR(order("rk2", 2e-3), 2, 0.25);
  EXPECT_NEAR(order("rk3", 4e-3), 3, 0.35);
  EXPECT_NEAR(order("rk4", 8e-3), 4, 0.5);
  EXPECT_GT(order("rk5", 8e-3), 4.5);  // 6: its fifth-order term is small here
  EXPECT_NEAR(order("ark2", 2e-3), 2, 0.25);
  EXPECT_NEAR(order("ark3", 4e-3), 3, 0.35);
}

TEST(SimulationOrderTest, ImplicitHolderKeepsTheOrder) {
  const End reference = RunTo(Held(), "rk5", 1e-4, 0.4);
  EXPECT_NEAR(ObservedOrder(Held(), "ark2", 2e-3, 0.4, reference), 2, 0.25);
  EXPECT_NEAR(ObservedOrder(Held(), "ark3", 4e-3, 0.4, reference), 3, 0.35);
  EXPECT_NEAR(ObservedOrder(Held(), "rk4", 4e-3, 0.4, reference), 4, 0.5);
  EXPECT_NEAR(ObservedOrder(Held(), "rk5", 8e-3, 0.4, reference), 5, 0.3);
}

TEST(SimulationOrderTest, SmoothContactKeepsTheOrderAndTheBalanceFallsWithIt) {
  const Scene scene = Bobbing(0.9);
  const End reference = RunTo(scene, "rk5", 5e-5, 0.02);
  EXPECT_NEAR(ObservedOrder(scene, "ark3", 5e-4, 0.02, reference), 3, 0.4);
  EXPECT_NEAR(ObservedOrder(scene, "ark2", 5e-4, 0.02, reference), 2, 0.3);
  EXPECT_NEAR(ObservedOrder(scene, "rk4", 5e-4, 0.02, reference), 4, 0.6);
  const double coarse = RunTo(scene, "ark3", 5e-4, 0.02).balance;
  const double fine = RunTo(scene, "ark3", 2.5e-4, 0.02).balance;
  EXPECT_GT(std::log2(std::fabs(coarse / fine)), 2.5);
}

TEST(SimulationOrderTest, UndampedHeaveKeepsItsEnergy) {
  // e = 1: nothing dissipates; the oscillation has 20 periods.
  Scene scene = Bobbing(1.0);
  scene.integrator.step = 2e-4;
  Simulation simulation(scene);
  const double start = simulation.Energy().kinetic + simulation.Energy().elastic;
  while (simulation.Time() < 0.5) simulation.Step();
  const EnergyAudit& energy = simulation.Energy();
  EXPECT_EQ(energy.dissipated_normal, 0.0);
  EXPECT_LT(std::fabs(energy.kinetic + energy.gravity + energy.elastic - start), 1e-4 * start);
}

}  // namespace
}  // namespace intervox
