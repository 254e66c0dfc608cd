// Weights of the points of two cells, as they move from step to step: they give no energy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

/** A part that rocks on a block, its weights going from point to point. */
Simulation Rocking(std::mt19937* random, double restitution) {
  std::uniform_real_distribution<double> angle(-40, 40), spin(-6, 6), choice(0, 1);
  const char* part = choice(*random) < 0.5 ? "{torus: {major_radius: 0.05, minor_radius: 0.012}}"
                                           : "{cylinder: {radius: 0.05, height: 0.03}}";
  return testing::FromText(
      fmt::format(
          "gravity: [0, 0, -9.81]\nduration: 0.4\nintegrator: {{step: 5.0e-4}}\n"
          "contact_models:\n  default:\n    geometry: points\n"
          "    normal: {{model: gonthier, stiffness: 3.0e5, exponent: 1.5, restitution: {}}}\n"
          "    friction: {{model: none}}\n"
          "bodies:\n"
          "  block: {{shape: {{box: {{size: [0.3, 0.3, 0.1]}}}}, fixed: true, "
          "pose: {{position: [0, 0, -0.05]}}}}\n"
          "  part: {{shape: {}, mass: 0.3, pose: {{position: [0, 0, 0.06], "
          "rpy_deg: [{}, {}, 0]}}, velocity: {{angular: [{}, {}, 0]}}}}\n",
          restitution, part, angle(*random), angle(*random), spin(*random), spin(*random)),
      2);
}

TEST(PointWeights, MoveWithoutGivingEnergy) {
  std::mt19937 random(3);
  for (const double restitution : {1.0, 0.7}) {
    for (int k = 0; k < 12; ++k) {
      Simulation simulation = Rocking(&random, restitution);
      double start = 0, most = -INFINITY, apart = 0;
      bool first = true;
      while (!simulation.Done()) {
        simulation.Step();
        const EnergyAudit e = simulation.Energy();
        const double all = e.kinetic + e.gravity + e.Stored();
        if (first) start = all;
        first = false;
        most = std::fmax(most, all - start);
        apart = std::fmax(apart, std::fabs(e.law_gain));
      }
      // Kinetic, potential and what points store never rise, and the account of what they store is
      // what their weights and depths say.
      EXPECT_LT(most, 1e-12) << restitution << ' ' << k;
      EXPECT_LT(apart, 1e-12) << restitution << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace intervox
