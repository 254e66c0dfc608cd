// Groups of many bodies step past the onsets of contacts, which are begun late.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

/** Parts side by side, 0.2 mm apart, that fall onto a floor, each at a time of its own within three
 steps of 250 µs. ωh of a cube is 0.15, of a ball less. */
Simulation Row(int count, const std::string& shape, const std::string& e) {
  std::string text =
      "duration: 0.03\ngravity: [0, 0, 0]\nintegrator: {step: 2.5e-4}\nshapes:\n"
      "  part: " +
      shape +
      "\ncontact_models: {default: {normal: {model: gonthier, stiffness: 3e7, "
      "restitution: " +
      e +
      "}}}\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], "
      "offset: 0}}, fixed: true}\n";
  for (int k = 0; k < count; ++k) {
    text += "  p" + std::to_string(k) + ": {shape: part, mass: 0.0333, pose: {position: [" +
            std::to_string(0.0202 * k) + ", 0, " + std::to_string(0.0105 + 43e-6 * (k % 16)) +
            "]}, velocity: {linear: [0, 0, -1]}}\n";
  }
  Simulation simulation = FromText(text);
  RunToEnd(&simulation);
  return simulation;
}

// Twenty are a group that steps past onsets; three are cut at each.
TEST(LateOnset, PartsOfALargeGroupBounceAsThoseOfASmallOne) {
  for (const char* shape : {"{box: {size: [0.02, 0.02, 0.02]}}", "{sphere: {radius: 0.01}}"}) {
    for (const char* e : {"1", "0.6", "0.1"}) {
      SCOPED_TRACE(std::string(shape) + " e " + e);
      const Simulation few = Row(3, shape, e), many = Row(20, shape, e);
      const double v = few.State()[1].v_WM.z;
      EXPECT_NEAR(v, std::atof(e), 2e-3);
      for (int k = 1; k <= 20; ++k) {
        EXPECT_NEAR(many.State()[static_cast<std::size_t>(k)].v_WM.z, v, 1e-3) << k;
      }
      const EnergyAudit& energy = many.Energy();
      const double struck = 20 * 0.5 * 0.0333;
      EXPECT_LT(std::fabs(energy.balance) + std::fabs(energy.dissipated_numerical), 3e-4 * struck);
      EXPECT_EQ(many.Counters().gaining_substeps, 0);
      EXPECT_EQ(many.Impacts().size(), 20U);
      for (const ImpactRecord& impact : many.Impacts())
        EXPECT_NEAR(impact.approach_speed, 1.0, 1e-12);
    }
  }
}

// A driven floor takes what the impulses give it out of its drive.
TEST(LateOnset, ADrivenFloorDoesTheWork) {
  std::string text =
      "duration: 0.02\ngravity: [0, 0, 0]\nintegrator: {step: 2.5e-4}\nshapes:\n"
      "  part: {box: {size: [0.02, 0.02, 0.02]}}\ncontact_models: {default: {normal: {model: "
      "gonthier, stiffness: 3e7, restitution: 1}}}\nbodies:\n  floor: {shape: {box: {size: [2, 2, "
      "0.1]}}, motion: {keys: [{t: 0, position: [0, 0, -0.05], velocity: [0, 0, 0.5]}, {t: 0.02, "
      "position: [0, 0, "
      "-0.04], velocity: [0, 0, 0.5]}]}}\n";
  for (int k = 0; k < 20; ++k) {
    text += "  p" + std::to_string(k) + ": {shape: part, mass: 0.0333, pose: {position: [" +
            std::to_string(0.0202 * k) + ", 0, " + std::to_string(0.0105 + 43e-6 * (k % 16)) +
            "]}, velocity: {linear: [0, 0, -1]}}\n";
  }
  Simulation simulation = FromText(text);
  RunToEnd(&simulation);
  for (int k = 1; k <= 20; ++k) {
    EXPECT_NEAR(simulation.State()[static_cast<std::size_t>(k)].v_WM.z, 2.0, 2e-3) << k;
  }
  const EnergyAudit& energy = simulation.Energy();
  const double before = 20 * 0.5 * 0.0333;
  EXPECT_NEAR(energy.work_driven, energy.kinetic - before, 1e-3 * before);
}

}  // namespace
}  // namespace intervox
