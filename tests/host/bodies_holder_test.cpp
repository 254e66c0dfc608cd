// The compliant holder: its static deflection, and a damper that no step makes unstable.
#include "host/bodies/holder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Free;
using scenes::Frictionless;
using scenes::MakeScene;

Scene Held(double damping, double step) {
  Scene scene = MakeScene(Frictionless(1e6, 0.5), step);
  BodySettings body = Free("part", "", 0.02, {0.001, 0.002, 0});
  body.inertia = Mat3::Diagonal({1e-6, 2e-6, 2.5e-6});
  body.center_of_mass = Vec3{0, 0, -0.01};
  Holder holder;
  holder.stiffness = {1e3, 2e3, 4e3};
  holder.damping = {damping, damping, damping};
  holder.rotational_stiffness = {1, 1, 1};
  holder.rotational_damping = {1e-4 * damping, 1e-4 * damping, 1e-4 * damping};
  holder.target.keys = {{0, {}, {}, {}, {}}, {10, {}, {}, {}, {}}};
  body.holder = holder;
  scene.bodies.push_back(body);
  return scene;
}

TEST(HolderTest, HangsByItsWeight) {
  Simulation simulation(Held(10, 250e-6));
  while (simulation.Time() < 1) simulation.Step();
  const BodyState& part = simulation.State()[0];
  EXPECT_NEAR(part.X_WB.p.z, -0.02 * 9.81 / 4e3, 1e-9);
  EXPECT_NEAR(part.X_WB.p.x, 0, 1e-9);
  EXPECT_LT(Norm(part.v_WM), 1e-7);
  // All that the springs held is gone: what is left is the weight's share.
  EXPECT_LT(std::fabs(simulation.Energy().balance), 1e-5);
}

TEST(HolderTest, AnyDampingIsStable) {
  // hγ c/m = 5e5: an explicit damper would leave the finite numbers within a few steps.
  Simulation simulation(Held(1e8, 250e-6));
  const double start = 0.5 * (1e3 * 1e-6 + 2e3 * 4e-6);
  while (simulation.Time() < 0.2) {
    simulation.Step();
    EXPECT_LT(simulation.Energy().kinetic, start);
  }
  EXPECT_NEAR(simulation.State()[0].X_WB.p.y, 0.002, 1e-6);  // it creeps at k/c = 2e-5 per second
}

TEST(HolderTest, SolvedWrenchIsTheDampersAtTheNewVelocities) {
  Holder holder;
  holder.stiffness = {10, 20, 30};
  holder.damping = {1, 2, 3};
  holder.rotational_stiffness = {0.1, 0.2, 0.3};
  holder.rotational_damping = {0.01, 0.05, 0.02};
  holder.target.keys = {{0, {0.1, 0, 0}, {0.3, 0, 0}, {0.9, 0.1, 0.2, 0}, {0, 0.5, 0}}};
  const Pose X_WB{ToRotation(Normalized(Quaternion{1, 0.2, 0, 0.1})), {0.15, 0.02, 0}};
  host::HolderStage stage = host::MakeHolderStage(holder, host::Evaluate(holder.target, 0.01), X_WB,
                                                  ToQuaternion(X_WB.R));
  host::StageBody body;
  body.inverse_mass = 0.5;
  body.inverse_inertia_W = {{9, 1, 0}, {1, 7, 2}, {0, 2, 5}};
  body.p_WM = {0.1, 0.05, -0.03};
  body.v = {0.2, -0.1, 0.4};
  body.w = {1, 2, -3};
  const double h = 0.05;
  host::SolveHolder(h, body, &stage);
  const Vec3 force = stage.force, torque = stage.torque;
  body.v += (h * body.inverse_mass) * force;
  body.w += h * (body.inverse_inertia_W * (torque + Cross(stage.p_WB - body.p_WM, force)));
  host::EvaluateHolder(body, &stage);
  EXPECT_LT(Norm(stage.force - force), 1e-13 * Norm(force));
  EXPECT_LT(Norm(stage.torque - torque), 1e-12 * Norm(torque));
}

}  // namespace
}  // namespace intervox
