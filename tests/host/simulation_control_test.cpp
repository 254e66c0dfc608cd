// Inputs from outside: they act as the same thing in a scene does, they are part of the state, and
// a simulation can be cloned, saved and restored with them in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/input/error.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

constexpr const char* kFreeBox =
    "duration: 0.2\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3}\n"
    "shapes: {box: {box: {size: [0.2, 0.1, 0.06]}}}\n"
    "contact_models: {default: {normal: {model: gonthier, stiffness: 1e8, restitution: 0.5}}}\n"
    "bodies:\n  box: {shape: box, mass: 2}\n";

/** A ball on a floor, pushed by a plate that a motion drives, beside a held box. */
Simulation Busy(const std::string& plate_motion = "velocity: {linear: [0.2, 0, 0]}") {
  return FromText(
      "duration: 0.2\nintegrator: {step: 1e-3}\n"
      "shapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
      "  ball: {sphere: {radius: 0.05}}\n  box: {box: {size: [0.02, 0.2, 0.2]}}\n"
      "contact_models: {default: {normal: {model: gonthier, stiffness: 1e8, restitution: 0.5}, "
      "friction: {model: coulomb, mu: 0.3}}}\n"
      "bodies:\n  floor: {shape: floor, fixed: true}\n"
      "  ball: {shape: ball, mass: 1, pose: {position: [0, 0, 0.0499]}}\n"
      "  plate: {shape: box, pose: {position: [-0.07, 0, 0.1]}, motion: {" +
      plate_motion +
      "}}\n  held: {shape: box, mass: 1, pose: {position: [0.5, 0, 0.3]}, holder: {stiffness: 1e3, "
      "damping: 20, rotational_stiffness: 5, rotational_damping: 0.1, target: {keys: [{t: 0, "
      "position: [0.5, 0, "
      "0.3]}]}}}\n");
}

bool SameMotion(const Simulation& a, const Simulation& b) {
  for (std::size_t k = 0; k < a.State().size(); ++k) {
    if (std::memcmp(&a.State()[k], &b.State()[k], sizeof(BodyState)) != 0) return false;
  }
  return true;
}

TEST(SimulationControl, AWrenchActsUntilItIsSetAgain) {
  Simulation simulation = FromText(kFreeBox);
  simulation.SetWrench(0, {4, 0, 0}, {0, 0, 0.01});
  while (simulation.Time() < 0.1 - 1e-9) simulation.Step();
  EXPECT_NEAR(simulation.State()[0].v_WM.x, 0.2, 1e-12);
  EXPECT_NEAR(simulation.State()[0].p_WM.x, 0.01, 1e-12);
  EXPECT_GT(simulation.State()[0].w_WB.z, 0.0);
  EXPECT_NEAR(simulation.Energy().work_applied, simulation.Energy().kinetic, 1e-12);
  const Vec3 w = simulation.State()[0].w_WB;
  simulation.SetWrench(0, {});
  RunToEnd(&simulation);
  EXPECT_NEAR(simulation.State()[0].v_WM.x, 0.2, 1e-12);
  EXPECT_NEAR(simulation.State()[0].w_WB.z, w.z, 1e-12);
}

// The point is the body's: a force at its end turns it as the scene's own wrench does.
TEST(SimulationControl, AWrenchIsTheScenesWrench) {
  Simulation by_input = FromText(kFreeBox);
  by_input.SetWrench(0, {0, 3, 0}, {0.02, 0, 0}, {0.1, 0, 0});
  Simulation by_scene = FromText(std::string(kFreeBox).replace(
      std::string(kFreeBox).find("mass: 2"), 7,
      "mass: 2, wrenches: [{force: [0, 3, 0], torque: [0.02, 0, 0], point: [0.1, 0, 0]}]"));
  RunToEnd(&by_input);
  RunToEnd(&by_scene);
  EXPECT_GT(by_scene.State()[0].w_WB.z, 1.0);
  EXPECT_LT(Norm(by_input.State()[0].p_WM - by_scene.State()[0].p_WM), 1e-13);
  EXPECT_LT(Norm(by_input.State()[0].w_WB - by_scene.State()[0].w_WB), 1e-12);
}

TEST(SimulationControl, ATargetAndAMotionAreTheScenesOwn) {
  Simulation by_input = Busy("velocity: {linear: [0, 0, 0]}");
  by_input.SetMotion(2, {Mat3::Identity(), {-0.07, 0, 0.1}}, {0.2, 0, 0});
  Simulation by_scene = Busy();
  while (!by_scene.Done()) {
    by_input.Step();
    by_scene.Step();
  }
  EXPECT_GT(by_scene.State()[1].p_WM.x, 0.01);
  EXPECT_TRUE(SameMotion(by_input, by_scene));

  // A motion that is set at each step, from where the body is, is no new contact.
  Simulation stepwise = Busy();
  Simulation whole = Busy();
  while (!whole.Done()) {
    stepwise.SetMotion(2, stepwise.State()[2].X_WB, {0.2, 0, 0});
    stepwise.Step();
    whole.Step();
  }
  EXPECT_EQ(stepwise.Impacts().size(), whole.Impacts().size());
  EXPECT_LT(Norm(stepwise.State()[1].p_WM - whole.State()[1].p_WM), 1e-9);

  by_input.SetHolderTarget(3, {Mat3::Identity(), {0.5, 0, 0.35}}, {0, 0, 0.01});
  const double t = by_input.Time();
  for (int k = 0; k < 1400; ++k) by_input.Step();
  const double sag = 9.81 / 1e3;
  EXPECT_NEAR(by_input.State()[3].p_WM.z, 0.35 + 0.01 * (by_input.Time() - t) - sag, 1e-6);
  EXPECT_NEAR(by_input.State()[3].v_WM.z, 0.01, 1e-5);
}

// A body that is placed goes on as one that starts there, and what that took is applied work.
TEST(SimulationControl, ABodyIsPlaced) {
  Simulation simulation = Busy();
  for (int k = 0; k < 50; ++k) simulation.Step();
  ASSERT_FALSE(simulation.Contacts().empty());
  const double before = simulation.Energy().balance;
  simulation.SetState(1, {Mat3::Identity(), {0, 0.3, 0.5}}, {0, 0, -1});
  EXPECT_EQ(simulation.State()[1].p_WM.y, 0.3);
  EXPECT_EQ(simulation.State()[1].v_WM.z, -1.0);
  for (const ContactReport& contact : simulation.Contacts()) EXPECT_NE(contact.body_j, 1);
  EXPECT_NEAR(simulation.Energy().balance, before, 1e-12);
  EXPECT_GT(simulation.Energy().work_applied, 4.0);
  for (int k = 0; k < 50; ++k) simulation.Step();
  EXPECT_NEAR(simulation.State()[1].p_WM.z, 0.5 - 0.05 - 0.5 * 9.81 * 0.05 * 0.05, 1e-9);
  // Into the floor: a contact begins, with its force.
  simulation.SetState(1, {Mat3::Identity(), {0, 0.3, 0.0499}});
  bool touches = false;
  for (const ContactReport& contact : simulation.Contacts()) {
    touches = touches || (contact.body_i == 0 && contact.body_j == 1 && contact.f_n > 0.0);
  }
  EXPECT_TRUE(touches);
}

TEST(SimulationControl, AClonePlaysOnWithTheSameBitsAndAlone) {
  Simulation simulation = Busy();
  for (int k = 0; k < 60; ++k) simulation.Step();
  simulation.SetWrench(1, {0, 0.5, 0});
  Simulation clone = simulation.Clone(), pushed = simulation.Clone();
  EXPECT_TRUE(SameMotion(simulation, clone));
  pushed.SetWrench(1, {0, 5, 0});
  for (int k = 0; k < 60; ++k) {
    simulation.Step();
    clone.Step();
    pushed.Step();
    ASSERT_TRUE(SameMotion(simulation, clone)) << k;
  }
  EXPECT_EQ(simulation.Energy().balance, clone.Energy().balance);
  EXPECT_EQ(simulation.Impacts().size(), clone.Impacts().size());
  EXPECT_GT(pushed.State()[1].p_WM.y, 2 * simulation.State()[1].p_WM.y);
}

// A pure copy: no contact is evaluated again, so what was counted stays, and it costs no query.
TEST(SimulationControl, ACloneHasEveryFigureOfTheOriginal) {
  Simulation original = Busy();
  original.Run(0.05);
  const Simulation clone = original.Clone();
  EXPECT_EQ(clone.Save(), original.Save());
  ASSERT_EQ(clone.Contacts().size(), original.Contacts().size());
  ASSERT_GT(clone.Contacts().size(), 0u);
  for (std::size_t k = 0; k < clone.Contacts().size(); ++k) {
    EXPECT_EQ(clone.Contacts()[k].f_n, original.Contacts()[k].f_n);
    EXPECT_EQ(clone.Contacts()[k].geometry.V, original.Contacts()[k].geometry.V);
  }
  EXPECT_TRUE(SameMotion(clone, original));
  EXPECT_EQ(clone.Energy().balance, original.Energy().balance);
}

TEST(SimulationControl, RunTellsEachStepAndEndsWhereItIsTold) {
  Simulation simulation = Busy();
  std::vector<double> times;
  EXPECT_TRUE(simulation.Run(0.05, [&](Simulation& now) {
    times.push_back(now.Time());
    if (times.size() == 10) now.SetWrench(1, {5, 0, 0});
    return true;
  }));
  ASSERT_EQ(times.size(), 50u);
  EXPECT_DOUBLE_EQ(times.front(), 1e-3);
  Simulation by_hand = Busy();
  for (int k = 0; k < 50; ++k) {
    by_hand.Step();
    if (k == 9) by_hand.SetWrench(1, {5, 0, 0});
  }
  EXPECT_TRUE(SameMotion(simulation, by_hand));
  EXPECT_FALSE(simulation.Run(HUGE_VAL, [](Simulation& now) { return now.Time() < 0.0795; }));
  EXPECT_DOUBLE_EQ(simulation.Time(), 0.08);
  EXPECT_TRUE(simulation.Run());
  EXPECT_TRUE(simulation.Done());
  EXPECT_TRUE(simulation.Run(0.01)) << "a time that is past";
  EXPECT_THROW(simulation.Run(NAN), std::invalid_argument);
}

TEST(SimulationControl, BytesHoldTheWholeStateWithItsInputs) {
  Simulation simulation = Busy();
  for (int k = 0; k < 60; ++k) simulation.Step();
  simulation.SetWrench(1, {0, 0.5, 0}, {0, 0, 1e-3}, {0, 0, 0.01});
  simulation.SetHolderTarget(3, {Mat3::Identity(), {0.5, 0, 0.32}}, {0, 0, 0.01}, {0, 0, 0.1});
  simulation.SetMotion(2, {Mat3::Identity(), simulation.State()[2].X_WB.p}, {0.1, 0, 0});
  const std::vector<unsigned char> bytes = simulation.Save();
  Simulation other = Busy();
  other.Restore(bytes);
  EXPECT_EQ(other.Save(), bytes);
  for (int k = 0; k < 60; ++k) {
    simulation.Step();
    other.Step();
    ASSERT_TRUE(SameMotion(simulation, other)) << k;
  }
  // Back in time, and there again.
  simulation.Restore(bytes);
  EXPECT_EQ(simulation.Save(), bytes);
  for (int k = 0; k < 60; ++k) simulation.Step();
  EXPECT_TRUE(SameMotion(simulation, other));
  Simulation another = FromText(kFreeBox);
  EXPECT_THROW(another.Restore(bytes), host::InputError);
  EXPECT_THROW(other.Restore(std::span(bytes).first(bytes.size() / 2)), host::InputError);
}

TEST(SimulationControl, WhatTakesNoInputSaysSo) {
  Simulation simulation = Busy();
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  const Pose X{Mat3::Identity(), {}};
  EXPECT_EQ(message([&] {
              simulation.SetWrench(0, {1, 0, 0});
            }),
            "SetWrench: body floor is fixed. Only a body that is free takes this input.");
  EXPECT_EQ(
      message([&] { simulation.SetMotion(1, X); }),
      "SetMotion: body ball is free. Only a body that is driven by a motion takes this input.");
  EXPECT_EQ(message([&] { simulation.SetHolderTarget(1, X); }),
            "SetHolderTarget: body ball has no holder. Give it one in the scene.");
  EXPECT_EQ(message([&] { simulation.SetState(9, X); }),
            "SetState: there is no body 9. The scene has 4.");
  EXPECT_EQ(
      message([&] {
        simulation.SetWrench(1, {NAN, 0, 0});
      }),
      "SetWrench: force[0]: the value nan is out of range. Give a number from -1e+30 to 1e+30.");
}

TEST(SimulationControl, InputsAreWithinWhatScenesMaySay) {
  // Squares of what is more were infinite: bodies stood still without a word.
  Simulation simulation = Busy();
  const std::vector<unsigned char> before = simulation.Save();
  const Pose far{Mat3::Identity(), {0, 1.1e9, 0}}, here{Mat3::Identity(), {0, 0, 1}};
  const Vec3 much{0, 0, -1.1e30};
  const auto refused = [&](const char* start, const auto& call) {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what()).rfind(start, 0) == 0;
    }
    return false;
  };
  EXPECT_TRUE(
      refused("SetWrench: force[2]: the value -1.1e+30", [&] { simulation.SetWrench(1, much); }));
  EXPECT_TRUE(refused("SetWrench: torque[2]: ", [&] { simulation.SetWrench(1, {}, much); }));
  EXPECT_TRUE(refused("SetWrench: point[1]: the value 1.1e+09",
                      [&] { simulation.SetWrench(1, {}, {}, far.p); }));
  EXPECT_TRUE(refused("SetState: position[1]: ", [&] { simulation.SetState(1, far); }));
  EXPECT_TRUE(refused("SetState: velocity[2]: ", [&] { simulation.SetState(1, here, much); }));
  EXPECT_TRUE(
      refused("SetState: angular velocity[2]: ", [&] { simulation.SetState(1, here, {}, much); }));
  EXPECT_TRUE(refused("SetMotion: position[1]: ", [&] { simulation.SetMotion(2, far); }));
  EXPECT_TRUE(
      refused("SetHolderTarget: position[1]: ", [&] { simulation.SetHolderTarget(3, far); }));
  EXPECT_EQ(simulation.Save(), before);
}

}  // namespace
}  // namespace intervox
