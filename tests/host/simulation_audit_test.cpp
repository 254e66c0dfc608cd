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

}  // namespace
}  // namespace intervox
