// Single terms of the stage equation: clamping, plate spin, relaxation, rolling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

using testing::Model;
using testing::OnGround;

TEST(SolveStage, InactiveAndClampedContactsDoNothing) {
  const auto model = Model(1e6, 0.2, 0.4, 0.4);
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1.0;
  bodies[1].inverse_inertia_W = Mat3::Identity();
  bodies[1].v = {0.1, 0, 1.0};  // away, faster than the spring can follow
  bodies[1].w = {1, 2, 3};
  std::vector<StageContact> contacts(2);
  for (StageContact& c : contacts) {
    c.body_i = 1;
    c.body_j = 0;
    c.model = model.get();
    c.geometry.n = {0, 0, 1};
    c.geometry.J_W = Mat3::Identity();
    c.state.z = {1e-6, 0, 0};
    c.force = {1, 2, 3};
    c.latch = {0.1, model->normal->DampingFactor(0.1)};
  }
  contacts[1].geometry.V = 1e-6;
  const StageResult result = SolveStage(1e-4, bodies, contacts);
  EXPECT_TRUE(result.converged);
  for (const StageContact& c : contacts) {
    EXPECT_EQ(c.f_n, 0.0);
    EXPECT_EQ(Norm(c.force), 0.0);
    EXPECT_EQ(Norm(c.torque), 0.0);
  }
  EXPECT_EQ(contacts[0].state.z.x, 1e-6);  // no overlap: its states stand still
  EXPECT_EQ(bodies[1].v.z, 1.0);
  EXPECT_EQ(bodies[1].w.y, 2.0);
}

// The bristle turns with the plate: with r_i = r_j = ½ by half the relative spin of a body on
// ground.
TEST(SolveStage, BristlesTurnWithThePlate) {
  const auto model = Model(1e6, 0.5, 0.4, 0.4);
  std::vector<StageBody> bodies(2);
  bodies[0].w = bodies[1].w = {0, 0, 3.0};  // driven, turning together
  StageContact c = OnGround(*model, 1e-6, 1e-10);
  c.state.z = {1e-7, 0, 0};
  c.state.s_dw = 1.0;
  SolveStage(0.0, bodies, {&c, 1});
  EXPECT_NEAR(c.rate.z.y, 3.0 * 1e-7, 1e-14);
  EXPECT_NEAR(c.rate.z.x, 0.0, 1e-14);
  EXPECT_NEAR(c.force.x, -1.0 * 1e5 * 1e-7, 1e-12);  // from ż of the model, which is 0
  EXPECT_NEAR(c.force.y, 0.0, 1e-12);
  // R_n turns it out of the old plane.
  c.geometry.n = {1, 0, 0};
  c.geometry.R_n = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};  // z onto x, x onto −z
  c.state.z = {1e-7, 0, 0};
  bodies[0].w = bodies[1].w = {};
  SolveStage(1e-4, bodies, {&c, 1});
  EXPECT_NEAR(c.force.z, 1e5 * 1e-7, 1e-12);
  EXPECT_NEAR(c.state.z.x, 1e-7, 1e-18);
}

// A wedge's or a cap's overlap grows with the square of the depth, a corner's with its cube: at the
// implicit position it is what the depth there says, to a hundred depths; from there on it is
// linear.
TEST(SolveStage, AnUnevenOverlapGrowsByItsPower) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e8}, {"restitution", 1.0}}, {}};
  const auto model = MakeContactModel(s, {}, {});
  for (const double p : {1.0, 1.5, 2.0, 3.0}) {
    const double depth = 1e-3, V = 1e-7, S = p * V / depth;
    const double along = (1.0 / 12 + (p - 1.0) * (2.0 / 9 - 1.0 / 12)) * V * V * V / (S * S);
    for (const double share : {-0.9, -0.5, 0.3, 30.0, 1e4}) {
      const bool told = share < 0.0;  // the power, and that the bodies have moved since
      std::vector<StageBody> bodies(2);
      bodies[1].inverse_mass = 1e-30;
      bodies[1].inverse_inertia_W = 1e-30 * Mat3::Identity();
      bodies[1].has_offset = true;
      if (!told) bodies[1].dx = {0, 0, -share * depth};
      StageContact c;
      if (told) c.moved = {0, 0, -share * depth};
      if (told) c.depth_power = p;
      c.body_i = 1;
      c.body_j = 0;
      c.model = model.get();
      c.geometry.n = {0, 0, 1};
      c.geometry.V = V;
      c.geometry.S = {0, 0, S};
      c.geometry.J_W(0, 0) = c.geometry.J_W(1, 1) = V * 1e-6 + (told ? 0.0 : along);
      c.geometry.J_W(2, 2) = 2 * V * 1e-6;
      SolveStage(1e-3, bodies, {&c, 1});
      const double known = std::min(1.0 + share, 100.0), beyond = 1.0 + share - known;
      const double there = 1e8 * V * std::pow(known, p - 1.0) * (known + p * beyond);
      EXPECT_NEAR(c.f_n, there, 1e-9 * there) << p << " " << share;
    }
  }
}

// A face of even depth that is to be found tilted by θ at the stage's end: k_v θ ∫ y² dA.
TEST(SolveStage, AFacesTiltMeetsWinklersMoment) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e8}, {"restitution", 1.0}}, {}};
  const auto model = MakeContactModel(s, {}, {});
  const double a = 0.2, b = 0.1, depth = 1e-5, tilt = 1e-7;
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1e-9;
  bodies[1].inverse_inertia_W = 1e-9 * Mat3::Identity();
  bodies[1].has_offset = true;
  bodies[1].dtheta = {tilt, 0, 0};
  StageContact c = OnGround(*model, a * b * depth, 0);
  c.geometry.J_W = a * b * depth / 12 * Mat3::Diagonal({b * b, a * a, a * a + b * b}) +
                   a * b * depth / 12 * depth * depth * Mat3::Diagonal({1, 1, 0});
  c.geometry.S = {0, 0, a * b};
  SolveStage(1e-9, bodies, {&c, 1});
  EXPECT_NEAR(c.f_n, 1e8 * a * b * depth, 1e-9);
  EXPECT_NEAR(c.torque.x, -1e8 * tilt * a * b * b * b / 12, 1e-6 * std::fabs(c.torque.x));
}

TEST(SolveStage, RelaxationOffsetDecaysAndTakesItsShareOfTheForce) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 1.0}, {"relaxation_time", 2.0}}, {}};
  const auto model = MakeContactModel(s, {}, {});
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1e-9;
  StageContact c = OnGround(*model, 3e-5, 1e-9);
  c.state.V_o = 1e-5;
  StageContact implicit = c;
  SolveStage(0.0, bodies, {&c, 1});
  EXPECT_NEAR(c.f_n, 20.0, 1e-12);
  EXPECT_DOUBLE_EQ(c.rate.V_o, -1e-5 / 2.0);
  SolveStage(0.5, bodies, {&implicit, 1});
  EXPECT_NEAR(implicit.state.V_o, 1e-5 / 1.25, 1e-20);  // V_o = V_o*/(1 + H/τ_r)
  EXPECT_NEAR(implicit.f_n, 30.0 - 8.0, 1e-9);
}

TEST(SolveStage, RollingOpposesAndTheCapKeepsThePressureFromTension) {
  for (const double cap : {0.0, 1.0}) {
    ContactModelSettings s;
    s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.5}}, {}};
    s.rolling = {"gonthier", {{"cap", cap}}, {}};
    const auto model = MakeContactModel(s, {}, {});
    std::vector<StageBody> bodies(2);
    bodies[1].w = {30.0, 40.0, 5.0};
    StageContact c = OnGround(*model, 1e-5, 1e-5 * 0.005);  // r_gyr = 0.1, ρ = 0.1414
    c.latch = {1.0, model->normal->DampingFactor(1.0)};
    SolveStage(0.0, bodies, {&c, 1});
    // τ_r = k_v a J ω_t, Gonthier (4.183); capped at |a||ω_t|ρ = 1.
    const double a = c.latch.a, tilt = -a * 50.0 * std::sqrt(0.02);
    ASSERT_GT(tilt, 1.0);
    const double expected = 1e6 * a * 5e-8 / (cap > 0 ? tilt : 1.0);
    EXPECT_NEAR(c.torque.x, expected * 30.0, 1e-12);
    EXPECT_NEAR(c.torque.y, expected * 40.0, 1e-12);
    EXPECT_NEAR(c.torque.z, 0.0, 1e-15);
    EXPECT_NEAR(c.power.rolling, -expected * 2500.0, 1e-9);
  }
}

// A stage that failed leaves forces that are no guess for the next: the solution is the same, and
// solved for as well, whatever they are.
TEST(SolveStage, AGuessThatIsFarOffChangesNothing) {
  for (const double stiffness : {1e10, 1e18, 1e26}) {
    const auto model = Model(stiffness, 0.2, 0.4, 0.4);
    const double depth = 1e-8, H = 1e-3, weight = 10.0;
    const auto solve = [&](double guess, double* f_n) {
      std::vector<StageBody> bodies(2);
      bodies[1].inverse_mass = 1.0;
      bodies[1].inverse_inertia_W = 1e4 * Mat3::Identity();
      bodies[1].p_WM = {0, 0, 0.01};
      bodies[1].v = {1e-4, 0, -H * weight};
      bodies[1].has_offset = true;
      StageContact c = OnGround(*model, 1e-6 * depth, 1e-6 * depth * 1e-6);
      c.geometry.S = {0, 0, 1e-6};
      c.force = {0, 0, guess};
      c.f_n = guess;
      EXPECT_TRUE(SolveStage(H, bodies, {&c, 1}).converged);
      *f_n = c.f_n;
      return bodies[1].v.z;
    };
    double f_n = 0.0, guessed_f_n = 0.0;
    const double v_z = solve(0.0, &f_n);
    EXPECT_NEAR(f_n, weight + v_z / H, 1e-6 * weight);
    for (const double guess : {1e2, 1e6, 1e10}) {
      SCOPED_TRACE(stiffness);
      EXPECT_NEAR(solve(guess, &guessed_f_n), v_z, 1e-9);
      EXPECT_NEAR(guessed_f_n, f_n, 1e-6 * weight) << guess;
    }
  }
}

}  // namespace
}  // namespace intervox::host
