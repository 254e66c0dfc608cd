// Methods that choose their steps: what the analytic motion and ark3 say, and that energy never
// rises.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/simulation.h"
#include "integrators/adaptive.h"
#include "simulation_scenes.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using namespace scenes;  // NOLINT(google-build-using-namespace): the tests' own

constexpr double kRadius = 0.1, kMass = 2.0, kFall = 0.1;

/** A ball above a floor, which slides and turns. */
Scene BallOverFloor(const ContactModelSettings& model, const std::string& method, double tolerance,
                    double step = 5e-3) {
  Scene scene = MakeScene(model, step);
  scene.integrator.method = method;
  scene.integrator.tolerance = tolerance;
  scene.shapes["ball"] = Solid(geometry::Sphere{kRadius}, "ball");
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0.0}, "floor");
  scene.bodies.push_back(Fixed("floor", "floor"));
  scene.bodies.push_back(
      Free("ball", "ball", kMass, {0, 0, kRadius + kFall}, {0.3, 0, 0}, {0, 0, 3}));
  return scene;
}

double Stored(const EnergyAudit& e) { return e.kinetic + e.gravity + e.elastic + e.bristle; }

class AdaptiveSimulation : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!integrators::HasAdaptiveMethods()) GTEST_SKIP() << "built without SUNDIALS";
  }
};

TEST_P(AdaptiveSimulation, BouncesBackToItsHeightWithoutDamping) {
  // 0.143 s down, as long up again, and a contact of some milliseconds between.
  Simulation simulation(BallOverFloor(Frictionless(1e8, 1.0), GetParam(), 1e-6));
  while (simulation.Time() < 0.2) simulation.Step();
  const BodyState& ball = simulation.State()[1];
  const double top = ball.X_WB.p.z + ball.v_WB.z * ball.v_WB.z / (2 * 9.81);
  EXPECT_NEAR(top, kRadius + kFall, 2e-5);
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  ASSERT_EQ(simulation.Impacts().size(), 1u);
  EXPECT_NEAR(simulation.Impacts()[0].approach_speed, std::sqrt(2 * 9.81 * kFall), 1e-4);
  EXPECT_NEAR(simulation.Impacts()[0].t, std::sqrt(2 * kFall / 9.81), 1e-5);
}

TEST_P(AdaptiveSimulation, GainsNoEnergyAtAnyTolerance) {
  for (const double tolerance : {1e-2, 1e-4}) {
    for (const double restitution : {1.0, 0.5}) {
      Simulation simulation(
          BallOverFloor(Frictional(1e8, restitution, 0.3), GetParam(), tolerance));
      const double start = Stored(simulation.Energy());
      double before = start, rise = 0.0;
      while (simulation.Time() < 0.5) {
        simulation.Step();
        const double now = Stored(simulation.Energy());
        rise = std::fmax(rise, now - before);
        before = now;
      }
      EXPECT_LT(rise, 1e-6 * kMass * 9.81 * kFall) << tolerance << " " << restitution;
      EXPECT_LE(before, start + 1e-6);
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
    }
  }
}

TEST_P(AdaptiveSimulation, AgreesWithSmallStepsAndItsAuditCloses) {
  Simulation fine(BallOverFloor(Frictional(1e7, 0.5, 0.3), "ark3", 0.0, 20e-6));
  while (fine.Time() < 0.2) fine.Step();
  double balance_before = HUGE_VAL;
  for (const double tolerance : {1e-4, 1e-7}) {
    Simulation simulation(BallOverFloor(Frictional(1e7, 0.5, 0.3), GetParam(), tolerance));
    while (simulation.Time() < 0.2 - 1e-9) simulation.Step();
    const double balance = std::fabs(simulation.Energy().balance);
    EXPECT_LT(balance, 0.1 * balance_before);
    balance_before = balance;
    if (tolerance > 1e-6) continue;
    const BodyState &a = simulation.State()[1], &b = fine.State()[1];
    EXPECT_LT(Norm(a.X_WB.p - b.X_WB.p), 2e-5);
    EXPECT_LT(Norm(a.v_WB - b.v_WB), 5e-4);
    EXPECT_LT(Norm(a.w_WB - b.w_WB), 5e-3);
    EXPECT_LT(balance, 1e-4);
  }
}

TEST_P(AdaptiveSimulation, GoesOnFromACheckpointWithTheSameBits) {
  const Scene scene = BallOverFloor(Frictional(1e8, 0.5, 0.3), GetParam(), 1e-5);
  Simulation whole(scene), again(scene);
  for (int k = 0; k < 35; ++k) whole.Step();  // in contact from 29 steps on
  again.Restore(whole.Save());
  for (int k = 0; k < 10; ++k) {
    whole.Step();
    again.Step();
  }
  const BodyState &a = whole.State()[1], &b = again.State()[1];
  EXPECT_EQ(Norm(a.X_WB.p - b.X_WB.p), 0.0);
  EXPECT_EQ(Norm(a.w_WB - b.w_WB), 0.0);
  EXPECT_EQ(whole.Energy().balance, again.Energy().balance);
}

// At a loose tolerance an explicit method lets the peg vibrate in its gripper: what vibrates away
// was twice of what the insertion takes. Intervals that lose it are done again. Nor does what
// bounds a contact whose law turns damp more than such a method resolves: that lost 7.7e-5 J.
TEST(SlowAdaptiveSimulation, AccountsForAPegAtALooseTolerance) {
  if (!integrators::HasAdaptiveMethods()) GTEST_SKIP() << "built without SUNDIALS";
  for (const std::string law : {"gonthier", "chatterjee"}) {
    Scene scene = LoadScene(INTERVOX_DATA_DIR "/scenes/peg_insertion.yaml");
    scene.integrator.method = "dopri5";
    scene.integrator.tolerance = 1e-2;
    scene.integrator.step = 5e-3;
    ContactModelSettings& model = scene.contact_models.at("steel_on_steel");
    if (law != model.normal.model) {
      model.normal = {law, {{"stiffness", 1e11}, {"restitution", 0.5}}, {}};
    }
    Simulation simulation(scene);
    while (!simulation.Done()) simulation.Step();
    // Of 2e-3 J; 4.9e-3 otherwise.
    EXPECT_LT(std::fabs(simulation.Energy().balance), law == "gonthier" ? 1e-4 : 1e-5) << law;
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << law;
  }
}

// Slopes by differences ask at the same poses for every velocity and bristle: 16 of a ball's 23
// columns.
TEST(ImplicitAdaptiveSimulation, LooksForContactsOnceAtAPose) {
  if (!integrators::HasAdaptiveMethods()) GTEST_SKIP() << "built without SUNDIALS";
  Scene scene = BallOverFloor(Frictional(1e8, 0.5, 0.3), "trbdf2", 1e-5);
  scene.bodies[1] = Free("ball", "ball", kMass, {0, 0, kRadius - 1e-4}, {0.3, 0, 0}, {0, 0, 3});
  Simulation simulation(scene);
  for (int k = 0; k < 10; ++k) simulation.Step();
  const SimulationCounters& counters = simulation.Counters();
  EXPECT_GT(counters.stages, 200);
  EXPECT_LT(static_cast<double>(counters.pairs), 0.9 * static_cast<double>(counters.stages));
}

// Each step of such a method asks for a contact some hundred times, and on a grid each takes
// milliseconds: the run says so before it begins, and what to do.
TEST(ImplicitAdaptiveSimulation, IsWarnedOfOnGrids) {
  if (!integrators::HasAdaptiveMethods()) GTEST_SKIP() << "built without SUNDIALS";
  const auto warnings = [](const std::string& method, const std::string& grid) {
    const Simulation simulation = testing::FromText(
        "duration: 1\nintegrator: {step: 1e-3, method: " + method +
        "}\nshapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n  ball: "
        "{sphere: "
        "{radius: 0.01}}\ncontact_models: {default: {normal: {model: gonthier, stiffness: "
        "1e8, restitution: 1}}}\nbodies:\n  floor: {shape: floor, fixed: true}\n  marble: "
        "{shape: ball, mass: 1" +
        grid + "}\n");
    const auto said = simulation.Warnings();
    return std::vector<std::string>(said.begin(), said.end());
  };
  const std::string grid = ", representation: {grid: 2e-3}";
  EXPECT_TRUE(warnings("ark3", grid).empty());
  EXPECT_TRUE(warnings("trbdf2", "").empty());
  const auto said = warnings("trbdf2", grid);
  ASSERT_EQ(said.size(), 1u);
  for (const char* word : {"trbdf2", "marble", "floor", "ark3", "representation: exact"}) {
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in " << said[0];
  }
}

INSTANTIATE_TEST_SUITE_P(All, AdaptiveSimulation, ::testing::Values("bdf", "trbdf2", "dopri5"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace intervox
