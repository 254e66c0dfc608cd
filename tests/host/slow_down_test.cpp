#include <gtest/gtest.h>

#include "host/simulation/arrest.h"
#include "host/simulation/state_layout.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

using geometry::Random;

/** Free bodies, and the end of a trial in which they have moved on. */
struct Trial {
  BodyGroup group;
  StageScratch scratch{*integrators::FindTableau("be1")};
};

Trial RandomTrial(Random* random, int bodies, bool with_floor) {
  Trial out;
  if (with_floor) {
    RigidBody floor;
    floor.kind = BodyKind::kFixed;
    out.group.state.push_back(floor);
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
    out.group.free.push_back(static_cast<int>(out.group.state.size()));
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

Sums SumsOf(const Trial& trial) {
  Sums sums;
  for (std::size_t f = 0; f < trial.group.free.size(); ++f) {
    RigidBody body = BodyAtEnd(trial.group, f, trial.scratch);
    SetVelocities(&body);
    sums.kinetic += KineticEnergy(body);
    sums.momentum += body.momentum;
    sums.spin += Cross(body.p_WM, body.momentum) + body.spin;
  }
  return sums;
}

TEST(SlowDown, TakesTheGainAndKeepsMomenta) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    Trial trial = RandomTrial(&random, 2 + i % 4, false);
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
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    Trial trial = RandomTrial(&random, 1 + i % 3, true);
    const Sums before = SumsOf(trial);
    const double gain = 0.4 * before.kinetic;
    ASSERT_TRUE(SlowDown(trial.group, gain, &trial.scratch));
    EXPECT_NEAR(before.kinetic - SumsOf(trial).kinetic, gain, 1e-12 * before.kinetic);
  }
}

TEST(SlowDown, LeavesMotionThatIsLessThanTheGain) {
  Random random(3);
  Trial trial = RandomTrial(&random, 3, false);
  const std::vector<double> before = trial.scratch.y;
  EXPECT_FALSE(SlowDown(trial.group, 2 * SumsOf(trial).kinetic, &trial.scratch));
  EXPECT_EQ(trial.scratch.y, before);
}

}  // namespace
}  // namespace intervox::host
