// A damper that acts from the first touch on, against parts so light that it stops them within a
// step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

// A cylinder of 0.4 g is stopped within 4 µs, a sixtieth of a step. Taken as resolved, the substep
// errs by as much as the part has.
TEST(LinearDamper, StopsLightPartsWithoutEnergyFromNowhere) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(-90, 90), spin(-60, 60), along(-0.5, 0.5),
      down(1, 2);
  double apart = 0, all = 0;
  for (int k = 0; k < 12; ++k) {
    const double a[] = {angle(random), angle(random), angle(random)};
    const double w[] = {spin(random), spin(random), spin(random)};
    const double v[] = {along(random), along(random), -down(random)};
    Simulation simulation = testing::FromText(
        fmt::format(
            "gravity: [0, 0, -9.81]\nduration: 0.03\nintegrator: {{step: 2.5e-4}}\n"
            "contact_models:\n  default:\n"
            "    normal: {{model: linear, stiffness: 4.5e6, damping: 107}}\n"
            "    friction: {{model: coulomb, mu: 0.97}}\n"
            "bodies:\n"
            "  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: true}}\n"
            "  part: {{shape: {{cylinder: {{radius: 0.016, height: 0.016}}}}, mass: 3.75e-4, "
            "pose: {{position: [0, 0, 0.024], rpy_deg: [{}, {}, {}]}}, "
            "velocity: {{linear: [{}, {}, {}], angular: [{}, {}, {}]}}}}\n",
            a[0], a[1], a[2], v[0], v[1], v[2], w[0], w[1], w[2]),
        2);
    const double start = simulation.Energy().kinetic;
    simulation.Run();
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << k;
    apart += std::fabs(simulation.Energy().balance);
    all += start;
  }
  EXPECT_LT(apart, 0.3 * all);
}

}  // namespace
}  // namespace intervox
