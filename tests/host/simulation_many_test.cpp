// Many patches on one body, patches that become one, and large turns within a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictional;
using scenes::MakeScene;
using scenes::Solid;

constexpr double kG = 9.81;
constexpr double kMass = 2;
constexpr double kFoot = 0.01;   // width of a foot [m]
constexpr double kPitch = 0.03;  // from foot to foot
constexpr double kLeg = 0.02;    // height of a foot
constexpr double kThick = 0.02;  // of the plate that they stand under
constexpr double kStiffness = 1e10;
constexpr int kRows = 4, kColumns = 5, kFeet = kRows * kColumns;
constexpr double kMu = 0.3;

geometry::ShapePtr Union(const std::string& name, std::vector<geometry::ShapePtr> parts) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->name = name;
  shape->operation = geometry::Operation::kUnion;
  shape->children = std::move(parts);
  return shape;
}

/** A plate on 4 × 5 feet, each of them a patch of its own, in equilibrium with its weight. */
Scene OnTwentyFeet(const Vec3& v, const Vec3& w) {
  Scene scene = MakeScene(Frictional(kStiffness, 0.5, kMu));
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  Pose top;
  top.p = {0, 0, kLeg + 0.5 * kThick};
  std::vector<geometry::ShapePtr> parts{
      Solid(geometry::Box{{kColumns * kPitch, kRows * kPitch, kThick}}, "plate", top)};
  for (int k = 0; k < kFeet; ++k) {
    Pose foot;
    foot.p = {(k % kColumns - 0.5 * (kColumns - 1)) * kPitch,
              (k / kColumns - 0.5 * (kRows - 1)) * kPitch, 0.5 * kLeg};
    parts.push_back(Solid(geometry::Box{{kFoot, kFoot, kLeg}}, "foot" + std::to_string(k), foot));
  }
  scene.shapes["table"] = Union("table", parts);
  const double depth = kMass * kG / (kStiffness * kFeet * kFoot * kFoot);
  BodySettings table = Free("table", "table", kMass, {0, 0, -depth}, v, w);
  table.center_of_mass = Vec3{0, 0, kLeg};
  table.inertia = Mat3::Diagonal({3e-3, 4e-3, 6e-3});
  scene.bodies = {Fixed("floor", "floor"), table};
  return scene;
}

TEST(SimulationManyTest, TwentyFeetCarryTheWeightInEqualParts) {
  Simulation simulation(OnTwentyFeet({}, {}));
  while (simulation.Time() < 0.1) simulation.Step();
  ASSERT_EQ(simulation.Contacts().size(), static_cast<std::size_t>(kFeet));
  for (const ContactReport& contact : simulation.Contacts()) {
    EXPECT_NEAR(contact.f_n, kMass * kG / kFeet, 1e-6);
    EXPECT_EQ(contact.since, 0.0);
  }
  EXPECT_LT(Norm(simulation.State()[1].v_WM), 1e-9);
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
  EXPECT_EQ(simulation.Counters().creating_contacts, 0);
}

// Two witnesses: μ m g takes the momentum, and explicit steps of 5 µs take the same way.
TEST(SimulationManyTest, TwentyFeetSlideAndSpinAsSmallExplicitStepsDo) {
  const auto run = [](const char* method, double step, const Vec3& v, const Vec3& w) {
    Scene scene = OnTwentyFeet(v, w);
    scene.integrator = {method, step};
    Simulation simulation(scene);
    std::array<double, 4> before{};
    while (simulation.Time() < 0.05 - 1e-9) {
      simulation.Step();
      const EnergyAudit& e = simulation.Energy();
      const std::array<double, 4> now{e.dissipated_normal, e.dissipated_sliding,
                                      e.dissipated_spinning, e.dissipated_rolling};
      // Raw integrals: they may fall by rounding, and by no more.
      for (int k = 0; k < 4; ++k) EXPECT_GE(now[k], before[k] - 1e-12) << simulation.Time();
      before = now;
    }
    EXPECT_EQ(simulation.Contacts().size(), static_cast<std::size_t>(kFeet)) << method;
    for (const ContactReport& contact : simulation.Contacts()) EXPECT_EQ(contact.since, 0.0);
    EXPECT_EQ(simulation.Counters().creating_contacts, 0) << method;
    EXPECT_EQ(simulation.Counters().unconverged_stages, 0) << method;
    EXPECT_LT(std::fabs(simulation.Energy().balance), 2e-3 * before[1]) << method;
    return simulation.State()[1];
  };
  const BodyState straight = run("ark3", 250e-6, {0.5, 0, 0}, {});
  EXPECT_NEAR(straight.v_WM.x, 0.5 - kMu * kG * 0.05, 1e-3);
  const Vec3 v{0.3, 0.1, 0}, w{0, 0, 8};
  const BodyState coarse = run("ark3", 250e-6, v, w), fine = run("rk3", 5e-6, v, w);
  EXPECT_LT(Norm(coarse.v_WM - fine.v_WM), 1e-4);
  EXPECT_LT(Norm(coarse.w_WB - fine.w_WB), 3e-3);
  EXPECT_LT(Norm(coarse.p_WM - fine.p_WM), 1e-6);
  EXPECT_LT(Norm(coarse.v_WM), 0.25);  // it has been slowed
  EXPECT_LT(coarse.w_WB.z, 6);
}

/** A bridge on two feet, pressed and rocked, under whose arch the floor comes up: two patches
 become one, whose rolling resistance is that of the whole. */
Scene Bridge(double arch) {
  Scene scene = MakeScene(Frictional(1e8, 0.3, kMu));
  scene.contact_models["default"].normal.choices["latch"] = "largest";
  scene.gravity = {};
  scene.engine.tolerance = 1e-9;
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  Pose left, middle, right;
  left.p = {-0.05, 0, 0.025};
  middle.p = {0, 0, 0.025 + 0.5 * arch};
  right.p = {0.05, 0, 0.025};
  scene.shapes["bridge"] =
      Union("bridge", {Solid(geometry::Box{{0.05, 0.05, 0.05}}, "left", left),
                       Solid(geometry::Box{{0.05, 0.05, 0.05 - arch}}, "middle", middle),
                       Solid(geometry::Box{{0.05, 0.05, 0.05}}, "right", right)});
  BodySettings bridge = Free("bridge", "bridge", 2, {0, 0, -3.5e-4}, {0, 0, -0.05}, {0, 0.3, 0});
  bridge.center_of_mass = Vec3{0, 0, 0.025};
  bridge.inertia = Mat3::Diagonal({2e-3, 4e-3, 4e-3});
  bridge.wrenches.push_back({0, 1, {0, 0, -500}, {}, {}, false});
  scene.bodies = {Fixed("floor", "floor"), bridge};
  return scene;
}

TEST(SimulationManyTest, AStepIsCutWherePatchesBecomeOne) {
  const auto run = [](double arch, double step) {
    Scene scene = Bridge(arch);
    scene.integrator.step = step;
    Simulation simulation(scene);
    EXPECT_EQ(simulation.Contacts().size(), 2U);
    std::size_t fewest = 2;
    while (simulation.Time() < 0.004 - 1e-9) {
      simulation.Step();
      fewest = std::min(fewest, simulation.Contacts().size());
    }
    EXPECT_EQ(fewest, 1U);
    EXPECT_EQ(simulation.Counters().creating_contacts, 0);
    return simulation.State()[1];
  };
  double worst[2] = {};
  for (int phase = 0; phase < 8; ++phase) {  // of a step in which it sinks by 10 µm
    const double arch = 3.8e-4 + phase * 1.25e-6;
    const BodyState fine = run(arch, 5e-6);
    for (int k = 0; k < 2; ++k) {
      const BodyState coarse = run(arch, k == 0 ? 400e-6 : 200e-6);
      worst[k] =
          std::fmax(worst[k], Norm(coarse.v_WM - fine.v_WM) + 0.05 * Norm(coarse.w_WB - fine.w_WB));
    }
  }
  // 2.7e-3 and 1.4e-3 where the patches become one wherever a step ends.
  EXPECT_LT(worst[0], 1e-4);
  EXPECT_LT(worst[1], 1e-4);
}

const Vec3 kTopInertia{0.02, 0.02, 0.012};
const Vec3 kTopSpin{100, 0, 380};  // body axes [rad/s]

Simulation Whirl(const char* method, double step, double until) {
  Scene scene = MakeScene(scenes::Frictionless(1e6, 1.0));
  scene.gravity = {};
  scene.integrator = {method, step};
  BodySettings top = Free("top", "", 1.0, {}, {1, 2, 3}, kTopSpin);
  top.inertia = Mat3::Diagonal(kTopInertia);
  scene.bodies = {top};
  Simulation simulation(scene);
  while (simulation.Time() < until - 0.5 * step) simulation.Step();
  return simulation;
}

Mat3 Turn(const Vec3& axis, double angle) {
  const Vec3 v = std::sin(0.5 * angle) * Normalized(axis);
  return ToRotation({std::cos(0.5 * angle), v.x, v.y, v.z});
}

TEST(SimulationManyTest, WithoutTorqueABodyTurnsExactlyHoweverLargeTheStep) {
  // A symmetric top turns by |L|/I₁ about L and by (1/I₃ − 1/I₁) L₃ about its own axis.
  const Vec3 L{kTopInertia.x * kTopSpin.x, 0, kTopInertia.z * kTopSpin.z};
  for (const char* method : {"ark3", "ark2", "rk4"}) {
    for (const double step : {0.25e-3, 1e-3, 10e-3, 100e-3}) {  // 0.1 to 40 rad
      SCOPED_TRACE(std::string(method) + " " + std::to_string(step));
      const double until = 2.0;
      const Simulation run = Whirl(method, step, until);
      const BodyState& top = run.State()[0];
      const Mat3 exact = Turn(L, Norm(L) / kTopInertia.x * until) *
                         Turn({0, 0, 1}, (1 / kTopInertia.z - 1 / kTopInertia.x) * L.z * until);
      const Mat3 d = top.X_WB.R - exact;
      EXPECT_LT(Norm(d.row0) + Norm(d.row1), 1e-9);
      const Vec3 w_B = TransposeTimes(top.X_WB.R, top.w_WB);
      const Vec3 L_W =
          top.X_WB.R * Vec3{kTopInertia.x * w_B.x, kTopInertia.y * w_B.y, kTopInertia.z * w_B.z};
      EXPECT_LT(Norm(L_W - L), 1e-11 * Norm(L));
      EXPECT_LT(Norm(top.v_WM - Vec3{1, 2, 3}), 1e-14);
      const Quaternion& q = top.q_WB;
      EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
    }
  }
}

// A box spins by up to 5 rad in a step of the scene while it strikes a floor, is turned by a wrench
// or swings in a soft holder: the steps are cut, and it loses and gains next to nothing.
TEST(SimulationManyTest, ABodyThatTurnsByRadiansInAStepKeepsItsEnergy) {
  for (const double turns : {0.5, 5.0}) {
    for (const std::string what : {"floor", "wrench", "holder"}) {
      SCOPED_TRACE(what + " " + std::to_string(turns));
      Scene scene = MakeScene(scenes::Frictionless(1e8, 1.0));
      scene.gravity = {};
      scene.integrator.step = 1e-3;
      scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
      scene.shapes["box"] = Solid(geometry::Box{{0.05, 0.035, 0.025}}, "box");
      const double w = turns / scene.integrator.step;
      BodySettings box = Free("box", "box", 1, {0, 0, 0.05}, {0, 0, -1}, {0.3 * w, w, 0.2 * w});
      if (what == "wrench") {
        box.wrenches.push_back({0, HUGE_VAL, {1, 2, 3}, {1e-9, 0, 0}, {}});
        box.v_WB = {0, 0, 1};
      } else if (what == "holder") {
        Holder holder;
        holder.stiffness = {400, 300, 500};
        holder.target.keys = {{0, {0, 0, 0.2}, {}, {}, {}}};
        box.holder = holder;
        box.v_WB = {};
      }
      scene.bodies = {Fixed("floor", "floor"), box};
      Simulation simulation(scene);
      const auto energy = [&] {
        const EnergyAudit& e = simulation.Energy();
        return e.kinetic + e.elastic - e.work_applied;
      };
      const double start = energy();
      while (simulation.Time() < 0.1) simulation.Step();
      EXPECT_NEAR(energy(), start, 2e-3 * start);
      EXPECT_EQ(simulation.Impacts().empty(), what != "floor");
    }
  }
}

TEST(SimulationManyTest, ABodyThatTurnsFastLosesToImpactsOnly) {
  // A cube at 600 rad/s, 0.15 rad a step, thrown on the floor: frictionless, so that the total
  // never rises and what is gone is the normal damping's.
  Scene scene = MakeScene(scenes::Frictionless(1e9, 0.6));
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["cube"] = Solid(geometry::Box{{0.05, 0.05, 0.05}}, "cube");
  scene.bodies = {Fixed("floor", "floor"),
                  Free("cube", "cube", 1, {0, 0, 0.06}, {0.3, 0, -1}, {450, 300, 250})};
  Simulation simulation(scene);
  const double start = simulation.Energy().kinetic;
  double lost = 0;
  int flights = 0;
  while (simulation.Time() < 0.2) {
    simulation.Step();
    const EnergyAudit& e = simulation.Energy();
    EXPECT_GE(e.dissipated_normal, lost) << simulation.Time();
    lost = e.dissipated_normal;
    if (!simulation.Contacts().empty()) continue;
    ++flights;
    EXPECT_LT(e.kinetic + e.gravity, start * (1 + 1e-3)) << simulation.Time();
  }
  EXPECT_GE(simulation.Impacts().size(), 3U);
  EXPECT_GT(lost, 1);
  EXPECT_LT(std::fabs(simulation.Energy().balance), 1e-3 * lost);
  EXPECT_GT(flights, 100);
  EXPECT_EQ(simulation.Counters().creating_contacts, 0);
}

}  // namespace
}  // namespace intervox
