#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation/arrest.h"
#include "host/simulation/state_layout.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

using geometry::Random;

/** Free bodies that touch in a row, and the end of a trial in which they have moved on. */
struct Trial {
  BodyGroup group;
  StageScratch scratch{*integrators::FindTableau("be1")};
};

void Touch(int i, int j, Trial* trial) {
  Contact contact;
  contact.body_i = i;
  contact.body_j = j;
  contact.active = true;
  contact.pairs = 1;
  trial->scratch.patches.contacts.push_back(contact);
}

Trial RandomTrial(Random* random, int bodies, const RigidBody* floor) {
  Trial out;
  if (floor != nullptr) {
    out.group.state.push_back(*floor);
    out.group.row_of.push_back(-1);
  }
  for (int i = 0; i < bodies; ++i) {
    RigidBody body;
    body.mass = std::pow(10.0, random->Uniform(-3, 3));
    body.inverse_mass = 1 / body.mass;
    for (int k = 0; k < 3; ++k) {
      body.inertia_M(k, k) = body.mass * random->Uniform(0.8, 1.2);
      body.inverse_inertia_M(k, k) = 1 / body.inertia_M(k, k);
    }
    body.p_WM = random->InBox(2);
    body.q_WB = Normalized(Quaternion{1, 0.3 * i, 0.1, -0.2});
    const int at = static_cast<int>(out.group.state.size());
    if (at > 0) Touch(at, at - 1, &out);
    out.group.row_of.push_back(static_cast<int>(out.group.free.size()));
    out.group.free.push_back(at);
    out.group.state.push_back(body);
  }
  const StateLayout layout{out.group.free.size(), 0};
  out.scratch.x.resize(layout.PositionSize());
  out.scratch.y.resize(layout.VelocitySize());
  for (std::size_t f = 0; f < out.group.free.size(); ++f) {
    const RigidBody& body = out.group.state[static_cast<std::size_t>(out.group.free[f])];
    WriteVec3(body.p_WM + random->InBox(0.01), StateLayout::Center(std::span(out.scratch.x), f));
    StateLayout::SetTurn(body.q_WB, out.scratch.x, f);
    double* at = StateLayout::Momentum(std::span(out.scratch.y), f);
    WriteVec3(body.mass * random->InBox(1), at);
    WriteVec3(body.mass * random->InBox(1), at + 3);
  }
  return out;
}

struct Sums {
  double kinetic = 0;
  Vec3 momentum, spin;  ///< about the world's origin
};

RigidBody EndOf(const Trial& trial, std::size_t f) {
  RigidBody body = BodyAtEnd(trial.group, f, trial.scratch);
  SetVelocities(&body);
  return body;
}

Sums SumsOf(const Trial& trial) {
  Sums sums;
  for (std::size_t f = 0; f < trial.group.free.size(); ++f) {
    const RigidBody body = EndOf(trial, f);
    sums.kinetic += KineticEnergy(body);
    sums.momentum += body.momentum;
    sums.spin += Cross(body.p_WM, body.momentum) + body.spin;
  }
  return sums;
}

TEST(SlowDown, TakesTheGainAndKeepsMomenta) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    Trial trial = RandomTrial(&random, 2 + i % 4, nullptr);
    const Sums before = SumsOf(trial);
    const double gain = before.kinetic * std::pow(10.0, random.Uniform(-9, -3));
    if (!SlowDown(trial.group, gain, &trial.scratch)) continue;  // nearly one rigid body
    const Sums after = SumsOf(trial);
    EXPECT_NEAR(before.kinetic - after.kinetic, gain, 1e-13 * before.kinetic);
    EXPECT_LT(Norm(after.momentum - before.momentum), 1e-12 * Norm(before.momentum));
    EXPECT_LT(Norm(after.spin - before.spin), 1e-12 * (Norm(before.spin) + before.kinetic));
  }
}

TEST(SlowDown, TakesTheGainFromAllMotionOnAFloor) {
  RigidBody floor;
  floor.kind = BodyKind::kFixed;
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    Trial trial = RandomTrial(&random, 1 + i % 3, &floor);
    const Sums before = SumsOf(trial);
    const double gain = 0.4 * before.kinetic;
    ASSERT_TRUE(SlowDown(trial.group, gain, &trial.scratch));
    EXPECT_NEAR(before.kinetic - SumsOf(trial).kinetic, gain, 1e-12 * before.kinetic);
    EXPECT_EQ(trial.scratch.a.empty() ? 0.0 : trial.scratch.a[kDrivenWork], 0.0);
  }
}

// What rides on a moving table rides on, and its drive gives what that takes.
TEST(SlowDown, SlowsMotionAgainstAMovingTable) {
  RigidBody table;
  table.kind = BodyKind::kDriven;
  table.v = {100, 0, 0};
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    Trial trial = RandomTrial(&random, 2, &table);
    trial.scratch.a.assign(kQuadratures, 0.0);
    double relative = 0.0;
    for (std::size_t f = 0; f < 2; ++f) {
      double* p = StateLayout::Momentum(std::span(trial.scratch.y), f);
      const RigidBody body = EndOf(trial, f);
      const Vec3 O = trial.group.state[static_cast<std::size_t>(trial.group.free[f])].p_WM;
      relative += KineticEnergy(body);
      WriteVec3(body.momentum + body.mass * table.v, p);
      WriteVec3(ReadVec3(p + 3) + Cross(body.p_WM - O, body.mass * table.v), p + 3);
    }
    const Sums before = SumsOf(trial);
    const double gain = 0.4 * relative;
    EXPECT_FALSE(SlowDown(trial.group, 0.6 * relative, &trial.scratch));
    ASSERT_TRUE(SlowDown(trial.group, gain, &trial.scratch));
    const Sums after = SumsOf(trial);
    EXPECT_NEAR(before.kinetic + trial.scratch.a[kDrivenWork] - after.kinetic, gain,
                1e-12 * before.kinetic);
    double left = 0.0;
    for (std::size_t f = 0; f < 2; ++f) {
      RigidBody body = EndOf(trial, f);
      body.momentum += -body.mass * table.v;
      SetVelocities(&body);
      left += KineticEnergy(body);
    }
    EXPECT_NEAR(left, relative - gain, 1e-9 * before.kinetic);
  }
}

TEST(SlowDown, LeavesBodiesAloneThatTouchNothing) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    Trial trial = RandomTrial(&random, 3, nullptr);
    trial.scratch.patches.contacts.erase(trial.scratch.patches.contacts.begin());
    const std::vector<double> before = trial.scratch.y;
    ASSERT_TRUE(SlowDown(trial.group, 1e-6, &trial.scratch));
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(trial.scratch.y[k], before[k]);
    EXPECT_NE(trial.scratch.y[6], before[6]);
  }
}

TEST(SlowDown, LeavesMotionThatIsLessThanTheGain) {
  Random random(3);
  Trial trial = RandomTrial(&random, 3, nullptr);
  const std::vector<double> before = trial.scratch.y;
  EXPECT_FALSE(SlowDown(trial.group, 2 * SumsOf(trial).kinetic, &trial.scratch));
  EXPECT_EQ(trial.scratch.y, before);
}

// The end of a trial that has diverged: its energy is infinite, and so is what it gains.
TEST(SlowDown, LeavesMotionWithoutFiniteEnergy) {
  Random random(4);
  Trial trial = RandomTrial(&random, 3, nullptr);
  for (double& y : trial.scratch.y) y *= 1e200;
  const std::vector<double> before = trial.scratch.y;
  for (const double gain : {1.0, HUGE_VAL}) {
    EXPECT_FALSE(SlowDown(trial.group, gain, &trial.scratch));
    EXPECT_EQ(trial.scratch.y, before);
  }
}

}  // namespace
}  // namespace intervox::host
