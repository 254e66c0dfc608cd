// What acts from outside: impulses of wrenches, constant velocities, drives' work, turning targets.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

std::string Number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// F (b − a) and τ (b − a), and nothing before a, whether a and b lie on steps or within, and
// whatever the method's stages: also a pulse of one step, and one within a step.
TEST(SimulationLoads, AWrenchGivesItsImpulseFromItsBeginningToItsEnd) {
  const double h = 1e-3, mass = 2.5, inertia = 0.4 * mass * 0.01;
  const struct {
    double from, to;
  } spans[] = {{0.01, 0.02}, {0.01, 0.011}, {0.0, 0.004}, {0.0123, 0.0187}, {0.0102, 0.0104}};
  for (const char* method : {"ark3", "ark2", "rk1", "rk4"}) {
    for (const auto& [from, to] : spans) {
      SCOPED_TRACE(std::string(method) + " from " + Number(from) + " to " + Number(to));
      Simulation simulation = FromText(
          "duration: 0.03\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3, method: " +
          std::string(method) +
          "}\nshapes: {ball: {sphere: {radius: 0.1}}}\nbodies:\n"
          "  ball: {shape: ball, mass: 2.5, wrenches: [{from: " +
          Number(from) + ", to: " + Number(to) + ", force: [7, 0, -300], torque: [0, 2, 0]}]}\n");
      for (int k = 1; !simulation.Done(); ++k) {
        simulation.Step();
        const double acted = std::fmax(0.0, std::fmin(k * h, to) - from);
        const BodyState& ball = simulation.State()[0];
        EXPECT_LT(Norm(ball.v_WM - (acted / mass) * Vec3{7, 0, -300}), 3e-14) << k;
        EXPECT_LT(Norm(ball.w_WB - (acted / inertia) * Vec3{0, 2, 0}), 3e-14) << k;
      }
      // Its work is kinetic energy now; Euler's method takes it at the velocities of the
      // beginnings.
      const EnergyAudit& energy = simulation.Energy();
      if (std::string(method) != "rk1") {
        EXPECT_NEAR(energy.work_applied, energy.kinetic, 1e-9 * energy.kinetic);
      }
    }
  }
}

// A box pressed with 20 N and its weight, at its depth: the last sample reads the load too.
TEST(SimulationLoads, AWrenchWithoutAnEndActsInTheLastSample) {
  const double depth = (20 + 9.81) / (1e6 * 0.01);
  Simulation simulation = FromText(
      "duration: 0.02\nshapes: {floor: {half_space: {normal: [0, 0, 1], offset: 0}}, "
      "box: {box: {size: [0.1, 0.1, 0.1]}}}\ncontact_models: {default: {normal: {model: gonthier, "
      "stiffness: 1e6, restitution: 0.5}}}\nbodies:\n  floor: {shape: floor, fixed: true}\n"
      "  box: {shape: box, mass: 1, pose: {position: [0, 0, " +
      Number(0.05 - depth) + "]}, wrenches: [{force: [0, 0, -20]}]}\nsensors: {s: {body: box}}\n");
  for (bool last = false; !last;) {
    EXPECT_NEAR(simulation.Sensors()[0].force.z, 29.81, 1e-6) << simulation.Time();
    last = simulation.Done();
    simulation.Step();
  }
}

// Angle and velocities at every time, far beyond a turn, and in the last sample.
TEST(SimulationLoads, AConstantVelocityIsExactAndHasNoEnd) {
  const Vec3 v{1, -0.5, 0.25}, w{1.2, -40, 9}, p{5, 6, 7};
  Simulation simulation = FromText(
      "duration: 3\nintegrator: {step: 0.01}\nshapes: {ball: {sphere: {radius: 0.1}}}\nbodies:\n"
      "  wheel: {shape: ball, pose: {position: [5, 6, 7], rpy_deg: [0, 0, 90]}, motion: {velocity: "
      "{linear: [1, -0.5, 0.25], angular: [1.2, -40, 9]}}}\n");
  const Mat3 quarter{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  for (bool last = false; !last;) {
    last = simulation.Done();
    const double t = simulation.Time();
    const BodyState& wheel = simulation.State()[0];
    EXPECT_LT(Norm(wheel.v_WB - v), 1e-14) << t;
    EXPECT_LT(Norm(wheel.w_WB - w), 1e-13) << t;
    EXPECT_LT(Norm(wheel.X_WB.p - (p + t * v)), 1e-14) << t;
    // Rodrigues' formula.
    const Vec3 axis = Normalized(w);
    const double angle = Norm(w) * t;
    for (int k = 0; k < 3; ++k) {
      const Vec3 u = quarter.Col(k);
      const Vec3 turned = std::cos(angle) * u + std::sin(angle) * Cross(axis, u) +
                          ((1 - std::cos(angle)) * Dot(axis, u)) * axis;
      EXPECT_LT(Norm(wheel.X_WB.R.Col(k) - turned), 1e-13) << t;
    }
    if (!last) simulation.Step();
  }
  EXPECT_NEAR(simulation.Time(), 3.0, 1e-12);
}

// A plate at rest is set down on a turntable and comes to turn with it: the table has given it the
// spin I ω, so its drive has done I ω² of work, of which friction has taken half, whatever the law.
TEST(SimulationLoads, ADriveThatTurnsABodyDoesTheTorquesWork) {
  Simulation simulation = FromText(
      "duration: 1\nintegrator: {step: 500e-6}\nshapes:\n  table: {half_space: {normal: [0, 0, 1], "
      "offset: 0}}\n  plate: {cylinder: {radius: 0.05, height: 0.02}}\ncontact_models:\n  "
      "default:\n"
      "    normal: {model: gonthier, stiffness: 1e7, restitution: 0.3}\n"
      "    friction: {model: bristle, mu_s: 0.5, mu_c: 0.4, sigma_0: 1e4, sigma_1: 200, "
      "v_stribeck: 0.01, dwell_time: 0.1}\n    spinning: {model: contensou}\nbodies:\n"
      "  table: {shape: table, motion: {velocity: {angular: [0, 0, 4]}}}\n"
      "  plate: {shape: plate, mass: 0.5, pose: {position: [0, 0, 0.00993]}}\n");
  RunToEnd(&simulation);
  const double inertia = 0.5 * 0.5 * 0.05 * 0.05, w = 4.0;
  EXPECT_NEAR(simulation.State()[1].w_WB.z, w, 1e-4 * w);
  const EnergyAudit& energy = simulation.Energy();
  EXPECT_NEAR(energy.work_driven, inertia * w * w, 1e-3 * inertia * w * w);
  EXPECT_NEAR(energy.dissipated_spinning + energy.dissipated_sliding + energy.bristle,
              0.5 * inertia * w * w, 0.01 * inertia * w * w);
}

// A body beside a target that turns in place at ω, on a spring of m ω²: it goes round in a circle,
// turning with the target, and no damper slows it, because it moves as the target's material does.
TEST(SimulationLoads, AHoldersDamperFollowsItsTurningTarget) {
  const double w = 5.0, r = 0.02;
  Simulation simulation = FromText(
      "duration: 1.2\ngravity: [0, 0, 0]\nintegrator: {step: 250e-6}\n"
      "shapes: {ball: {sphere: {radius: 0.01}}}\nbodies:\n  ball:\n    shape: ball\n    mass: 0.4\n"
      "    pose: {position: [0.02, 0, 0]}\n    velocity: {linear: [0, 0.1, 0], angular: [0, 0, "
      "5]}\n"
      "    holder: {stiffness: 10, damping: 3, rotational_stiffness: 0.1, rotational_damping: "
      "0.01,\n"
      "      target: {keys: [{t: 0, position: [0, 0, 0], angular_velocity: [0, 0, 5]}]}}\n");
  while (!simulation.Done()) {
    simulation.Step();
    const double angle = w * simulation.Time();
    const BodyState& ball = simulation.State()[0];
    const Vec3 along{std::cos(angle), std::sin(angle), 0};
    ASSERT_LT(Norm(ball.p_WM - r * along), 1e-3 * r) << simulation.Time();
    ASSERT_NEAR(ball.w_WB.z, w, 1e-3 * w) << simulation.Time();
    ASSERT_NEAR(Dot(ball.X_WB.R.Col(0), along), 1.0, 1e-6) << simulation.Time();
  }
  EXPECT_NEAR(simulation.Energy().work_applied, 0.0, 1e-3 * simulation.Energy().kinetic);
}

}  // namespace
}  // namespace intervox
