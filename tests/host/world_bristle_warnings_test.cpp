// Bristles whose stiffness is not given know nothing of small bodies, which slide by several of
// their sizes before they stick; a warning says so, and what it advises holds them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/host/scene_text.h"

namespace intervox::host {
namespace {

/** A cube on a slope of 10°, which friction holds, sunk in by a thousandth of its edge. */
Simulation OnASlope(double edge, const std::string& friction) {
  const double mass = 2000 * edge * edge * edge;
  const double stiffness = mass * 9.81 / (1e-3 * edge * edge * edge);
  const double duration = 100 * std::sqrt(edge / 9.81);
  const auto text = [](double x) { return std::to_string(x * 1e12) + "e-12"; };
  return testing::FromText(
      "duration: " + text(duration) + "\nintegrator: {step: " + text(duration / 1000) +
          "}\ngravity: [1.7035, 0, -9.661]\nshapes:\n  floor: {half_space: {normal: [0, 0, 1], "
          "offset: 0}}\n  cube: {box: {size: [" +
          text(edge) + ", " + text(edge) + ", " + text(edge) +
          "]}}\ncontact_models:\n  default: {normal: {model: gonthier, stiffness: " +
          std::to_string(stiffness) + ", restitution: 0.3}, friction: " + friction +
          "}\nbodies:\n  floor: {shape: floor, fixed: true}\n  cube: {shape: cube, mass: " +
          std::to_string(mass * 1e18) + "e-18, pose: {position: [0, 0, " + text(0.499 * edge) +
          "]}}\n",
      2);
}

TEST(BristleWarnings, AreGivenWhereBodiesAreShortAgainstTheDefaultsDeflection) {
  const std::string by_default = "{model: bristle, mu_s: 0.4, mu_c: 0.3}";
  for (const double edge : {1e-5, 1e-4, 0.9e-3}) {
    const Simulation small = OnASlope(edge, by_default);
    ASSERT_EQ(small.Warnings().size(), 1u) << edge;
    const std::string said = small.Warnings()[0];
    EXPECT_NE(said.find("contact_models.default.friction.sigma_0: not given"), std::string::npos);
    EXPECT_NE(said.find("body cube is "), std::string::npos) << said;
  }
  for (const double edge : {1.1e-3, 0.1}) {
    EXPECT_TRUE(OnASlope(edge, by_default).Warnings().empty()) << edge;
  }
  EXPECT_TRUE(OnASlope(1e-4, "{model: coulomb, mu: 0.4}").Warnings().empty());
  EXPECT_TRUE(
      OnASlope(1e-4, "{model: bristle, mu_s: 0.4, mu_c: 0.3, sigma_0: 4e6}").Warnings().empty());
}

TEST(BristleWarnings, WhatTheyAdviseHoldsSmallBodies) {
  const double edge = 1e-5;
  const auto slid = [&](const std::string& friction) {
    Simulation cube = OnASlope(edge, friction);
    testing::RunToEnd(&cube);
    return cube.State()[1].X_WB.p.x / edge;
  };
  EXPECT_GT(slid("{model: bristle, mu_s: 0.4, mu_c: 0.3}"), 1.0);
  // 1e8 times mu_s: a thousandth of the edge.
  EXPECT_LT(std::fabs(slid("{model: bristle, mu_s: 0.4, mu_c: 0.3, sigma_0: 4e7}")), 0.01);
}

}  // namespace
}  // namespace intervox::host
