// Bodies in holders, and bodies pressed against walls, that are stiff against the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

constexpr double kStep = 1e-3;
constexpr double kMass = 0.1;
constexpr double kInertia = 5e-5;

std::string Number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// A free body without gravity in a holder with ωh in every axis; nothing is near it.
std::string Held(double wh, double damping, const std::string& body, const std::string& target) {
  const double w = wh / kStep;
  return "gravity: [0, 0, 0]\nduration: 0.1\nintegrator: {step: 1e-3}\nbodies:\n"
         "  part: {shape: {box: {size: [0.02, 0.02, 0.1]}}, mass: " +
         Number(kMass) + ", inertia: [5e-5, 5e-5, 5e-5], " + body +
         ", holder: {stiffness: " + Number(kMass * w * w) +
         ", rotational_stiffness: " + Number(kInertia * w * w) +
         ", damping: " + Number(2 * damping * kMass * w) +
         ", rotational_damping: " + Number(2 * damping * kInertia * w) + ", target: {keys: [" +
         target + "]}}}\n";
}

// What the springs store about the origin.
double SpringEnergy(double wh, const BodyState& body) {
  const double w = wh / kStep;
  const Vec3 v{body.q_WB.x, body.q_WB.y, body.q_WB.z};
  const double angle = 2 * std::atan2(Norm(v), std::fabs(body.q_WB.w));
  return 0.5 * w * w * (kMass * SquaredNorm(body.X_WB.p) + kInertia * angle * angle);
}

// ½ m v² + ½ ω I ω + what the springs store never rises where nothing else acts, and what the
// scheme takes of it is said to be taken by the scheme.
TEST(StiffHolder, WithoutDampingItGainsNothingAndTheAuditSaysWhereItWent) {
  for (const double wh : {0.3, 2.0, 16.0, 50.0, 100.0, 400.0, 4000.0}) {
    SCOPED_TRACE(wh);
    Simulation simulation =
        FromText(Held(wh, 0, "pose: {position: [1e-6, -2e-6, 1e-6], rpy_deg: [0.3, -0.4, 0.2]}",
                      "{t: 0, position: [0, 0, 0]}"));
    const double start = SpringEnergy(wh, simulation.State()[0]);
    double most = 0, end = 0;
    while (!simulation.Done()) {
      simulation.Step();
      end = simulation.Energy().kinetic + SpringEnergy(wh, simulation.State()[0]);
      most = std::fmax(most, end);
    }
    EXPECT_LE(most, 1.001 * start);
    const EnergyAudit& energy = simulation.Energy();
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
    EXPECT_LT(std::fabs(energy.balance), 1e-3 * start);
    if (wh < 10) continue;
    EXPECT_LT(end, 1e-3 * start);  // damped by the scheme, which cannot follow it
    EXPECT_NEAR(energy.work_applied, start, 2e-3 * start);
    EXPECT_NEAR(energy.dissipated_numerical, start, 2e-3 * start);
  }
}

// A target that moves takes its body along and gives it what it then has.
TEST(StiffHolder, AMovingTargetsWorkIsWhatItGives) {
  for (const double wh : {0.3, 16.0, 400.0}) {
    for (const double damping : {0.0, 1.0}) {
      SCOPED_TRACE(Number(wh) + " " + Number(damping));
      Simulation simulation = FromText(
          Held(wh, damping, "pose: {position: [0, 0, 0]}, velocity: {linear: [0.2, 0, 0]}",
               "{t: 0, position: [0, 0, 0]}, {t: 0.05, position: [0.01, 0, 0]}, {t: 0.1, position: "
               "[0.03, 0, 0]}"));
      const double start = 0.5 * kMass * 0.2 * 0.2;
      RunToEnd(&simulation);
      const EnergyAudit& energy = simulation.Energy();
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
      EXPECT_NEAR(energy.kinetic - start, energy.work_applied - energy.dissipated_numerical,
                  0.01 * start);
      if (damping > 0 && wh > 10) {
        EXPECT_NEAR(simulation.State()[0].X_WB.p.x, 0.03, 1e-4);
      }
    }
  }
}

// A peg that a wrench presses against a wall lies still: its force does not tremble, and no
// dissipative substeps are needed to keep it there.
TEST(StiffContact, APressedPegLiesStill) {
  for (const double wh : {4.0, 16.0, 30.0}) {
    SCOPED_TRACE(wh);
    const double w = wh / kStep, area = 0.02 * 0.1, force = 46;
    Simulation simulation = FromText(
        "gravity: [0, 0, 0]\nduration: 0.6\nintegrator: {step: 1e-3}\n"
        "contact_models: {default: {normal: {model: gonthier, stiffness: " +
        Number(kMass * w * w / area) +
        ", restitution: 0.6}}}\nbodies:\n"
        "  wall: {shape: {half_space: {normal: [1, 0, 0], offset: -0.01}}, fixed: true}\n"
        "  peg: {shape: {box: {size: [0.02, 0.02, 0.1]}}, mass: 0.1, pose: {position: [1e-5, 0, "
        "0.05], rpy_deg: [0, 0.002, 0]}, velocity: {linear: [-0.01, 0, 0]}, wrenches: [{to: 9, "
        "force: [-46, 0, 0], point: [0, 0, 0]}]}\nsensors: {s: {body: peg}}\n");
    double most = 0;
    std::int64_t dissipative = 0;
    while (!simulation.Done()) {
      if (simulation.Time() < 0.3) dissipative = simulation.Counters().dissipative_substeps;
      simulation.Step();
      if (simulation.Time() < 0.3) continue;
      most = std::fmax(most, std::fabs(simulation.Sensors()[0].force.x - force));
    }
    EXPECT_LT(most, 1e-7 * force);
    EXPECT_LE(simulation.Counters().dissipative_substeps - dissipative, 3);
  }
}

// Bristles whose stiffness follows the load give back more than sliding has put in where the load
// grows. That is the law's, not a gain of the integrator: a cone that slides on its tip.
TEST(StiffContact, WhatBristlesGiveBackAtAHigherLoadIsTheLaws) {
  Simulation simulation = FromText(
      "integrator: {step: 1e-3}\nduration: 0.1\ncontact_models: {default: {normal: {model: "
      "gonthier, stiffness: 1e6, restitution: 1}, friction: {model: bristle, mu_s: 0.5, mu_c: "
      "0.5}, rolling: {model: gonthier}, spinning: {model: contensou}}}\nbodies:\n"
      "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
      "  cone: {shape: {cone: {radius_bottom: 0, radius_top: 0.02, height: 0.04}}, mass: 0.053, "
      "center_of_mass: [0, 0, 0.01], inertia: [6.3e-6, 6.3e-6, 6.3e-6], pose: {position: [0, 0, "
      "0.0213], rpy_deg: [0.17, 0, 0]}, velocity: {linear: [0.009, -0.0064, 0], angular: [-0.64, "
      "-0.89, 2.8]}}\n");
  double given = 0;
  while (!simulation.Done()) {
    simulation.Step();
    given = std::fmin(given, simulation.Energy().bristle);
  }
  EXPECT_LT(given, -1e-8);  // more than they had taken
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
}

}  // namespace
}  // namespace intervox
