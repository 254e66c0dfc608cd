// Chains and loops: momentum, energy, closed loops, redundant constraints, extreme masses.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/host/joint_scenes.h"

namespace intervox {
namespace {

using scenes::AngleOf;
using scenes::Chain;
using scenes::JointAt;
using scenes::Link;
using scenes::LinkBody;
using scenes::MakeScene;
using scenes::Mechanical;

constexpr double kGravity = 9.81;

Simulation Start(Scene scene, double step, double duration, const std::string& method = "ark3") {
  scene.integrator.method = method;
  scene.integrator.step = step;
  scene.duration = duration;
  return Simulation(scene);
}

struct Momenta {
  Vec3 linear, angular;  // about the world's origin
};

Momenta MomentaOf(const Simulation& simulation) {
  Momenta sum;
  for (std::size_t b = 0; b < simulation.State().size(); ++b) {
    const BodySettings& settings = simulation.GetScene().bodies[b];
    const BodyState& body = simulation.State()[b];
    const Mat3& R = body.X_WB.R;
    const Vec3 p = *settings.mass * body.v_WM;
    sum.linear += p;
    sum.angular += Cross(body.p_WM, p) + R * (*settings.inertia * TransposeTimes(R, body.w_WB));
  }
  return sum;
}

/** Links in space that tumble with one joint of each type between them. */
Scene TumblingChain() {
  Scene scene =
      Chain({{1, 0.5, 1.5}, {2, 0.4, 0.7}, {0.5, 0.3, 2}, {1, 0.4, -1}, {3, 0.2, 0.3}}, true);
  scene.gravity = {};
  // One rigid motion at the start, which every joint allows.
  const Vec3 v{0.3, -0.2, 0.5}, w{2, -3, 1};
  for (BodySettings& body : scene.bodies) {
    body.v_WB = v + Cross(w, body.X_WB.p);
    body.w_WB = w;
  }
  scene.joints[0].type = JointType::kSpherical;
  scene.joints[1].frame.axis = {0.3, 1, -0.4};
  scene.joints[2].type = JointType::kPrismatic;
  scene.joints[2].frame.axis = {1, 0.2, 0.1};
  scene.joints[3].type = JointType::kFixed;
  return scene;
}

TEST(JointChain, KeepsMomentumAndEnergyWhenFree) {
  for (const char* method : {"ark3", "rk4", "be1"}) {
    Simulation simulation = Start(TumblingChain(), 1e-3, 1.0, method);
    const Momenta first = MomentaOf(simulation);
    const double energy = Mechanical(simulation);
    while (!simulation.Done()) simulation.Step();
    const Momenta last = MomentaOf(simulation);
    EXPECT_LT(Norm(last.linear - first.linear), 1e-12) << method;
    EXPECT_LT(Norm(last.angular - first.angular), 1e-12) << method;
    const double share = std::string(method) == "be1" ? 0.05 : 1e-6;
    EXPECT_NEAR(Mechanical(simulation), energy, share * energy) << method;
    EXPECT_LE(simulation.LargestJointError(), 1e-10) << method;
    EXPECT_EQ(simulation.Counters().unconverged_stages, 0) << method;
    // The chain does not move as one body: its shape has changed.
    EXPECT_GT(std::fabs(simulation.Joints()[2].coordinate), 1e-3) << method;
  }
}

TEST(JointChain, TenLinksKeepClosedAndTheirEnergy) {
  std::vector<Link> links(10, Link{1.0, 0.1, 1.5, 0.0});
  Simulation simulation = Start(Chain(links), 1e-3, 2.0);
  const double first = Mechanical(simulation);
  double highest = first;
  while (!simulation.Done()) {
    simulation.Step();
    highest = std::max(highest, Mechanical(simulation));
    for (const JointReading& joint : simulation.Joints()) ASSERT_LE(joint.error, 1e-10);
  }
  const double moved = 10.0 * kGravity * 0.5;  // kg · m/s² · m
  EXPECT_LT(highest - first, 1e-3 * moved);
  EXPECT_GT(Mechanical(simulation), first - 1e-2 * moved);
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
}

/** A horizontal chain whose last body is heavy and pulls the others straight. */
TEST(JointChain, HeavyEndOnLightLinksFallsLikeAPendulum) {
  // Four links of 1 g and a body of 10 kg: the load in the links is the weight's.
  std::vector<Link> links(4, Link{1e-3, 0.25, 0.5, 0.0});
  Scene scene = Chain(links);
  BodySettings weight = LinkBody("weight", {10.0, 0.02, 0.5, 0}, Vec3{}, {});
  weight.X_WB.p = scenes::Along(0.5);
  scene.bodies.push_back(weight);
  scene.joints.push_back(JointAt(JointType::kSpherical, "weight", "link3", weight.X_WB.p));
  Simulation simulation = Start(scene, 1e-3, 1.0);
  double t_low = 0.0;
  while (!simulation.Done() && t_low == 0.0) {
    simulation.Step();
    for (const JointReading& joint : simulation.Joints()) ASSERT_LE(joint.error, 1e-10);
    if (simulation.State()[4].p_WM.x <= 0.0) t_low = simulation.Time();
  }
  // A quarter of a mathematical pendulum's period at 0.5 rad.
  double a = 1.0, b = std::cos(0.25);
  while (a - b > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  const double quarter = 0.5 * std::numbers::pi / a * std::sqrt(1.0 / kGravity);
  EXPECT_NEAR(t_low, quarter, 2e-3);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
}

/** Crank, rod and slider in the plane of x and z, driven by a constant torque on the crank. */
Scene SliderCrank(double crank_angle) {
  const double r = 0.1, l = 0.3;
  Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
  scene.gravity = {};
  const Vec3 pin = r * Vec3{std::cos(crank_angle), 0, std::sin(crank_angle)};
  const double reach = pin.x + std::sqrt(l * l - pin.z * pin.z);
  const Vec3 end{reach, 0, 0};
  const auto angle = [](const Vec3& d) { return std::atan2(d.x, -d.z); };
  scene.bodies = {LinkBody("crank", {1.0, r, angle(pin), 0}, {}, {}),
                  LinkBody("rod", {0.5, l, angle(end - pin), 0}, pin, {}),
                  LinkBody("slider", {2.0, 0.05, angle({1, 0, 0}), 0}, end, {})};
  scene.bodies[0].wrenches = {{0, 1e9, {}, {0, -0.5, 0}, {}, false}};
  scene.joints = {JointAt(JointType::kRevolute, "crank", "world", {}),
                  JointAt(JointType::kRevolute, "rod", "crank", pin),
                  JointAt(JointType::kRevolute, "slider", "rod", end),
                  JointAt(JointType::kPrismatic, "slider", "world", end, {1, 0, 0})};
  return scene;
}

TEST(JointLoop, SliderCrankTurnsAndItsEnergyIsTheWorkOfItsTorque) {
  Simulation simulation = Start(SliderCrank(0.3), 5e-4, 1.0);
  double turned = 0.0, before = AngleOf(simulation.State()[0]);
  double at_start = simulation.State()[2].p_WM.x;
  while (!simulation.Done()) {
    simulation.Step();
    const double now = AngleOf(simulation.State()[0]);
    turned += std::remainder(now - before, 2.0 * std::numbers::pi);
    before = now;
    for (const JointReading& joint : simulation.Joints()) ASSERT_LE(joint.error, 1e-10);
    // The slider's place in closed form.
    const Vec3 pin = 0.1 * scenes::Along(now);
    const double expected = pin.x + std::sqrt(0.09 - pin.z * pin.z) + 0.025;
    EXPECT_NEAR(simulation.State()[2].p_WM.x, expected, 1e-9);
    EXPECT_NEAR(simulation.Joints()[3].coordinate, expected - at_start, 1e-9);
  }
  EXPECT_GT(std::fabs(turned), 4.0 * std::numbers::pi);
  EXPECT_NEAR(simulation.Energy().kinetic, 0.5 * std::fabs(turned), 1e-5 * std::fabs(turned));
  EXPECT_NEAR(simulation.Energy().work_applied, 0.5 * std::fabs(turned), 1e-5);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
}

/** A parallelogram of four parallel hinges: of 20 equations on 18 coordinates 17 are independent.
 */
TEST(JointLoop, ParallelHingesAreRedundantAndMoveAsAPendulum) {
  const double l = 0.5, start = 1.0;
  Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
  const Vec3 other{1, 0, 0}, end = l * scenes::Along(start);
  scene.bodies = {LinkBody("left", {1.0, l, start, 0}, {}, {}),
                  LinkBody("right", {1.0, l, start, 0}, other, {}),
                  LinkBody("bar", {2.0, 1.0, 0.5 * std::numbers::pi, 0}, end, {})};
  scene.joints = {JointAt(JointType::kRevolute, "left", "world", {}),
                  JointAt(JointType::kRevolute, "right", "world", other),
                  JointAt(JointType::kRevolute, "bar", "left", end),
                  JointAt(JointType::kRevolute, "bar", "right", other + end)};
  // ω² = g (m l/2 · 2 + M l)/(2 m l²/3 + M l²) of small swings: a pendulum of that length.
  const double pendulum = (2.0 / 3.0 * l * l + 2.0 * l * l) / (l + 2.0 * l);
  Simulation simulation = Start(scene, 1e-3, 2.0);
  const double first = Mechanical(simulation);
  double t_low = 0.0;
  while (!simulation.Done()) {
    simulation.Step();
    for (const JointReading& joint : simulation.Joints()) {
      ASSERT_LE(joint.error, 1e-10);
      ASSERT_LT(Norm(joint.force), 200.0);
      ASSERT_LT(Norm(joint.torque), 1e-6);  // the smallest multipliers: nothing strains the loop
    }
    const double angle = AngleOf(simulation.State()[0]);
    if (t_low == 0.0 && angle <= 0.0) t_low = simulation.Time();
    EXPECT_NEAR(AngleOf(simulation.State()[2]), 0.5 * std::numbers::pi, 1e-9);  // stays level
    EXPECT_NEAR(Mechanical(simulation), first, 1e-5);
  }
  double a = 1.0, b = std::cos(0.5 * start);
  while (a - b > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  EXPECT_NEAR(t_low, 0.5 * std::numbers::pi / a * std::sqrt(pendulum / kGravity), 1.1e-3);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
}

TEST(JointLoop, TwoJointsOfTheSameBodiesShareTheLoad) {
  Scene one = Chain({{2.0, 0.7, 1.0}});
  Scene two = one;
  two.joints.push_back(two.joints[0]);
  two.joints[1].name = "twin";
  Simulation single = Start(one, 1e-3, 0.5), twin = Start(two, 1e-3, 0.5);
  while (!single.Done()) {
    single.Step();
    twin.Step();
    EXPECT_NEAR(AngleOf(single.State()[0]), AngleOf(twin.State()[0]), 1e-9);
    for (const JointReading& joint : twin.Joints()) {
      EXPECT_LT(Norm(joint.force - 0.5 * single.Joints()[0].force), 1e-4);
    }
  }
}

/** Chains of random links at steps of 50 µs to 10 ms, masses of 1 g to 1 t. */
TEST(JointChain, RandomOnesGainNoEnergyAtAnyStep) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double step : {50e-6, 1e-3, 10e-3}) {
    for (int k = 0; k < 12; ++k) {
      std::vector<Link> links(static_cast<std::size_t>(2 + k % 5));
      for (Link& link : links) {
        link.mass = std::pow(10.0, 3.0 * uniform(random));
        link.length = 0.1 * std::pow(10.0, 0.5 * uniform(random));
        link.angle = 3.0 * uniform(random);
        link.rate = 3.0 * uniform(random);
      }
      Simulation simulation = Start(Chain(links), step, std::min(0.5, 2000 * step));
      const double first = Mechanical(simulation), kinetic = simulation.Energy().kinetic;
      double highest = first, moved = kinetic;
      while (!simulation.Done()) {
        simulation.Step();
        highest = std::max(highest, Mechanical(simulation));
        moved = std::max(moved, simulation.Energy().kinetic);
        for (const JointReading& joint : simulation.Joints()) ASSERT_LE(joint.error, 1e-10);
      }
      EXPECT_LT(highest - first, 1e-3 * moved) << step << " " << k;
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
      EXPECT_LE(simulation.LargestJointError(), 1e-10);
    }
  }
}

}  // namespace
}  // namespace intervox
