// A ring that a scene puts too deep onto its cone: it relieves itself, and friction makes that a
// climb.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

Simulation RingOnCone(double v_small, double tolerance, double duration) {
  return testing::FromText(
      fmt::format(
          "gravity: [0, 0, -9.81]\nduration: {}\nintegrator: {{step: 1.0e-3}}\n"
          "engine: {{tolerance: {}}}\n"
          "contact_models:\n  default:\n"
          "    normal: {{model: gonthier, stiffness: 1.0e9, restitution: 0.5, v_small: {}}}\n"
          "    friction: {{model: bristle, mu_s: 0.3, mu_c: 0.3}}\n"
          "    rolling: {{model: none}}\n"
          "bodies:\n"
          "  cone: {{shape: {{cone: {{radius_bottom: 0.05, radius_top: 0.02, height: 0.2}}, "
          "pose: {{position: [0, 0, 0.1]}}}}, fixed: true}}\n"
          "  ring: {{shape: {{torus: {{major_radius: 0.05, minor_radius: 0.012}}}}, "
          "mass: 0.1, inertia: [7.0e-5, 7.0e-5, 1.3e-4], center_of_mass: [0, 0, 0], "
          "pose: {{position: [1.0e-3, 0, 0.082], rpy_deg: [1, 2, 0]}}}}\n",
          duration, tolerance, v_small),
      2);
}

double LoadOf(const Simulation& simulation) {
  double sum = 0;
  for (const auto& contact : simulation.Contacts()) sum += contact.f_n;
  return sum;
}

double ElasticLoadOf(const Simulation& simulation) {
  double sum = 0;
  for (const auto& contact : simulation.Contacts()) sum += 1e9 * contact.geometry.V;
  return sum;
}

double HeightOf(const Simulation& simulation) { return simulation.State()[1].X_WB.p.z; }

// It climbs while its normal forces grow: both come from what the start stores. The sum of all
// energies falls, what patches hold goes down to what they press with, and it comes to rest.
TEST(SlowRing, ClimbsByWhatItsStartStoresAndComesToRest) {
  Simulation simulation = RingOnCone(1e-4, 1e-2, 12);
  double last = INFINITY, low = 0, load = 0;
  while (!simulation.Done()) {
    simulation.Step();
    const double time = simulation.Time();
    if (time < 0.1) continue;
    const EnergyAudit e = simulation.Energy();
    const double all = e.kinetic + e.gravity + e.Stored() + e.bristle;
    ASSERT_LT(all, last + 1e-9) << time;
    last = all;
    if (std::fabs(time - 0.2) < 1e-6) {
      low = HeightOf(simulation);
      load = LoadOf(simulation);
      EXPECT_GT(ElasticLoadOf(simulation), 3 * load);
    }
  }
  EXPECT_GT(HeightOf(simulation) - low, 3e-5);
  EXPECT_GT(LoadOf(simulation), 2 * load);
  EXPECT_NEAR(LoadOf(simulation), ElasticLoadOf(simulation), 1e-5 * LoadOf(simulation));
  EXPECT_LT(Norm(simulation.State()[1].v_WB), 1e-11);
}

// The climb is the damping's, not an error of volumes: it ends at once where v_small is larger, and
// is the same where volumes are a thousand times as accurate.
TEST(SlowRing, EndsWithTheDampingAndNotWithTheTolerance) {
  Simulation quick = RingOnCone(1e-2, 1e-2, 0.6);
  while (quick.Time() < 0.3 - 1e-9) quick.Step();
  const double height = HeightOf(quick);
  quick.Run();
  EXPECT_NEAR(HeightOf(quick), height, 1e-9);
  Simulation coarse = RingOnCone(1e-4, 1e-2, 0.6), fine = RingOnCone(1e-4, 1e-5, 0.6);
  coarse.Run();
  fine.Run();
  EXPECT_NEAR(HeightOf(coarse), HeightOf(fine), 1e-8);
}

}  // namespace
}  // namespace intervox
