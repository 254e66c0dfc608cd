// Azad and Featherstone's surface, which comes back by itself when a body leaves it behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

constexpr double kStiffness = 1e7, kDamping = 2e4, kMass = 0.5, kSpeed = 1.0;
constexpr double kPush = 1e3;   ///< that sends the ball back once it has left the surface [N]
constexpr double kDeep = 1e-4;  ///< it is pushed from the first step above this depth on [m]
constexpr double kStep = 2e-6;

Simulation Ball(double recovery) {
  return testing::FromText(
      "gravity: [0, 0, 0]\nduration: 1\nintegrator: {step: 2.0e-6}\n"
      "contact_models:\n  default: {geometry: points, normal: {model: azad_featherstone, "
      "stiffness: 1e7, damping: 2e4, recovery: " +
          std::to_string(recovery) +
          "}}\nbodies:\n"
          "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
          "  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.5, pose: {position: [0, 0, 0.1]}, "
          "velocity: {linear: [0, 0, -1]}}\n",
      2);
}

/** Depths of the ball at each step: by the engine. */
std::vector<double> Engine(double recovery, int steps, double* balance = nullptr) {
  Simulation simulation = Ball(recovery);
  std::vector<double> depths;
  bool leaves = false;
  for (int k = 0; k < steps; ++k) {
    simulation.Step();
    depths.push_back(0.1 - simulation.State()[1].X_WB.p.z);
    leaves = leaves || (simulation.State()[1].v_WB.z > 0.0 && depths.back() < kDeep);
    if (leaves) simulation.SetWrench(1, {0, 0, -kPush});
  }
  EXPECT_TRUE(leaves);
  if (balance != nullptr) *balance = simulation.Energy().balance;
  return depths;
}

/** The same by Euler's method at a fiftieth of the step, the surface's depth being a state. */
std::vector<double> Reference(bool recovers, int steps, int* free_steps) {
  constexpr int kParts = 50;
  constexpr double dt = kStep / kParts;
  std::vector<double> depths;
  double z = 0.0, rate = kSpeed, surface = 0.0, push = 0.0;
  bool free = false;
  *free_steps = 0;
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < kParts; ++i) {
      double f = z > 0.0 ? std::sqrt(z) * (kStiffness * z + kDamping * rate) : 0.0;
      if (recovers && free) {
        surface -= dt * (kStiffness / kDamping) * surface;
        free = z < surface;
        if (free) f = 0.0;
      } else if (f < 0.0) {
        free = true;
        surface = z;
      }
      f = std::max(0.0, f);
      rate += dt * (push - f) / kMass;
      z += dt * rate;
    }
    *free_steps += free ? 1 : 0;
    depths.push_back(z);
    if (rate < 0.0 && z < kDeep) push = kPush;
  }
  return depths;
}

TEST(Recovery, ABallMeetsTheSurfaceWhereItHasComeBackTo) {
  constexpr int kSteps = 3000;
  int free_steps = 0, other = 0;
  const std::vector<double> expected = Reference(true, kSteps, &free_steps);
  const std::vector<double> whole = Reference(false, kSteps, &other);
  double balance = 0.0;
  const std::vector<double> found = Engine(1.0, kSteps, &balance), memoryless = Engine(0.0, kSteps);
  double off = 0.0, off_whole = 0.0, apart = 0.0, deepest = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    off = std::max(off, std::fabs(found[k] - expected[k]));
    off_whole = std::max(off_whole, std::fabs(memoryless[k] - whole[k]));
    apart = std::max(apart, std::fabs(expected[k] - whole[k]));
    deepest = std::max(deepest, expected[k]);
  }
  std::printf("free for %d steps, deepest %.3g m, off %.2g and %.2g m, apart %.2g m\n", free_steps,
              deepest, off, off_whole, apart);
  EXPECT_GT(free_steps, 500);
  EXPECT_GT(apart, 1e-5);
  EXPECT_LT(off, 0.1 * apart);
  EXPECT_LT(off_whole, 0.1 * apart);
  EXPECT_LT(std::fabs(balance), 1e-3 * 0.5 * kMass);
}

}  // namespace
}  // namespace intervox
