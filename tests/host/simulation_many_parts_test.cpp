// Scenes of more bodies and contacts than go to a thread together.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kRadius = 0.01, kMass = 4.19e-3;

/** Balls side by side that touch each other and the floor, and as many in flight above. */
Scene LayerAndFlight(int side) {
  Scene scene = scenes::MakeScene(scenes::Frictional(1.3e8, 0.5, 0.3));
  scene.shapes["ball"] = scenes::Solid(geometry::Sphere{kRadius}, "ball");
  scene.shapes["ground"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "ground");
  scene.bodies.push_back(scenes::Fixed("floor", "ground"));
  for (int k = 0; k < side * side; ++k) {
    const double x = 0.0199 * (k % side), y = 0.0199 * (k / side);
    const Vec3 v{0.01 * std::sin(k), 0.01 * std::cos(k), 0};
    scene.bodies.push_back(scenes::Free("b" + std::to_string(k), "ball", kMass, {x, y, 0.0099}, v));
    scene.bodies.push_back(
        scenes::Free("f" + std::to_string(k), "ball", kMass, {2 * x, 2 * y, 1.0}, v));
  }
  return scene;
}

std::vector<double> Numbers(const Simulation& simulation) {
  std::vector<double> out;
  const auto add = [&](const Vec3& v) { out.insert(out.end(), {v.x, v.y, v.z}); };
  for (const BodyState& body : simulation.State()) {
    add(body.p_WM);
    add(body.v_WM);
    add(body.w_WB);
    out.push_back(body.q_WB.w);
  }
  for (const ContactReport& contact : simulation.Contacts()) {
    out.push_back(static_cast<double>(contact.id));
    add(contact.force);
    add(contact.torque);
    add(contact.state.z);
  }
  const EnergyAudit& energy = simulation.Energy();
  out.insert(out.end(),
             {energy.elastic, energy.bristle, energy.dissipated_sliding, energy.balance});
  return out;
}

// One island of 1,024 bodies and 3,000 contacts, which gets all threads, and small groups.
TEST(SimulationManyParts, BitsDoNotDependOnThreads) {
  std::vector<double> one;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation(LayerAndFlight(32), {Device::kThreads, threads, 0});
    for (int k = 0; k < 3; ++k) simulation.Step();
    const std::vector<double> numbers = Numbers(simulation);
    if (one.empty()) {
      one = numbers;
      EXPECT_GT(simulation.Contacts().size(), 2900U);
      EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
      continue;
    }
    ASSERT_EQ(one.size(), numbers.size()) << threads;
    EXPECT_EQ(0, std::memcmp(one.data(), numbers.data(), one.size() * sizeof(double))) << threads;
  }
}

/** 64 balls in one island that settle, of friction that sticks. */
Scene Layer() {
  Scene scene = LayerAndFlight(8);
  std::erase_if(scene.bodies, [](const BodySettings& body) {
    return body.name[0] == 'f' && body.name != "floor";
  });
  for (BodySettings& body : scene.bodies) body.v_WB = {};
  return scene;
}

/** Sweeps a stage of 50 steps, after ten. */
double SweepsPerStage(const Scene& scene) {
  Simulation simulation(scene);
  for (int k = 0; k < 10; ++k) simulation.Step();
  const SimulationCounters before = simulation.Counters();
  for (int k = 0; k < 50; ++k) simulation.Step();
  const SimulationCounters& after = simulation.Counters();
  const auto stages = static_cast<double>(after.stages - before.stages);
  EXPECT_GE(stages, 150.0);
  return static_cast<double>(after.solver_iterations - before.solver_iterations) / stages;
}

// Guesses of wrenches that go on from stage to stage leave 1.3 sweeps a stage; the last stage's
// own leave 2.3.
TEST(SimulationManyParts, GuessesOfWrenchesGoOn) { EXPECT_LE(SweepsPerStage(Layer()), 1.5); }

// What wrenches have changed by is in a checkpoint, too.
TEST(SimulationManyParts, ALayerResumesWithTheSameBits) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("intervox-layer-" + std::to_string(::getpid()));
  Simulation whole(Layer()), resumed(Layer());
  for (int k = 0; k < 10; ++k) whole.Step();
  whole.Save(path);
  resumed.Restore(path);
  for (int k = 0; k < 5; ++k) {
    whole.Step();
    resumed.Step();
  }
  EXPECT_EQ(whole.Counters().solver_iterations, resumed.Counters().solver_iterations);
  const std::vector<double> a = Numbers(whole), b = Numbers(resumed);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(double)));
  std::filesystem::remove(path);
}

// Bodies near nothing step in groups of 128; each moves as it does alone.
TEST(SimulationManyParts, BodiesInFlightDoNotDependOnTheirGroup) {
  const auto flight = [](int count) {
    Scene scene = scenes::MakeScene(scenes::Frictionless(1e8, 0.5));
    scene.shapes["ball"] = scenes::Solid(geometry::Sphere{kRadius}, "ball");
    for (int k = 0; k < count; ++k) {
      scene.bodies.push_back(scenes::Free("b" + std::to_string(k), "ball", kMass, {0.1 * k, 0, 0},
                                          {0.1 * k, 1, 2}, {3, 4, 5}));
    }
    // Cut for this one's group alone.
    scene.bodies[0].wrenches.push_back({1e-4, 3e-4, {0, 0, 0.1}, {}, {}, false});
    return scene;
  };
  Simulation many(flight(300)), few(flight(2));
  for (int k = 0; k < 8; ++k) {
    many.Step();
    few.Step();
  }
  for (const std::size_t b : {0U, 1U}) {
    EXPECT_EQ(0, std::memcmp(&many.State()[b].p_WM, &few.State()[b].p_WM, sizeof(Vec3))) << b;
    EXPECT_EQ(0, std::memcmp(&many.State()[b].w_WB, &few.State()[b].w_WB, sizeof(Vec3))) << b;
  }
  const double t = many.Time();
  for (std::size_t b = 1; b < 300; ++b) {
    const Vec3 v0{0.1 * static_cast<double>(b), 1, 2};
    const Vec3 p =
        Vec3{0.1 * static_cast<double>(b), 0, 0} + t * v0 + Vec3{0, 0, -0.5 * 9.81 * t * t};
    EXPECT_LT(Norm(many.State()[b].p_WM - p), 1e-12) << b;
  }
}

}  // namespace
}  // namespace intervox
