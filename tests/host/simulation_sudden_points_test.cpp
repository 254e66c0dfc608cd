// Points that are deep of a sudden, as a part's deepest point moves from one side of a dimple to
// the other, and dampers that stop bodies within less than a substep: neither makes energy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

/** Runs a scene to its end. @return the most that kinetic energy and gravity's rise above their
 start [J] */
double MostGained(Simulation* simulation) {
  const EnergyAudit start = simulation->Energy();
  double most = -HUGE_VAL;
  while (!simulation->Done()) {
    simulation->Step();
    const EnergyAudit now = simulation->Energy();
    most = std::max(most, now.kinetic + now.gravity - start.kinetic - start.gravity);
  }
  return most;
}

/** A box of size L and mass m that falls into a dimple and turns there, at a step and stiffness in
 units of √(L/g) and m g/L. */
Simulation IntoDimple(double L, double m, double step, double stiffness) {
  const double T = std::sqrt(L);
  return testing::FromText(
      fmt::format(
          "duration: {}\nintegrator: {{step: {}}}\n"
          "contact_models:\n  default: {{geometry: points, friction: {{model: none}}, normal: "
          "{{model: hunt_crossley, exponent: 1, restitution: 1, stiffness: {}}}}}\n"
          "bodies:\n  dimpled: {{shape: {{difference: [{{box: {{size: [0.8, 0.8, 0.5]}}}}, "
          "{{sphere: {{radius: 0.4}}, pose: {{position: [0, 0, 0.45]}}}}], scale: {}}}, fixed: "
          "true}}\n"
          "  part: {{shape: {{box: {{size: [0.35, 0.3, 0.25]}}, scale: {}}}, mass: {}, pose: "
          "{{position: [{}, {}, {}], quaternion: [-1.033, -2.597, -0.505, 0.799]}}, velocity: "
          "{{linear: [0, 0, {}], angular: [{}, {}, {}]}}}}\n",
          0.22 * T, step * T, stiffness * m / L, L, L, m, -0.145 * L, 0.145 * L, 0.6 * L, -T,
          -2.89 / T, 2.82 / T, -3.03 / T),
      2);
}

TEST(SuddenPoints, GiveBackNoMoreThanWasPutIntoThem) {
  struct Case {
    double L = 1, m = 1, step = 1e-3, stiffness = 100;
  };
  const Case cases[] = {
      {},           {100, 1},         {0.01, 1},         {1, 100},          {1, 0.01},
      {1, 1, 1e-4}, {1, 1, 1e-3, 30}, {1, 1, 1e-3, 300}, {1, 1, 1e-3, 1000}};
  for (const Case& c : cases) {
    Simulation simulation = IntoDimple(c.L, c.m, c.step, c.stiffness);
    const double scale = c.m * c.L * 10;
    EXPECT_LT(MostGained(&simulation), 1e-3 * scale);
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0)
        << "L " << c.L << ", m " << c.m << ", step " << c.step << ", stiffness " << c.stiffness;
    EXPECT_EQ(simulation.Counters().arrests, 0);
  }
}

TEST(StiffDampers, PushNoBodyOff) {
  for (const double mass : {0.01, 1.0, 100.0}) {
    for (const double damping : {3e9, 3e11, 3e13}) {
      for (const double step : {1e-3, 2.5e-4}) {
        Simulation simulation = testing::FromText(
            fmt::format("duration: 0.6\nintegrator: {{step: {}}}\n"
                        "contact_models:\n  default: {{geometry: points, friction: {{model: none}},"
                        " normal: {{model: lee_wang, exponent: 2.58, stiffness: {}, damping: {}}}}}"
                        "\nbodies:\n  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: "
                        "0}}}}, fixed: true}}\n"
                        "  torus: {{shape: {{torus: {{major_radius: 0.09, minor_radius: 0.028}}}}, "
                        "mass: {}, pose: {{position: [0, 0, 0.15], quaternion: [0.586, 0.166, "
                        "0.327, -0.723]}}, velocity: {{angular: [0.3, -0.7, 3]}}}}\n",
                        step, 5e13 * mass, damping * mass, mass),
            2);
        EXPECT_LT(MostGained(&simulation), 1e-5 * mass);
        EXPECT_EQ(simulation.Counters().gaining_substeps, 0)
            << "mass " << mass << ", damping " << damping << ", step " << step;
      }
    }
  }
}

// A prism of 60 corners that lands flat has more new points in a substep than its stages hold.
TEST(PointsWithoutRoom, BeginWithoutEnergy) {
  for (const double mass : {0.01, 1.0, 100.0}) {
    for (const double stiffness : {3e4, 1e5}) {
      std::string bodies;
      for (int k = 0; k < 20; ++k) {
        bodies += fmt::format(
            "  prism_{}: {{shape: {{prism: {{sides: 60, radius: 0.1, height: 0.1}}}}, mass: {}, "
            "pose: "
            "{{position: [{}, 0, 0.1]}}, velocity: {{linear: [0, 0, -1]}}}}\n",
            k, mass, 0.2002 * k);
      }
      Simulation simulation = testing::FromText(
          fmt::format("duration: 0.15\nintegrator: {{step: 1.0e-3}}\n"
                      "contact_models:\n  default: {{geometry: points, friction: {{model: none}}, "
                      "normal: {{model: hunt_crossley, exponent: 1, restitution: 1, stiffness: "
                      "{}}}}}\n"
                      "bodies:\n  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}},"
                      " fixed: true}}\n{}",
                      stiffness * mass / 60, bodies),
          2);
      EXPECT_LT(MostGained(&simulation), 1e-4 * 20 * mass);
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
    }
  }
}

}  // namespace
}  // namespace intervox
