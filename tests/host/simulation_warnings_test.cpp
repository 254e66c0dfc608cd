// What a run says of itself: nothing where all is well, and where energy came from nowhere how
// much, when, and of which body.
#include "host/simulation/warnings.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/host/scene_text.h"

namespace intervox::host {
namespace {

/** A ball that falls onto a floor. */
Simulation Fall(const std::string& method, double step, double stiffness, double mass) {
  return testing::FromText(
      "duration: " + std::to_string(300 * step) + "\nintegrator: {method: " + method +
          ", step: " + std::to_string(step) +
          "}\ncontact_models:\n  default: {normal: {model: gonthier, stiffness: " +
          std::to_string(stiffness * mass) +
          ", restitution: 0.9}}\nbodies:\n"
          "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
          "  ball: {shape: {sphere: {radius: 0.05}}, mass: " +
          std::to_string(mass) +
          ", pose: {position: [0, 0, 0.06]}, velocity: {linear: [0, 0, -1]}}\n",
      2);
}

TEST(WarningsOfRun, NameEnergyFromNowhere) {
  for (const double mass : {1e-2, 1.0, 1e2}) {
    Simulation explicit_steps = Fall("rk4", 1e-3, 1e12, mass);
    EXPECT_TRUE(WarningsOfRun(explicit_steps, 1e-3 * mass).empty()) << "before the impact";
    testing::RunToEnd(&explicit_steps);
    ASSERT_GT(explicit_steps.Counters().gaining_substeps, 0);
    const auto warnings = WarningsOfRun(explicit_steps, EnergyThrough(explicit_steps.Energy()));
    ASSERT_FALSE(warnings.empty());
    for (const char* word : {"1 substep gained energy that nothing gave", "method ark3",
                             "The first:\n  t = 0.01 s, ", " J, body ball"}) {
      EXPECT_NE(warnings.back().find(word), std::string::npos) << warnings.back();
    }
    Simulation implicit_steps = Fall("ark3", 1e-3, 1e12, mass);
    testing::RunToEnd(&implicit_steps);
    EXPECT_TRUE(WarningsOfRun(implicit_steps, EnergyThrough(implicit_steps.Energy())).empty());
  }
}

}  // namespace
}  // namespace intervox::host
