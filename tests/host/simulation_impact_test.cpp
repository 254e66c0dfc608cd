// Stiff impacts at 250 µs against fine runs.
#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

/** 100 kg hit a floor at 0.84 m/s while sliding at 0.02 m/s; k_v A = 6.5e8 N/m. */
Scene Hit(double e, double tilt, double height) {
  Scene scene = scenes::MakeScene(scenes::Frictional(6.5e8 / 0.09, e, 0.3));
  scene.gravity = {};
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.3, 0.3, 0.2}}, "box");
  const double c = std::cos(tilt), s = std::sin(tilt);
  BodySettings box =
      scenes::Free("box", "box", 100, {0, 0, 0.1 * c + 0.15 * s + height}, {0.02, 0, -0.84});
  box.X_WB.R = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
  scene.bodies = {scenes::Fixed("floor", "floor"), box};
  return scene;
}

struct After {
  Vec3 v, w;
  double start = 0, highest = 0;
};

After Impact(Scene scene, double step, double until) {
  scene.integrator.step = step;
  Simulation simulation(scene);
  After out;
  out.start = simulation.Energy().kinetic;
  while (simulation.Time() < until - 1e-9) {
    simulation.Step();
    out.highest = std::fmax(out.highest, simulation.Energy().kinetic);
  }
  out.v = simulation.State()[1].v_WM;
  out.w = simulation.State()[1].w_WB;
  return out;
}

TEST(SimulationImpactTest, LeavesWithTheVelocitiesOfAFineRun) {
  for (const double e : {0.6, 0.05}) {
    for (const double tilt : {0.0, 0.03}) {
      // Touching at four moments within the step, until the first rebound is over.
      for (const double phase : {0.1, 0.35, 0.6, 0.85}) {
        const Scene scene = Hit(e, tilt, 0.84 * 250e-6 * (2 + phase));
        const double until = tilt > 0 ? 0.0075 : 0.006;
        const After fine = Impact(scene, 5e-6, until);
        const After coarse = Impact(scene, 250e-6, until);
        const double error =
            std::fmax(Norm(coarse.v - fine.v), 0.15 * Norm(coarse.w - fine.w)) / 0.84;
        EXPECT_LT(error, 0.01) << "e " << e << " tilt " << tilt << " phase " << phase;
        EXPECT_LE(coarse.highest, coarse.start * (1 + 1e-12));
      }
    }
  }
}

TEST(SimulationImpactTest, AGrazingContactStruckLaterGainsNoEnergy) {
  // Sinks in at 0.1 mm/s, is struck at 0.1 m/s: the latch must follow.
  const double k_v = 1e8 / 0.01, mass = 2;
  const auto run = [&](double restitution) {
    Scene scene = scenes::MakeScene(scenes::Frictionless(k_v, restitution));
    scene.gravity = {};
    scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
    scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
    scene.bodies = {scenes::Fixed("floor", "floor"),
                    scenes::Free("box", "box", mass, {0, 0, 0.05 - 1e-9}, {0, 0, -1e-4})};
    // A blow of 0.5 ms that brings it to 0.1 m/s.
    scene.bodies[1].wrenches.push_back({0.5e-3, 1e-3, {0, 0, -mass * 0.1 / 0.5e-3}, {}, {}, false});
    Simulation simulation(scene);
    double peak = 0;
    while (simulation.Time() < 0.02) {
      simulation.Step();
      if (!simulation.Contacts().empty()) peak = std::fmax(peak, simulation.Contacts()[0].f_n);
    }
    EXPECT_LT(simulation.Energy().kinetic, simulation.Energy().work_applied + 1e-6);
    return peak;
  };
  const double elastic = run(1.0);
  EXPECT_GT(elastic, 500.0);
  EXPECT_LT(run(0.6), 3 * elastic);
}

}  // namespace
}  // namespace intervox
