// Drives and prescribed coordinates: forces, work, saturation; joints beside contacts and holders.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <tuple>

#include "host/bodies/motion.h"
#include "host/joints/joint.h"
#include "tests/host/joint_scenes.h"

namespace intervox {
namespace {

using scenes::AngleOf;
using scenes::Chain;
using scenes::Free;
using scenes::JointAt;
using scenes::MakeScene;

/** A slider of 2 kg on the x axis. */
Scene Slider() {
  Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
  BodySettings body = Free("slider", "", 2.0, {});
  body.inertia = Mat3::Diagonal({0.01, 0.02, 0.03});
  scene.bodies = {body};
  scene.joints = {JointAt(JointType::kPrismatic, "slider", "world", {0.1, 0.2, 0.3}, {1, 0, 0})};
  return scene;
}

TEST(JointDriveTest, AcceleratesAtItsLimitAndHoldsItsVelocity) {
  for (const char* method : {"ark3", "rk4"}) {
    Scene scene = Slider();
    scene.integrator.method = method;
    scene.joints[0].drive = JointDrive{0.5, 4.0, 0.0, 0.05};
    Simulation simulation(scene);
    while (simulation.Time() < 0.2) simulation.Step();
    // 4 N on 2 kg until the band is reached.
    EXPECT_NEAR(simulation.Joints()[0].rate, 0.4, 1e-9) << method;
    EXPECT_NEAR(simulation.Joints()[0].coordinate, 0.04, 1e-9) << method;
    EXPECT_NEAR(simulation.Joints()[0].drive, 4.0, 1e-9) << method;
    EXPECT_NEAR(simulation.Joints()[0].force.z, 2 * 9.81, 1e-9) << method;
    EXPECT_NEAR(simulation.Energy().work_applied, 0.5 * 2 * 0.16, 1e-9) << method;
    while (!simulation.Done()) simulation.Step();
    EXPECT_NEAR(simulation.Joints()[0].rate, 0.5, 1e-6) << method;
    EXPECT_NEAR(simulation.Energy().work_applied, 0.5 * 2 * 0.25, 1e-6) << method;
    EXPECT_NEAR(simulation.Energy().balance, 0.0, 1e-6) << method;
  }
}

TEST(JointDriveTest, TurnsAHingeAtItsTorque) {
  for (const double torque : {0.0012, 0.12, 12.0}) {
    for (const char* method : {"ark3", "rk4"}) {
      Scene scene = Chain({{2.0, 0.6, 0.0}});
      scene.gravity = {};
      scene.integrator.method = method;
      scene.joints[0].drive = JointDrive{100.0, torque, 0.0, 0.05};
      scene.duration = 0.1;
      Simulation simulation(scene);
      while (!simulation.Done()) simulation.Step();
      const double acceleration = torque / (2.0 * 0.36 / 3.0);
      const JointReading& joint = simulation.Joints()[0];
      EXPECT_NEAR(joint.rate / acceleration, 0.1, 1e-6) << method;
      EXPECT_NEAR(joint.coordinate / acceleration, 0.005, 1e-6) << method;
      EXPECT_NEAR(simulation.Energy().work_applied / torque, joint.coordinate, 1e-6) << method;
    }
  }
}

TEST(JointDriveTest, AHundredTimesStifferBandIsStableAtTheSameStep) {
  for (const double band : {5e-2, 5e-4, 5e-6}) {
    Scene scene = Slider();
    scene.joints[0].drive = JointDrive{0.5, 4.0, 0.0, band};
    Simulation simulation(scene);
    double fastest = 0.0;
    while (!simulation.Done()) {
      simulation.Step();
      fastest = std::max(fastest, simulation.Joints()[0].rate);
    }
    EXPECT_NEAR(simulation.Joints()[0].rate, 0.5, 1e-6);
    EXPECT_LT(fastest, 0.5 + 1e-3);
    EXPECT_EQ(simulation.Counters().unconverged_stages, 0) << band;
  }
}

TEST(JointDriveTest, LetsGoWithinItsDeadBandAndSlipsBeyondItsLimit) {
  Scene scene = Slider();
  scene.joints[0].drive = JointDrive{0.5, 4.0, 0.1, 0.01};
  scene.bodies[0].v_WB = {0.45, 0, 0};
  Simulation coasts(scene);
  while (!coasts.Done()) coasts.Step();
  EXPECT_NEAR(coasts.Joints()[0].rate, 0.45, 1e-12);
  EXPECT_EQ(coasts.Joints()[0].drive, 0.0);
  // 10 N against a drive of 4 N.
  scene.bodies[0].wrenches = {{0, 1e9, {-10, 0, 0}, {}, {}, false}};
  Simulation slips(scene);
  while (slips.Time() < 0.5) slips.Step();
  // From 0.45 to 0.4 m/s by 10 N, then over the band, then by 6 N.
  EXPECT_NEAR(slips.Joints()[0].drive, 4.0, 1e-12);
  const double late = slips.Joints()[0].rate;
  while (!slips.Done()) slips.Step();
  EXPECT_NEAR(slips.Joints()[0].rate - late, -3.0 * (slips.Time() - 0.5), 1e-6);
}

TEST(JointMotionTest, FollowsItsKeysAndItsWorkIsTheEnergy) {
  Scene scene = Chain({{2.0, 0.6, 0.0}});
  scene.integrator.step = 1e-3;
  scene.joints[0].motion = {{0, 0, 0}, {0.6, -2.0, 1.0}, {1.0, 1.0, 0}};
  Simulation simulation(scene);
  // About +y a positive turn carries the rod from straight down to −x.
  const double inertia = 2.0 * 0.36 / 3.0;
  while (!simulation.Done()) {
    simulation.Step();
    const double t = simulation.Time();
    const JointReading& joint = simulation.Joints()[0];
    EXPECT_LE(joint.error, 1e-10);
    EXPECT_NEAR(AngleOf(simulation.State()[0]), -joint.coordinate, 1e-10);
    if (t < 0.5) {
      const double s = t / 0.6, c2 = 3 * -2.0 - 0.6, c3 = 0.6 + 4.0;
      EXPECT_NEAR(joint.coordinate, s * s * (c2 + c3 * s), 1e-10);
      const double acceleration = (2 * c2 + 6 * c3 * s) / 0.36;
      const double weight = 2.0 * 9.81 * 0.3 * std::sin(joint.coordinate);
      EXPECT_NEAR(joint.drive, inertia * acceleration + weight, 1e-8);
    }
  }
  EXPECT_NEAR(simulation.Joints()[0].coordinate, 1.0, 1e-10);
  const double raised = 2.0 * 9.81 * 0.3 * (1 - std::cos(1.0));
  EXPECT_NEAR(simulation.Energy().work_driven, raised, 2e-5);
}

TEST(JointMotionTest, KeysBetweenStepsCutThem) {
  const std::vector<JointKey> keys = {{0, 0, 0}, {0.3004, 0.4, 5.0}, {0.9, 1.0, 0}};
  for (const char* method : {"ark3", "rk4"}) {
    Scene scene = Chain({{2.0, 0.6, 0.0}});
    scene.integrator.method = method;
    scene.integrator.step = 1e-2;
    scene.joints[0].motion = keys;
    Simulation simulation(scene);
    while (!simulation.Done()) {
      simulation.Step();
      const double t = simulation.Time();
      const double position = host::Evaluate(keys, t, t).position;
      ASSERT_NEAR(simulation.Joints()[0].coordinate, position, 1e-10) << method << " " << t;
    }
    EXPECT_NEAR(simulation.Energy().balance, 0.0, 1e-4) << method;
  }
}

TEST(JointMotionTest, TurnsByMoreThanHalfATurn) {
  Scene scene = Chain({{2.0, 0.6, 0.0}});
  scene.joints[0].motion = {{0, 0, 0}, {1, 10.0, 0}};
  Simulation simulation(scene);
  while (!simulation.Done()) simulation.Step();
  EXPECT_NEAR(simulation.Joints()[0].coordinate, 10.0 - 4.0 * std::numbers::pi, 1e-10);
  EXPECT_LE(simulation.LargestJointError(), 1e-10);
}

TEST(JointMotionTest, WhatCannotCloseIsToldByName) {
  // A bar between a crank of 0.1 m and a fixed point: the crank cannot turn all the way.
  for (const double length : {0.3, 0.28, 0.25}) {
    Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
    const Vec3 end{0.1, 0, 0}, far{0.1, 0, length};
    scene.bodies = {scenes::LinkBody("crank", {1, 0.1, 0.5 * std::numbers::pi, 0}, {}, {}),
                    scenes::LinkBody("bar", {1, length, std::numbers::pi, 0}, end, {})};
    scene.joints = {JointAt(JointType::kRevolute, "crank", "world", {}),
                    JointAt(JointType::kRevolute, "bar", "crank", end),
                    JointAt(JointType::kSpherical, "bar", "world", far)};
    scene.joints[0].motion = {{0, 0, 0}, {1, 3.0, 0}};
    Simulation simulation(scene);
    try {
      while (!simulation.Done()) simulation.Step();
      FAIL() << "closed";
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("joints."), std::string::npos) << what;
      EXPECT_NE(what.find("cannot close"), std::string::npos) << what;
      EXPECT_NE(what.find("1e-10"), std::string::npos) << what;
    }
    // Next to where they lock, shorter and shorter substeps are no way on.
    EXPECT_LT(simulation.Counters().substeps, 20000) << length;
  }
}

/** A pendulum on a cart that a motion drives: the cart is body 0. */
Scene DrivenCart() {
  Scene scene = Chain({{2.0, 0.5, 0.0}});
  BodySettings cart;
  cart.name = "cart";
  PrescribedMotion motion;
  motion.keys = {{0, {}, {}, {}, {}}, {1.0, {0.5, 0, 0}, {}, {}, {}}};
  cart.motion = motion;
  scene.bodies.insert(scene.bodies.begin(), cart);
  scene.joints[0].bodies = {"link0", "cart"};
  return scene;
}

TEST(JointMotionTest, ADrivenBodysJointTakesTheWorkThatItsPartGains) {
  for (const char* method : {"ark3", "rk4"}) {
    Scene scene = DrivenCart();
    scene.integrator.method = method;
    Simulation simulation(scene);
    while (!simulation.Done()) {
      // ẍ of the cart at the start: 6 · 0.5 m/s², and of the rod's end the same.
      if (simulation.Time() == 0.0) {
        // A rod pulled across at its end: a quarter of its mass resists.
        EXPECT_NEAR(simulation.Joints()[0].force.x, 2.0 / 4.0 * 3.0, 1e-6) << method;
      }
      simulation.Step();
      const Vec3 top = simulation.State()[1].X_WB * Vec3{-0.25, 0, 0};
      EXPECT_LT(Norm(top - simulation.State()[0].X_WB.p), 1e-10) << method;
    }
    EXPECT_GT(std::fabs(AngleOf(simulation.State()[1])), 0.05) << method;
    const EnergyAudit& energy = simulation.Energy();
    EXPECT_NEAR(energy.work_driven, energy.kinetic + energy.gravity, 1e-5) << method;
    EXPECT_NEAR(energy.balance, 0.0, 1e-5) << method;
  }
}

/** A part of m kg that a joint holds on a turntable, which a motion turns at 2, 5, 1 and 0 rad/s.
 */
Scene Turntable(double m) {
  Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
  scene.gravity = {};
  const Vec3 z{0, 0, 1};
  BodySettings table, part = Free("part", "", m, {0.4, 0, 0.1}, {0, 0.8, 0}, 2.0 * z);
  table.name = "table";
  table.center_of_mass = Vec3{0.3, 0.1, 0};  // off its axis
  table.motion = PrescribedMotion{{{0, {}, {}, {}, 2.0 * z},
                                   {0.5, {}, {}, host::FromRotationVector(1.7 * z), 5.0 * z},
                                   {1.0, {}, {}, host::FromRotationVector(3.0 * z), 1.0 * z},
                                   {1.5, {}, {}, host::FromRotationVector(3.2 * z), {}}}};
  part.inertia = Mat3::Diagonal({0.02 * m, 0.03 * m, 0.04 * m});
  scene.bodies = {table, part};
  scene.joints = {JointAt(JointType::kFixed, "part", "table", {0.4, 0.2, 0.1}, z)};
  scene.duration = 1.5;
  return scene;
}

TEST(JointMotionTest, ATurntableGivesItsPartTheEnergyOfTheTurn) {
  for (const double m : {0.02, 2.0, 200.0}) {
    for (const char* method : {"ark3", "rk4"}) {
      Scene scene = Turntable(m);
      scene.integrator.method = method;
      Simulation simulation(scene);
      const double inertia = m * 0.4 * 0.4 + 0.04 * m;  // about the table's axis
      for (const auto& [end, rate, angle] : {std::tuple{0.5, 5.0, 1.7}, {1.0, 1.0, 3.0}}) {
        while (simulation.Time() < end - 1e-9) simulation.Step();
        const double gained = 0.5 * inertia * (rate * rate - 4.0);
        const EnergyAudit& energy = simulation.Energy();
        // Exact by the way back onto the joint; the work is the scheme's.
        EXPECT_NEAR(energy.kinetic / inertia, 0.5 * rate * rate, 1e-9) << method;
        EXPECT_NEAR(energy.work_driven / inertia, gained / inertia, 2e-4) << method;
        EXPECT_NEAR(energy.balance / inertia, 0.0, 1e-6) << method;
        // The part turns with the table, and stays where it was on it.
        const Mat3 turn = ToRotation(host::FromRotationVector({0, 0, angle}));
        const BodyState& part = simulation.State()[1];
        EXPECT_LT(Norm(part.p_WM - turn * Vec3{0.4, 0, 0.1}), 1e-9) << method;
        EXPECT_LT(Norm(part.X_WB.R.Col(0) - turn.Col(0)), 1e-9) << method;
      }
    }
  }
}

// Backward Euler's work of a way that slows down is less than the weight takes on it; the rest is
// done as the part is put back onto the carrier. It is the carrier's and no gain of the step.
TEST(JointMotionTest, APartThatIsLiftedNeedsNoShorterSteps) {
  for (const double m : {0.02, 2.0, 200.0}) {
    Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 2e-3);
    scene.integrator.method = "be1";
    BodySettings carrier, part = Free("part", "", m, {0, 0, 0.3});
    carrier.name = "carrier";
    carrier.motion = PrescribedMotion{};
    for (int k = 0; k <= 20; ++k) {
      carrier.motion->keys.push_back({0.1 * k, {0, 0, 1e-3 * ((k + 1) / 2)}, {}, {}, {}});
    }
    part.inertia = Mat3::Diagonal({0.02 * m, 0.03 * m, 0.04 * m});
    scene.bodies = {carrier, part};
    scene.joints = {JointAt(JointType::kFixed, "part", "carrier", {})};
    scene.duration = 2.0;
    Simulation simulation(scene);
    while (!simulation.Done()) simulation.Step();
    EXPECT_EQ(simulation.Counters().redone_substeps, 0) << m;
    EXPECT_NEAR(simulation.State()[1].X_WB.p.z, 0.31, 1e-12) << m;
    const EnergyAudit& energy = simulation.Energy();
    EXPECT_NEAR(energy.gravity, m * 9.81 * 0.01, 1e-9 * m);
    EXPECT_NEAR(energy.work_driven / energy.gravity, 1.0, 0.05) << m;
  }
}

// A wheel on its axle: the joint is at its centre of mass, where it has no arm. It follows its
// motion and then rests, without substeps, whatever its size, mass and weight.
TEST(JointMotionTest, AWheelTurnsAboutItsCentre) {
  for (const double size : {1e-3, 0.1, 10.0}) {
    for (const double mass : {0.02, 2.0, 200.0}) {
      for (const double weight : {0.0, 9.81, 981.0}) {
        for (const double turn : {0.5, 200.0}) {
          SCOPED_TRACE(testing::Message()
                       << size << " m " << mass << " kg " << weight << " m/s2 " << turn << " rad");
          Scene scene = MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
          scene.gravity = {0, 0, -weight};
          scene.duration = 0.2;
          BodySettings wheel = Free("wheel", "", mass, {});
          wheel.inertia = Mat3::Diagonal(mass * size * size * Vec3{0.25, 0.25, 0.5});
          scene.bodies = {wheel};
          scene.joints = {
              JointAt(JointType::kRevolute, "wheel", "world", {}, {0, std::sqrt(0.5), 1.0})};
          scene.joints[0].motion = {{0.0, 0.0, 0.0}, {0.1, 0.001 * turn, 0.0}};
          Simulation simulation(scene);
          while (!simulation.Done()) simulation.Step();
          EXPECT_NEAR(simulation.Joints()[0].coordinate, 0.001 * turn, 1e-10);
          EXPECT_LT(simulation.LargestJointError(), 1e-10);
          EXPECT_EQ(simulation.Counters().substeps, simulation.Counters().steps);
          EXPECT_EQ(simulation.Counters().redone_substeps, 0);
        }
      }
    }
  }
}

TEST(JointContact, JoinedBodiesTouchOnlyWhereTheyAreAskedTo) {
  for (const bool contact : {false, true}) {
    Scene scene = MakeScene(scenes::Frictionless(1e8, 0.5), 1e-3);
    scene.gravity = {};
    scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
    scene.bodies = {Free("a", "box", 1, {}), Free("b", "box", 1, {0.15, 0, 0}, {-0.5, 0, 0})};
    scene.joints = {JointAt(JointType::kPrismatic, "b", "a", {}, {1, 0, 0})};
    scene.joints[0].contact = contact;
    scene.duration = 0.3;
    Simulation simulation(scene);
    bool touched = false;
    while (!simulation.Done()) {
      simulation.Step();
      touched = touched || !simulation.Contacts().empty();
    }
    EXPECT_EQ(touched, contact);
    EXPECT_EQ(simulation.Joints()[0].rate > 0.0, contact);  // it has bounced
    // The pair's momentum stays, joint, contact and all.
    const Vec3 p = simulation.State()[0].v_WM + simulation.State()[1].v_WM;
    EXPECT_LT(Norm(p - Vec3{-0.5, 0, 0}), 1e-12);
    EXPECT_NEAR(simulation.Joints()[0].rate, contact ? 0.25 : -0.5, 5e-3);
    EXPECT_LE(simulation.LargestJointError(), 1e-10);
  }
}

/** A box on a bar, hung from the world, that falls onto a floor and comes to rest on its edge. */
Scene Flail() {
  Scene scene = MakeScene(scenes::Frictional(1e8, 0.5, 0.4), 5e-4);
  scene.source = "flail";
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, -0.25}, "floor");
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.08, 0.06}}, "box");
  BodySettings bar = scenes::LinkBody("bar", {0.5, 0.3, 1.4, 0}, {}, {});
  const Vec3 end = 0.3 * scenes::Along(1.4);
  scene.bodies = {scenes::Fixed("floor", "floor"), bar, Free("box", "box", 1, end)};
  scene.joints = {JointAt(JointType::kRevolute, "bar", "world", {}),
                  JointAt(JointType::kSpherical, "box", "bar", end)};
  scene.duration = 1.5;
  return scene;
}

TEST(JointContact, AFlailStrikesTheFloorWithoutGainingEnergyAndRests) {
  Simulation simulation(Flail());
  double before = scenes::Mechanical(simulation) + simulation.Energy().elastic;
  const double first = before;
  bool touched = false;
  while (!simulation.Done()) {
    simulation.Step();
    touched = touched || !simulation.Contacts().empty();
    const double now = scenes::Mechanical(simulation) + simulation.Energy().elastic;
    EXPECT_LT(now, before + 1e-3) << simulation.Time();
    before = now;
  }
  EXPECT_TRUE(touched);
  EXPECT_LT(before, first - 0.5);
  EXPECT_LE(simulation.LargestJointError(), 1e-10);
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  EXPECT_EQ(simulation.Counters().arrests, 0);
}

template <class T>
bool SameBits(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

TEST(JointContact, AResumedAndAClonedRunHaveTheSameBits) {
  Simulation whole(Flail());
  Simulation resumed(Flail());
  while (whole.Time() < 0.3) whole.Step();
  resumed.Restore(whole.Save());
  Simulation cloned = whole.Clone();
  for (int k = 0; k < 400; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      ASSERT_TRUE(SameBits(whole.Joints()[j], resumed.Joints()[j])) << k;
      ASSERT_TRUE(SameBits(whole.Joints()[j], cloned.Joints()[j])) << k;
    }
    for (std::size_t b = 0; b < 3; ++b) {
      ASSERT_TRUE(SameBits(whole.State()[b], resumed.State()[b])) << k;
      ASSERT_TRUE(SameBits(whole.State()[b], cloned.State()[b])) << k;
    }
    ASSERT_EQ(whole.Energy().joint_projection, resumed.Energy().joint_projection);
    ASSERT_EQ(whole.LargestJointError(), resumed.LargestJointError());
    whole.Step();
    resumed.Step();
    cloned.Step();
  }
}

TEST(JointHolder, AHeldBodyCarriesWhatIsJoinedToIt) {
  // A holder bears a bar's middle; a weight hangs on a link at the bar's end.
  Scene scene = Chain({{1.0, 0.4, 0.5 * std::numbers::pi}, {0.5, 0.2, 0.0}}, true);
  Holder holder;
  holder.stiffness = {1e4, 1e4, 1e4};
  holder.damping = {300, 300, 300};
  holder.rotational_stiffness = {50, 50, 50};
  holder.rotational_damping = {3, 3, 3};
  const BodySettings& bar = scene.bodies[0];
  holder.target.keys = {{0, bar.X_WB.p, {}, ToQuaternion(bar.X_WB.R), {}}};
  scene.bodies[0].holder = holder;
  scene.duration = 3.0;
  Simulation simulation(scene);
  while (!simulation.Done()) simulation.Step();
  const double droop = -(simulation.State()[0].p_WM.z - bar.X_WB.p.z);
  EXPECT_NEAR(droop, 1.5 * 9.81 / 1e4, 1e-6);
  EXPECT_NEAR(simulation.Joints()[0].force.z, 0.5 * 9.81, 1e-3);
  EXPECT_LE(simulation.LargestJointError(), 1e-10);
}

}  // namespace
}  // namespace intervox
