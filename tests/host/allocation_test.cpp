// SolveStage and the simulation allocate nothing in the steady state.
#include <gtest/gtest.h>

#include <vector>

#include "host/contact/contact_model.h"
#include "host/simulation.h"
#include "tests/allocations.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::host {
namespace {

using intervox::testing::allocations;

TEST(SolveStage, AllocatesNothingInTheSteadyState) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.5}}, {}};
  s.friction = {"bristle", {{"mu_s", 0.3}}, {}};
  s.rolling.model = "gonthier";
  s.spinning.model = "contensou";
  const auto model = MakeContactModel(s, {}, {});
  std::vector<StageBody> bodies(4);
  for (int b = 1; b < 4; ++b) {
    bodies[b].inverse_mass = 1.0;
    bodies[b].inverse_inertia_W = Mat3::Identity();
    bodies[b].p_WM = {0, 0, 0.1 * b};
  }
  std::vector<StageContact> contacts(6);
  const auto set = [&](int k) {
    for (StageBody& b : bodies) b.v = {0.1, 0.02, b.inverse_mass > 0 ? -0.3 : 0.0};
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      contacts[c].body_i = static_cast<int>(c % 3) + 1;
      contacts[c].body_j = static_cast<int>(c) % 3;
      contacts[c].model = model.get();
      contacts[c].geometry.n = {0, 0, 1};
      contacts[c].geometry.V = k % 7 == static_cast<int>(c) ? 0.0 : 1e-5 * (1 + k % 5);
      contacts[c].geometry.J_W = 1e-9 * Mat3::Diagonal({1, 1, 2});
      contacts[c].latch = {0.3, model->normal->DampingFactor(0.3)};
    }
  };
  set(0);
  for (StageContact& c : contacts) c.geometry.V = 1e-5;
  SolveStage(1e-4, bodies, contacts);
  const long before = allocations;
  ASSERT_GT(before, 0);  // the counters count
  for (int k = 0; k < 50; ++k) {
    set(k);
    SolveStage(k % 3 == 0 ? 0.0 : 1e-4, bodies, contacts);
  }
  EXPECT_EQ(allocations, before);
}

TEST(Simulation, StepsAllocateNothingOnceGrown) {
  Scene scene = scenes::MakeScene(scenes::Frictional(1e8, 0.5, 0.3));
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.bodies = {scenes::Fixed("floor", "floor"),
                  scenes::Free("a", "box", 1, {0, 0, 0.051}, {0.3, 0, 0}, {0, 0, 2}),
                  scenes::Free("b", "box", 1, {0.02, 0, 0.152}, {0.1, 0, 0})};
  Simulation simulation(scene, {Device::kSerial, 1, 0});
  while (simulation.Time() < 0.3) simulation.Step();
  ASSERT_GT(simulation.Contacts().size(), 1U);
  const long before = allocations;
  while (simulation.Time() < 0.5) simulation.Step();
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace intervox::host
