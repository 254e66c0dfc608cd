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

// A corner of a part meets a tube's rim. As it turns, a way out through the wall begins to weigh,
// from nothing, a tenth of the part deep: what that stores grows with a substep's length.
TEST(SuddenPoints, GiveNothingAsTheyBeginToWeigh) {
  for (const double step : {1e-4, 2.5e-5}) {
    Simulation simulation =
        testing::FromText(fmt::format("duration: 2e-4\nintegrator: {{step: {}}}\n", step) + R"(
contact_models:
  default:
    geometry: points
    normal: {model: gonthier, stiffness: 4.6e12, restitution: 0.95}
    friction: {model: stribeck, mu_s: 0.174, mu_c: 0.145}
    rolling: {model: none}
    spinning: {model: none}
bodies:
  part:
    shape:
      scale: 0.03679
      convex:
        vertices:
          - [0.0002375, 0.3504, 0.1143]
          - [0.2621, 0.3583, 0.1283]
          - [0.1436, -0.2526, -0.1085]
          - [-0.2513, -0.2211, -0.06732]
          - [-0.1335, -0.3276, -0.1397]
          - [0.3924, 0.1408, 0.1775]
          - [-0.1325, 0.3766, 0.04345]
          - [0.3586, -0.1035, -0.1504]
    mass: 174
    center_of_mass: [0.003942, 0.001721, 8.214e-05]
    inertia:
      - [0.006014, -0.000654, -0.0005455]
      - [-0.000654, 0.005424, -0.001791]
      - [-0.0005455, -0.001791, 0.009292]
    pose: {position: [0.0266, -0.01757, 0.04828], quaternion: [0.9507, -0.1842, -0.1313, 0.2121]}
    velocity: {linear: [0.459, -0.1484, -0.8465], angular: [103.2, -61.13, 2.206]}
  tube:
    shape:
      scale: 0.0526
      difference:
        - {cylinder: {radius: 0.5, height: 0.7092}}
        - {cylinder: {radius: 0.2769, height: 1.418}}
    mass: 344.2
    center_of_mass: [0, 0, 0]
    inertia: [0.1183, 0.1183, 0.1569]
    pose: {position: [0.04108, -0.03, 0.0669], quaternion: [0.9176, 0.1331, 0.002582, 0.3746]}
    velocity: {linear: [0.3459, -0.346, -1.099], angular: [-1.392, 1.837, -0.9941]}
)",
                          2);
    const double start = simulation.Energy().kinetic;
    EXPECT_LT(MostGained(&simulation), 1e-4 * start) << step;
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << step;
    EXPECT_LT(std::fabs(simulation.Energy().balance), 1e-2 * start) << step;
  }
}

// A half ball's rim leaves a capsule, and its deepest place becomes two, each as deep: the new one
// pushes within the substep in which it appears, the less the shorter that is.
TEST(SuddenPoints, DoLittleInTheSubstepInWhichTheyAppear) {
  for (const double step : {2e-4, 1e-4}) {
    Simulation simulation =
        testing::FromText(fmt::format("duration: 4e-4\nintegrator: {{step: {}}}\n", step) + R"(
contact_models:
  default:
    geometry: points
    normal: {model: gonthier, exponent: 2.5705, stiffness: 1.16308e+17, restitution: 1}
    friction: {model: goyal, mu: 0.5381, stiffness: 1.03947e+12, damping: 1.74873e+7}
    rolling: {model: none}
    spinning: {model: none}
bodies:
  half_ball:
    shape:
      scale: 0.00688128
      intersection:
        - {sphere: {radius: 0.5}}
        - {half_space: {normal: [0, 0, 1], offset: 0.0762338}}
    mass: 99.3044
    center_of_mass: [0, 0, -0.00100375]
    inertia: [0.000339435, 0.000339435, 0.000491765]
    pose:
      position: [-0.0025867, 0.00095404, 0.0042305]
      quaternion: [0.31645, 0.48246, -0.60909, -0.54416]
    velocity: {linear: [0.08195, -0.086947, 0.72262], angular: [25.052, 23.231, -1.9214]}
  capsule:
    shape: {capsule: {radius: 0.16342, length: 0.67316}, scale: 0.00697069}
    mass: 1133.72
    center_of_mass: [0, 0, 0]
    inertia: [0.00408448, 0.00408448, 0.000702352]
    pose:
      position: [-0.00044277, -0.00027332, 0.0088375]
      quaternion: [0.56453, -0.57472, -0.50639, -0.30753]
    velocity: {linear: [0.0041889, 0.010705, -0.41784], angular: [35.428, 30.685, -8.2088]}
)",
                          2);
    while (!simulation.Done()) simulation.Step();
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << step;
    EXPECT_LT(std::fabs(simulation.Energy().balance), 2e-3 * simulation.Energy().kinetic) << step;
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
