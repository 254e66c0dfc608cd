// Counters that good scenes keep at zero can count, and figures over the run are what they say.
#include <gtest/gtest.h>

#include <cmath>

#include "host/contact/registry.h"
#include "tests/host/scene_text.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

/** f_n = max(0, k_v V + c v_cn): a damper that pushes along. */
class PumpingNormal : public host::NormalLaw {
 public:
  explicit PumpingNormal(host::Parameters& p)
      : k_v_(PositiveStiffness(p, "stiffness")),
        c_(p.InRange("damping", 0.0, -1e300, 1e300, "Give a damping in N·s/m.")) {}
  host::NormalForce Force(double V_r, double /*a*/) const override {
    return {k_v_ * V_r, V_r > 0.0 ? -c_ : 0.0};
  }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }

 private:
  double k_v_, c_;
};

/** f_n = k_v V up to V = 1e-4 m³, and no number beyond. */
class UndefinedNormal : public host::NormalLaw {
 public:
  explicit UndefinedNormal(host::Parameters& p) : k_v_(PositiveStiffness(p, "stiffness")) {}
  host::NormalForce Force(double V_r, double /*a*/) const override {
    return {V_r > 1e-4 ? NAN : k_v_ * V_r, 0.0};
  }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }

 private:
  double k_v_;
};

/** f_n = k_v V up to V = 4e-6 m³, and so many times that beyond. */
class SteppedNormal : public host::NormalLaw {
 public:
  explicit SteppedNormal(host::Parameters& p)
      : k_v_(PositiveStiffness(p, "stiffness")),
        times_(p.InRange("times", 1.0, 1e-300, 1e300, "Give a factor.")) {}
  host::NormalForce Force(double V_r, double /*a*/) const override {
    return {(V_r > 4e-6 ? times_ : 1.0) * k_v_ * V_r, 0.0};
  }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }

 private:
  double k_v_, times_;
};

/** Friction that jumps between ±μ f_n at rest: the equations of a body that it holds have no
 * solution. */
class JumpingFriction : public host::FrictionLaw {
 public:
  explicit JumpingFriction(host::Parameters& p)
      : mu_(p.InRange("mu", 0.5, 0.0, 10.0, "Give a friction coefficient.")) {}
  double VelocityScale() const override { return 1e-4; }
  host::Traction Evaluate(const host::Slip& x) const override {
    host::Traction t;
    t.f.x = (x.v.x.v < 0 ? -mu_ : mu_) * x.f_n;
    t.f.y = (x.v.y.v < 0 ? -mu_ : mu_) * x.f_n;
    return t;
  }

 private:
  double mu_;
};

const bool kRegistered = host::Register<JumpingFriction>(host::FrictionLaws(), "test_jumping") &&
                         host::Register<PumpingNormal>(host::NormalLaws(), "test_pumping") &&
                         host::Register<UndefinedNormal>(host::NormalLaws(), "test_undefined") &&
                         host::Register<SteppedNormal>(host::NormalLaws(), "test_stepped");

Simulation BallOnFloor(const std::string& normal, const std::string& more) {
  return FromText(
      "duration: 0.02\nintegrator: {step: 250e-6}\n"
      "shapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
      "  ball: {sphere: {radius: 0.1}}\ncontact_models: {default: {normal: {" +
      normal +
      "}}}\nbodies:\n  floor: {shape: floor, fixed: true}\n"
      "  ball: {shape: ball, mass: 2, pose: {position: [0, 0, 0.097]}, velocity: {linear: [0, 0, "
      "-0.3]}}\n" +
      more);
}

TEST(SimulationCounters, AContactThatCreatesEnergyIsCounted) {
  ASSERT_TRUE(kRegistered);
  for (const double damping : {40.0, -40.0, -0.4}) {
    Simulation simulation =
        BallOnFloor("model: test_pumping, stiffness: 1e7, damping: " + std::to_string(damping), "");
    RunToEnd(&simulation);
    ASSERT_GT(simulation.Counters().stages, 0);
    if (damping > 0) {
      EXPECT_EQ(simulation.Counters().creating_contacts, 0);
    } else {
      // At every stage but those, if any, where the ball turns round.
      EXPECT_GT(simulation.Counters().creating_contacts, simulation.Counters().stages / 4);
    }
  }
}

// A law that makes energy: substeps that gain much of it are done again, and halving them does not
// hide it, since the account is of all that was gained since the start.
TEST(SimulationCounters, SubstepsThatGainEnergyAreDoneAgainAndReported) {
  for (const double damping : {4e3, -4e1, -4e3, -4e5}) {
    SCOPED_TRACE(damping);
    Simulation simulation =
        BallOnFloor("model: test_pumping, stiffness: 1e7, damping: " + std::to_string(damping), "");
    const double start = simulation.Energy().kinetic + simulation.Energy().gravity;
    double most = start;
    while (!simulation.Done()) {
      simulation.Step();
      most = std::fmax(most, simulation.Energy().kinetic + simulation.Energy().gravity);
    }
    const SimulationCounters& counters = simulation.Counters();
    if (damping > 0) {
      EXPECT_EQ(simulation.Counters().redone_substeps, 0);
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
      EXPECT_TRUE(simulation.Gains().empty());
    } else {
      EXPECT_GT(counters.redone_substeps, 0);
      EXPECT_GT(counters.gaining_substeps + counters.arrests + counters.slowed_substeps, 0);
      // Small gains that add up are taken from the motion, so that they never do.
      if (counters.gaining_substeps + counters.arrests == 0) {
        EXPECT_LT(most - start, 1e-2 * 0.09);  // of ½ m v²
      }
      for (const EnergyGain& gain : simulation.Gains()) {
        EXPECT_EQ(gain.body, 1);
        EXPECT_GT(gain.gain, 0.0);
        EXPECT_GT(gain.t, 0.0);
      }
    }
  }
}

// Explicit Euler multiplies the energy of a vibration by 1 + (ωh)² a step: of ωh 0.05 no step gains
// a share that a step may, and all together do. They are counted although no scheme is changed.
TEST(SimulationCounters, ASlowGrowthIsSeen) {
  for (const char* method : {"rk1", "rk4"}) {
    Simulation simulation = FromText(
        "duration: 0.4\nintegrator: {step: 1e-3, method: " + std::string(method) +
        "}\nshapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
        "  box: {box: {size: [0.1, 0.1, 0.1]}}\n"
        "contact_models: {default: {normal: {model: gonthier, stiffness: 2.5e5, restitution: 1}}}\n"
        "bodies:\n  floor: {shape: floor, fixed: true}\n"
        "  box: {shape: box, mass: 1, pose: {position: [0, 0, 0.045]}}\n");
    RunToEnd(&simulation);
    if (std::string(method) == "rk1") {
      EXPECT_GT(simulation.Counters().gaining_substeps, 10);
      for (const EnergyGain& gain : simulation.Gains()) EXPECT_LT(gain.gain, 1e-3);
    } else {
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
    }
  }
}

// Two free balls come to where their law knows no force: no substep goes on from there. They are
// stopped against each other; their momenta stay, their energy does not rise.
TEST(SimulationCounters, BodiesThatNoSubstepBringsOnAreArrested) {
  for (const double stiffness : {1e3, 1e5}) {
    SCOPED_TRACE(stiffness);
    Simulation simulation = FromText(
        "duration: 0.02\nintegrator: {step: 250e-6}\ngravity: [0, 0, 0]\n"
        "shapes:\n  ball: {sphere: {radius: 0.1}}\n"
        "contact_models: {default: {normal: {model: test_undefined, stiffness: " +
        std::to_string(stiffness) +
        "}}}\nbodies:\n"
        "  a: {shape: ball, mass: 2, pose: {position: [0, 0, 0]}, velocity: {linear: [0, 0, 1]}}\n"
        "  b: {shape: ball, mass: 3, pose: {position: [0, 0.05, 0.18]}, velocity: {linear: [1, 0, "
        "-1], angular: [3, 0, 0]}}\n");
    const auto kinetic = [&] { return simulation.Energy().kinetic; };
    const auto spin = [&] {
      Vec3 sum;
      const double mass[] = {2, 3};
      for (std::size_t k = 0; k < 2; ++k) {
        const BodyState& body = simulation.State()[k];
        sum += mass[k] * Cross(body.p_WM, body.v_WM) + 0.4 * mass[k] * 0.01 * body.w_WB;
      }
      return sum;
    };
    const double before = kinetic();
    const Vec3 spin_before = spin();
    RunToEnd(&simulation);
    EXPECT_GT(simulation.Counters().arrests, 0);
    ASSERT_FALSE(simulation.Arrests().empty());
    EXPECT_GT(simulation.Arrests()[0].taken, 0.0);
    EXPECT_LE(kinetic(), 1.05 * before);
    const Vec3 p = 2.0 * simulation.State()[0].v_WM + 3.0 * simulation.State()[1].v_WM;
    EXPECT_LT(Norm(p - Vec3{3, 0, -1}), 1e-9);
    EXPECT_LT(Norm(spin() - spin_before), 1e-6 * Norm(spin_before));
  }
}

// Where a force jumps no substep is short enough: energy comes from nothing however short it is.
// That is seen before thousands of substeps have led nowhere.
TEST(SlowSimulationCounters, AJumpOfAForceTakesNoThousandSubsteps) {
  for (const double times : {1e3, 1e5}) {
    SCOPED_TRACE(times);
    Simulation simulation =
        BallOnFloor("model: test_stepped, stiffness: 1e5, times: " + std::to_string(times), "");
    RunToEnd(&simulation);
    const SimulationCounters& counters = simulation.Counters();
    EXPECT_GT(counters.arrests, 0);
    EXPECT_LT(counters.substeps, 250 * counters.steps);
  }
}

TEST(SimulationCounters, AStageWithoutASolutionIsCounted) {
  for (const char* friction : {"model: test_jumping, mu: 0.5", "model: coulomb, mu: 0.5"}) {
    Simulation simulation = BallOnFloor(
        "model: gonthier, stiffness: 1e7, restitution: 0.5}, friction: {" + std::string(friction),
        "");
    RunToEnd(&simulation);
    if (friction[7] == 't') {
      EXPECT_GT(simulation.Counters().unconverged_stages, 10);
    } else {
      EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
    }
  }
}

// The rule for planes takes no ball: not one of its queries has an answer.
TEST(SimulationCounters, QueriesWithoutAnAnswerAreCounted) {
  const std::string normal = "model: gonthier, stiffness: 1e7, restitution: 0.5";
  Simulation simulation = BallOnFloor(normal, "engine: {leaf_rule: polytope}\n");
  RunToEnd(&simulation);
  EXPECT_GE(simulation.Counters().pairs, 80);
  EXPECT_EQ(simulation.Counters().engine_failures, simulation.Counters().pairs);
  EXPECT_EQ(simulation.Counters().active_pairs, 0);
  Simulation good = BallOnFloor(normal, "");
  RunToEnd(&good);
  EXPECT_EQ(good.Counters().engine_failures, 0);
  EXPECT_GT(good.Counters().active_pairs, 0);
}

// The wall's force on the ball points along −x, the ball's on the wall along x: both peaks are the
// largest magnitude.
TEST(SimulationCounters, PeakForcesHaveNoSign) {
  for (const double side : {-1.0, 1.0}) {
    const std::string s = side < 0 ? "-" : "";
    Simulation simulation = FromText(
        "duration: 0.03\ngravity: [0, 0, 0]\nintegrator: {step: 250e-6}\n"
        "shapes:\n  wall: {half_space: {normal: [" +
        s +
        "1, 0, 0], offset: 0}}\n"
        "  ball: {sphere: {radius: 0.1}}\n"
        "contact_models: {default: {normal: {model: gonthier, stiffness: 1e7, restitution: 0.5}}}\n"
        "bodies:\n  wall: {shape: wall, fixed: true}\n"
        "  ball: {shape: ball, mass: 2, pose: {position: [" +
        s +
        "0.1001, 0, 0]}, velocity: "
        "{linear: [" +
        (side < 0 ? "" : "-") + "0.3, 0, 0]}}\n");
    Vec3 most[2];
    while (!simulation.Done()) {
      simulation.Step();
      for (int b = 0; b < 2; ++b) {
        const Vec3& force = simulation.State()[static_cast<std::size_t>(b)].contact_force;
        most[b] = Max(most[b], Vec3{std::fabs(force.x), std::fabs(force.y), std::fabs(force.z)});
        EXPECT_EQ(simulation.PeakForces()[static_cast<std::size_t>(b)], most[b]);
      }
    }
    EXPECT_GT(most[0].x, 10.0);
    EXPECT_EQ(most[0].x, most[1].x);
  }
}

// The frame's origin lies off the axis that the top spins about: its centre stands, it does not.
TEST(SimulationCounters, ATopThatSpinsInPlaceIsNotAtRest) {
  const auto resting_for = [](const std::string& spin) {
    Simulation simulation = FromText(
        "duration: 0.02\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3}\nshapes:\n"
        "  top: {cylinder: {radius: 0.02, height: 0.01}}\nbodies:\n"
        "  top: {shape: top, mass: 0.1, center_of_mass: [0.05, 0, 0], inertia: [1e-5, 1e-5, 2e-5], "
        "velocity: {linear: [0, " +
        std::to_string(-0.05 * std::stod(spin)) + ", 0], angular: [0, 0, " + spin + "]}}\n");
    RunToEnd(&simulation);
    EXPECT_LT(Norm(simulation.State()[0].v_WM), 1e-12);
    return simulation.RestingFor();
  };
  EXPECT_EQ(resting_for("10"), 0.0);
  EXPECT_EQ(resting_for("-10"), 0.0);
  EXPECT_NEAR(resting_for("0"), 0.02, 1e-12);
}

/** A cube of so much edge that stands on a plate, moving as said [m/s, rad/s], without friction.
 Its frame's origin is so far from it [m]. */
Scene CubeOnPlate(double edge, const Vec3& v, const Vec3& w, double off = 0.0) {
  Scene scene = scenes::MakeScene(scenes::Frictionless(1e9, 0.2), 5e-4 * std::sqrt(edge));
  scene.shapes["plate"] = scenes::Solid(geometry::Box{{4 * edge, 4 * edge, edge}}, "plate");
  scene.shapes["cube"] =
      scenes::Solid(geometry::Box{{edge, edge, edge}}, "cube", {Mat3::Identity(), {off, 0, 0}});
  scene.bodies.push_back(scenes::Fixed("plate", "plate"));
  scene.bodies.push_back(
      scenes::Free("cube", "cube", 1e3 * edge * edge * edge, {-off, 0, edge}, v, w));
  scene.duration = 100.0;
  return scene;
}

/** Cell pairs that the engine was asked for in the last step, after so many. */
std::int64_t QueriesOfStep(Scene scene, int steps) {
  Simulation simulation(std::move(scene));
  for (int k = 0; k < steps; ++k) simulation.Step();
  const std::int64_t before = simulation.Counters().pairs;
  simulation.Step();
  return simulation.Counters().pairs - before;
}

// The three stages of a step share one look, and its end the last stage's; what moves by more than
// a billionth of its contact's depth, along or around, is looked at anew by each stage.
TEST(SimulationCounters, StagesLookOnceAtWhatRests) {
  for (const double edge : {4.0, 30.0}) {
    EXPECT_EQ(QueriesOfStep(CubeOnPlate(edge, {}, {}), 4000), 1) << edge;
  }
  for (const double edge : {1e-3, 0.1, 30.0}) {
    EXPECT_EQ(QueriesOfStep(CubeOnPlate(edge, {1e-8 * edge, 0, 0}, {}), 4000), 3) << edge;
    EXPECT_EQ(QueriesOfStep(CubeOnPlate(edge, {}, {0, 0, 1e-8}), 4000), 3) << edge;
  }
  // Turned by 1e-14 rad a step about its frame, which stays, it moves by 1e-12 m.
  EXPECT_EQ(QueriesOfStep(CubeOnPlate(4.0, {}, {0, 0, 1e-11}, 100.0), 4000), 3);
  // Who asks for all digits has each end looked at that stages foresee by less.
  Scene moves = CubeOnPlate(0.1, {1e-9, 0, 0}, {0, 0, 1e-8});
  moves.engine.tolerance = 1e-9;
  EXPECT_EQ(QueriesOfStep(std::move(moves), 100), 4);
}

// A cube lands on an edge, rocks, slides and comes to rest. Where a step's end takes over what its
// last stage has found, the volume is the one at the end, as is that of a run which goes on.
TEST(SimulationCounters, VolumesFollowTheirBodies) {
  Scene scene = CubeOnPlate(0.1, {0.02, 0.01, 0}, {0.3, 0.2, 1e-3});
  scene.contact_models["default"] = scenes::Frictional(1e9, 0.2, 0.3);
  scene.bodies[1].X_WB.p.z += 1e-3;
  Simulation simulation(scene);
  int touching = 0, shared = 0;
  for (int k = 0; k < 1500; ++k) {
    const std::int64_t before = simulation.Counters().pairs;
    simulation.Step();
    if (simulation.Contacts().empty()) continue;
    ++touching;
    if (simulation.Counters().pairs - before <= 3) ++shared;
    const auto bodies = simulation.State();
    const double V = ComputeMetrics({.a = simulation.Cells(0).data(),
                                     .b = simulation.Cells(1).data(),
                                     .X_WA = bodies[0].X_WB,
                                     .X_WB = bodies[1].X_WB})
                         .volume;
    EXPECT_NEAR(simulation.Contacts()[0].geometry.V, V, 2e-9 * V) << k;
    if (k % 100 != 0) continue;
    Simulation other(scene);
    other.Restore(simulation.Save());
    EXPECT_EQ(other.Contacts()[0].geometry.V, simulation.Contacts()[0].geometry.V) << k;
  }
  EXPECT_GT(touching, 1400);
  EXPECT_GT(shared, 1200);
}

}  // namespace
}  // namespace intervox
