// The energy audit of scenes that start in the middle of things.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// A box that starts d deep in a floor stores ½ k A d² there; the law gives nothing beyond.
TEST(EnergyAudit, OverlapsOfTheStartAreStored) {
  for (const double edge : {1e-3, 0.1, 10.0}) {
    for (const double stiffness : {1e6, 1e8, 1e10}) {
      for (const double share : {1e-4, 1e-2}) {
        const double depth = share * edge;
        const double stored = 0.5 * stiffness * edge * edge * depth * depth;
        // A weight that presses a quarter as deep.
        const double mass = 0.25 * stiffness * edge * edge * depth / 9.81;
        const double step = 0.05 * std::sqrt(depth / 9.81);
        Simulation simulation = testing::FromText(
            "duration: " + Number(100 * step) + "\nintegrator: {step: " + Number(step) +
                "}\ncontact_models:\n  default: {normal: {model: gonthier, restitution: 0.5, "
                "stiffness: " +
                Number(stiffness) +
                "}}\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, "
                "fixed: true}\n  box: {shape: {box: {size: [" +
                Number(edge) + ", " + Number(edge) + ", " + Number(edge) + "]}}, mass: " +
                Number(mass) + ", pose: {position: [0, 0, " + Number(0.5 * edge - depth) + "]}}\n",
            2);
        EXPECT_NEAR(simulation.Energy().elastic, stored, 1e-7 * stored) << edge << ' ' << stiffness;
        EXPECT_NEAR(simulation.Energy().law_gain, 0.0, 1e-7 * stored);
        while (!simulation.Done()) simulation.Step();
        const EnergyAudit e = simulation.Energy();
        EXPECT_NEAR(e.law_gain, 0.0, 1e-2 * stored) << edge << ' ' << stiffness << ' ' << share;
        EXPECT_NEAR(e.balance, 0.0, 1e-2 * stored) << edge << ' ' << stiffness << ' ' << share;
      }
    }
  }
}

// A box that swings on a floor gets nothing from the law, whether or not substeps resolve it: what
// they take of the swing is numerical.
TEST(EnergyAudit, OfASwingTheLawGivesNothing) {
  constexpr double kEdge = 0.1, kDepth = 1e-4, kLoad = 50.0;
  const double stiffness = kLoad / (kEdge * kEdge * kDepth), T = std::sqrt(kDepth / 9.81);
  const double start = 0.5 * kLoad * kDepth * 1.4 * 1.4;
  for (const double step : {0.05, 1.0, 4.0}) {
    Simulation simulation = testing::FromText(
        "duration: " + Number(40 * T) + "\nintegrator: {step: " + Number(step * T) +
            "}\ncontact_models:\n  default: {normal: {model: gonthier, restitution: 1, "
            "stiffness: " +
            Number(stiffness) +
            "}}\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: "
            "true}\n  box: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: " +
            Number(kLoad / 9.81) + ", pose: {position: [0, 0, " +
            Number(0.5 * kEdge - 1.4 * kDepth) + "]}}\n",
        2);
    while (!simulation.Done()) simulation.Step();
    const EnergyAudit e = simulation.Energy();
    EXPECT_NEAR(e.law_gain, 0.0, 1e-4 * start) << step;
    if (step > 1.0) {
      EXPECT_GT(e.dissipated_numerical, 0.02 * start) << step;
    }
  }
}

// A peg slides down a hole's wall, along which its patch grows, so the law gives energy. Substeps
// that resolve nothing tell as much of it as a method that follows every vibration, the witness,
// and do not book it as taken by themselves.
TEST(EnergyAudit, WhatTheLawGivesIsToldByAllIntegrators) {
  struct Case {
    const char* method;
    double step;
  };
  const auto audit_of = [](const Case& c) {
    Scene scene = LoadScene(INTERVOX_DATA_DIR "/scenes/peg_insertion.yaml");
    scene.integrator.method = c.method;
    scene.integrator.step = c.step;
    scene.duration = 0.7;
    Simulation simulation(scene);
    while (!simulation.Done()) simulation.Step();
    return simulation.Energy();
  };
  const EnergyAudit witness = audit_of({"dopri5", 1e-3});
  ASSERT_GT(witness.law_gain, 5e-6);
  EXPECT_LT(std::fabs(witness.dissipated_numerical), 1e-3 * witness.law_gain);
  for (const Case& c : {Case{"ark3", 1e-3}, {"ark2", 1e-3}, {"trbdf2", 1e-3}}) {
    const EnergyAudit e = audit_of(c);
    EXPECT_NEAR(e.law_gain, witness.law_gain, 0.05 * witness.law_gain) << c.method << ' ' << c.step;
    EXPECT_GT(e.dissipated_numerical, -0.01 * witness.law_gain) << c.method << ' ' << c.step;
    EXPECT_LT(e.dissipated_numerical, 0.05 * witness.law_gain) << c.method << ' ' << c.step;
    EXPECT_NEAR(e.balance, 0.0, 1e-3 * witness.law_gain) << c.method << ' ' << c.step;
  }
}

}  // namespace
}  // namespace intervox
