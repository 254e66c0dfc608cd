// What SolveStage returns satisfies the stage equation, however it is posed.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

using testing::Draw;
using testing::Model;
using testing::OnGround;
using testing::Problem;
using testing::Random;

TEST(SolveStage, ReturnedVelocitiesStatesAndForcesSatisfyTheStageEquation) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(1);
  int converged = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Problem p = Draw(random, *model, 1 + trial % 3, 1 + trial % 7, random.Log(1.0, 3e3));
    const double H = random.Log(1e-6, 3e-4);
    const Problem start = p;
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    if (!result.converged) continue;
    ++converged;
    Problem end = p;  // F evaluated at the solution, explicitly
    SolveStage(0.0, end.bodies, end.contacts);
    std::vector<Vec3> v(p.bodies.size()), w(p.bodies.size());
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const StageContact& c = p.contacts[k];
      const StageContact& e = end.contacts[k];
      const double size = 1e-5 * (1.0 + Norm(c.force));
      EXPECT_LT(Norm(c.force - e.force), size) << trial;
      EXPECT_LT(Norm(c.torque - e.torque), size) << trial;
      EXPECT_LT(Norm(c.rate.z - e.rate.z), 1e-6) << trial;
      EXPECT_NEAR(c.rate.theta, e.rate.theta, 1e-4) << trial;
      EXPECT_NEAR(c.rate.s_dw, e.rate.s_dw, 1e-4 * (1.0 + std::fabs(e.rate.s_dw))) << trial;
      EXPECT_LT(Norm(c.state.z - start.contacts[k].state.z - H * c.rate.z), 1e-18);
      const auto add = [&](int b, double sign) {
        const auto at = static_cast<std::size_t>(b);
        const StageBody& body = start.bodies[at];
        const Vec3 moment = c.torque + Cross(c.geometry.p_WC - body.p_WM, c.force);
        v[at] += sign * H * body.inverse_mass * c.force;
        w[at] += sign * H * (body.inverse_inertia_W * moment);
      };
      add(c.body_i, 1.0);
      add(c.body_j, -1.0);
    }
    for (std::size_t b = 0; b < p.bodies.size(); ++b) {
      EXPECT_LT(Norm(p.bodies[b].v - start.bodies[b].v - v[b]), 1e-12 * (1 + Norm(v[b])));
      EXPECT_LT(Norm(p.bodies[b].w - start.bodies[b].w - w[b]), 1e-12 * (1 + Norm(w[b])));
    }
  }
  EXPECT_GT(converged, 290);
}

// What a drag adds to the equation: M (y − y*) + H (K y − K y*) = H Σ Jᵀ w, K y written out as the
// force and torque of the damper; from weak drags to 1e4 times the inertia.
TEST(SolveStage, DragsAreImplicit) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(7);
  int converged = 0, iterations = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Problem p = Draw(random, *model, 1 + trial % 2, 1 + trial % 5, random.Log(1.0, 3e3));
    const double H = random.Log(1e-6, 3e-4);
    std::vector<StageDrag> drags(p.bodies.size());
    for (std::size_t b = 1; b < p.bodies.size(); ++b) {
      const double strength = random.Log(1e-2, 1e4) / (H * p.bodies[b].inverse_mass);
      const Mat3 R = random.Rotation(), Q = random.Rotation();
      drags[b].p_WB = p.bodies[b].p_WM + random.Vector(0.1);
      drags[b].D = strength * (R * Mat3::Diagonal({1.0, 0.3, 0.0}) * Transpose(R));
      drags[b].D_r = (0.01 * strength) * (Q * Mat3::Diagonal({0.0, 1.0, 0.5}) * Transpose(Q));
      p.bodies[b].drag = &drags[b];
    }
    const Problem start = p;
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    iterations += result.iterations;
    if (!result.converged) continue;
    ++converged;
    Problem end = p;
    SolveStage(0.0, end.bodies, end.contacts);
    std::vector<Vec3> force(p.bodies.size()), torque(p.bodies.size());
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const StageContact& c = p.contacts[k];
      EXPECT_LT(Norm(c.force - end.contacts[k].force), 1e-4 * (1.0 + Norm(c.force))) << trial;
      const auto add = [&](int b, double sign) {
        const auto at = static_cast<std::size_t>(b);
        force[at] += sign * c.force;
        torque[at] += sign * (c.torque + Cross(c.geometry.p_WC - start.bodies[at].p_WM, c.force));
      };
      add(c.body_i, 1.0);
      add(c.body_j, -1.0);
    }
    for (std::size_t b = 1; b < p.bodies.size(); ++b) {
      const StageBody& body = p.bodies[b];
      const Vec3 arm = drags[b].p_WB - body.p_WM;
      const Vec3 dv = body.v - start.bodies[b].v, dw = body.w - start.bodies[b].w;
      const Vec3 drag = drags[b].D * (dv + Cross(dw, arm));
      const Vec3 p_change = dv / body.inverse_mass + H * drag;
      const Vec3 l_change = p.inertia[b] * dw + H * (drags[b].D_r * dw + Cross(arm, drag));
      // Rounding of velocities of order 1, times what they are multiplied by.
      const double rounding = 1e-14 * (1.0 / body.inverse_mass + H * Trace(drags[b].D));
      EXPECT_LT(Norm(p_change - H * force[b]), rounding + 1e-12 * H * Norm(force[b])) << trial;
      EXPECT_LT(Norm(l_change - H * torque[b]), rounding + 1e-12 * H * Norm(force[b])) << trial;
    }
  }
  EXPECT_GT(converged, 195);
  EXPECT_LT(iterations, 200 * 12);
}

TEST(SolveStage, KeepsTheMomentumOfFreeBodiesToRounding) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    Problem p = Draw(random, *model, 2, 4, 500.0);
    for (StageContact& c : p.contacts) c.body_j = 3 - c.body_i;  // no ground
    const auto momentum = [&] {
      Vec3 linear, angular;
      for (std::size_t b = 1; b < 3; ++b) {
        const Vec3 mv = p.bodies[b].v / p.bodies[b].inverse_mass;
        linear += mv;
        angular += Cross(p.bodies[b].p_WM, mv) + p.inertia[b] * p.bodies[b].w;
      }
      return std::pair{linear, angular};
    };
    const auto [linear, angular] = momentum();
    SolveStage(2e-4, p.bodies, p.contacts);
    const auto [linear_after, angular_after] = momentum();
    EXPECT_LT(Norm(linear_after - linear), 3e-14 * (1 + Norm(linear)));
    EXPECT_LT(Norm(angular_after - angular), 3e-14 * (1 + Norm(angular)));
  }
}

TEST(SolveStage, DoesNotDependOnTheAxes) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    Problem p = Draw(random, *model, 2, 3, 300.0);
    const Mat3 Q = random.Rotation();
    Problem q = p;
    for (StageBody& b : q.bodies) {
      b.inverse_inertia_W = Q * b.inverse_inertia_W * Transpose(Q);
      b.p_WM = Q * b.p_WM;
      b.v = Q * b.v;
      b.w = Q * b.w;
    }
    for (StageContact& c : q.contacts) {
      c.geometry.n = Q * c.geometry.n;
      c.geometry.p_WC = Q * c.geometry.p_WC;
      c.geometry.J_W = Q * c.geometry.J_W * Transpose(Q);
      c.state.z = Q * c.state.z;
    }
    SolveStage(1e-4, p.bodies, p.contacts);
    SolveStage(1e-4, q.bodies, q.contacts);
    for (std::size_t b = 0; b < p.bodies.size(); ++b) {
      EXPECT_LT(Norm(q.bodies[b].v - Q * p.bodies[b].v), 1e-9);
      EXPECT_LT(Norm(q.bodies[b].w - Q * p.bodies[b].w), 1e-8);
    }
  }
}

TEST(SolveStage, LockedAxesStayLocked) {
  const auto model = Model(1e6, 0.5, 0.4, 0.4);
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1.0;
  bodies[1].inverse_inertia_W = Mat3::Diagonal({0, 10.0, 0});  // a planar body
  bodies[1].v = {0.1, 0, -0.2};
  StageContact c = OnGround(*model, 1e-4, 1e-8);
  c.geometry.p_WC = {0.1, 0.2, -0.1};
  c.latch = {0.2, model->normal->DampingFactor(0.2)};
  EXPECT_TRUE(SolveStage(1e-4, bodies, {&c, 1}).converged);
  EXPECT_EQ(bodies[1].w.x, 0.0);
  EXPECT_EQ(bodies[1].w.z, 0.0);
  EXPECT_NE(bodies[1].w.y, 0.0);
}

TEST(SolveStage, MassRatioOfTenThousandConverges) {
  const auto model = Model(1.0, 0.5, 0.4, 0.4);
  for (const double heavy : {1e-4, 1.0, 1e4}) {
    std::vector<StageBody> bodies(3);
    const double mass[3] = {0, 1.0, heavy};
    for (int b = 1; b < 3; ++b) {
      bodies[b].inverse_mass = 1.0 / mass[b];
      bodies[b].inverse_inertia_W = (1.0 / (0.01 * mass[b])) * Mat3::Identity();
      bodies[b].p_WM = {0, 0, 0.1 * b};
      bodies[b].v = {0.02 * b, 0, -0.1};
    }
    std::vector<StageContact> contacts(2);
    for (int k = 0; k < 2; ++k) {
      contacts[k].body_i = k + 1;
      contacts[k].body_j = k;
      contacts[k].model = model.get();
      contacts[k].geometry.n = {0, 0, 1};
      contacts[k].geometry.p_WC = {0.01, 0, 0.1 * k + 0.05};
      contacts[k].geometry.V = 10.0 * (mass[1] * (1 - k) + mass[2]);
      contacts[k].geometry.J_W = 1e-5 * Mat3::Diagonal({1, 1, 2});
      contacts[k].latch = {0.1, model->normal->DampingFactor(0.1)};
    }
    const StageResult result = SolveStage(1e-4, bodies, contacts);
    EXPECT_TRUE(result.converged) << heavy;
    EXPECT_LE(result.iterations, 15) << heavy;
  }
}

}  // namespace
}  // namespace intervox::host
