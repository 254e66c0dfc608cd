#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/contact/stage/stage_point.h"
#include "tests/host/contact_world.h"
#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

using testing::Pad;
using testing::World;

// Bowden and Leben's stick-slip, Gonthier 5.1.2: m 1 kg on a belt, spring 2 N/m, g 10 m/s².
// σ are per unit load: m g σ₀ = 1e5 N/m, m g σ₁ = √1e5 N·s/m, m g σ₂ = 0.1 N·s/m.
struct StickSlip {
  double first_peak = 0.0, later_peak = 0.0, low = 1e9, high = 0.0;
};

StickSlip RunStickSlip(double speed, double h, double duration, bool sticking = true) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e5}, {"restitution", 0.5}}, {}};
  s.friction = {"bristle",
                {{"mu_s", 0.15},
                 {"mu_c", 0.1},
                 {"sigma_0", 1e4},
                 {"sigma_1", std::sqrt(1e5) / 10.0},
                 {"sigma_2", 0.01},
                 {"v_stribeck", 1e-3},
                 {"dwell_time", 2.0},
                 {"dwell_start", sticking ? 1.0 : 0.0}},
                {}};
  const auto model = MakeContactModel(s, {}, {});
  const double c = std::numbers::sqrt2 / 2;
  World w("ark3");
  w.bodies.resize(2);
  w.bodies[0].v = {speed * c, speed * c, 0};  // the belt runs at 45° in the plane
  w.bodies[1].mass = 1.0;
  w.bodies[1].p = {0, 0, -1e-4};
  w.bodies[1].v = w.bodies[0].v;
  Pad pad;
  pad.model = model.get();
  pad.begun = true;
  model->Begin(1e-4, 0.0, true, &pad.latch, &pad.state);
  w.pads.push_back(pad);
  StickSlip result;
  double previous = 0.0;
  bool falling = false;
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int i = 0; i < steps; ++i) {
    // The spring is soft (1.4 rad/s): held over a step at the middle of its own motion.
    const Vec3 r = w.bodies[1].p + 0.5 * h * w.bodies[1].v;
    w.bodies[1].force = {-2.0 * r.x, -2.0 * r.y, -10.0};
    w.bodies[0].p = {};  // the belt has no end
    w.Step(h);
    const Vec3 f = w.pads[0].last.force;
    const double friction = f.x * c + f.y * c;
    if (friction < previous && !falling) {
      falling = true;
      if (result.first_peak == 0.0) result.first_peak = previous;
      if (i * h > 0.5 * duration) result.later_peak = std::max(result.later_peak, previous);
    } else if (friction > previous) {
      falling = false;
    }
    previous = friction;
    const double travel = (w.bodies[1].p.x + w.bodies[1].p.y) * c;
    if (i * h > 0.5 * duration) {
      result.low = std::min(result.low, travel);
      result.high = std::max(result.high, travel);
    }
    EXPECT_NEAR(f.x, f.y, 1e-6);  // no side force
  }
  return result;
}

TEST(StickSlip, FirstPeakIsStaticAndLaterPeaksFallWithTheBeltsSpeed) {
  const double expected[3][3] = {
      {1.495, 0.278, 0.754}, {1.436, 0.298, 0.736}, {1.3015, 0.341, 0.694}};
  double before = 2.0;
  for (int k = 0; k < 3; ++k) {
    const double speed = 0.05 * (k + 1);
    const StickSlip r = RunStickSlip(speed, 2e-3, 70.0);
    EXPECT_NEAR(r.first_peak, 1.5, 0.01) << speed;
    EXPECT_NEAR(r.later_peak, expected[k][0], 0.01) << speed;
    EXPECT_NEAR(r.low, expected[k][1], 0.006) << speed;
    EXPECT_NEAR(r.high, expected[k][2], 0.006) << speed;
    EXPECT_LT(r.later_peak, before);
    before = r.later_peak;
  }
  const double slow = RunStickSlip(0.05, 2e-3, 20.0, false).first_peak;
  EXPECT_LT(RunStickSlip(0.15, 2e-3, 20.0, false).first_peak, slow);
}

// 1 kg, g 10, pushed by 5 N with μ 1: it sticks; the ground pushes back with (−5, 0, 10).
TEST(Friction, APushedBoxSticks) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.3}}, {}};
  s.friction = {"bristle", {{"mu_s", 1.0}, {"sigma_0", 1e5}, {"sigma_1", 316}}, {}};
  s.rolling.model = "gonthier";
  s.spinning.model = "contensou";
  const auto model = MakeContactModel(s, {}, {});
  World w("ark3");
  w.bodies.resize(2);
  w.bodies[1].mass = 1.0;
  w.bodies[1].inertia = {1e-3, 1e-3, 1e-3};
  w.bodies[1].p = {0, 0, 0.05 + 1e-4};
  w.bodies[1].force = {5, 0, -10};
  for (int k = 0; k < 4; ++k) {
    Pad pad;
    pad.p_B = {k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, -0.05};
    pad.area = 0.01;
    pad.side = 0.02;
    pad.model = model.get();
    w.pads.push_back(pad);
  }
  w.Run(1.0, 250e-6);
  Vec3 force;
  for (const Pad& pad : w.pads) force += pad.last.force;
  EXPECT_NEAR(force.x, -5.0, 1e-3);
  EXPECT_NEAR(force.y, 0.0, 1e-3);
  EXPECT_NEAR(force.z, 10.0, 1e-3);
  const Vec3 at_rest = w.bodies[1].p;
  EXPECT_LT(Norm(w.bodies[1].v), 1e-6);
  w.Run(1.0, 250e-6);
  EXPECT_LT(Norm(w.bodies[1].p - at_rest), 1e-7);  // no creep
  EXPECT_EQ(w.unconverged, 0);
  w.bodies[1].force = {12, 0, -10};  // beyond the cone it slides, at (12 − 10)/1 m/s²
  const double v = w.bodies[1].v.x;
  w.Run(0.1, 250e-6);
  EXPECT_NEAR(w.bodies[1].v.x - v, 0.2, 0.01);
}

// A spinning disc slows down at the rate of its spinning torque, τ = factor · r_gyr μ f_n.
TEST(Friction, ASpinningDiscStopsWhenItShould) {
  for (const double factor : {1.0, 0.65}) {
    ContactModelSettings s;
    s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.3}}, {}};
    s.friction = {
        "bristle", {{"mu_s", 0.3}, {"sigma_0", 1e5}, {"sigma_1", 316}, {"v_stribeck", 1e-3}}, {}};
    s.spinning = {"contensou", {{"factor", factor}}, {}};
    const auto model = MakeContactModel(s, {}, {});
    World w("ark3");
    w.bodies.resize(2);
    w.bodies[1].mass = 1.0;
    w.bodies[1].inertia = {1e-3, 1e-3, 2e-3};
    w.bodies[1].p = {0, 0, -1e-5};
    w.bodies[1].w = {0, 0, 20};
    w.bodies[1].force = {0, 0, -10};
    Pad pad;
    pad.side = 0.06;  // r_gyr = side/√6
    pad.model = model.get();
    pad.begun = true;
    model->Begin(1e-5, 0.0, true, &pad.latch, &pad.state);
    w.pads.push_back(pad);
    const double deceleration = factor * 0.06 / std::sqrt(6.0) * 0.3 * 10.0 / 2e-3;
    w.Run(0.1, 250e-6);
    EXPECT_NEAR(w.bodies[1].w.z, 20.0 - 0.1 * deceleration, 0.02);
    w.Run(1.5, 250e-6);
    EXPECT_NEAR(w.bodies[1].w.z, 0.0, 1e-5);
  }
}

// A block rides, stuck, on a plate that is turned quickly: the bristle must turn with the plate,
// and the friction force stay in its plane, at one tenth of a turn in a step.
TEST(Friction, LargeRotationWithinAStepKeepsForcesInThePlane) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.3}}, {}};
  s.friction = {"bristle", {{"mu_s", 0.8}, {"sigma_0", 1e5}, {"sigma_1", 316}}, {}};
  s.spinning.model = "contensou";
  Material soft, hard;  // the plate of the contact goes with body j
  soft.foundation_stiffness = 1.0;
  const auto model = MakeContactModel(s, soft, hard);
  ASSERT_EQ(model->plate_share, 1.0);
  // Body 1 is bound to turn with the plate: both are driven about a common axis.
  for (const double h : {1e-3, 2.5e-4}) {
    World w("ark3");
    w.bodies.resize(2);
    const Vec3 spin = (2 * std::numbers::pi * 0.1 / 1e-3) * Normalized(Vec3{1, 2, 3});
    for (testing::TestBody& b : w.bodies) b.w = spin;
    Pad pad;
    pad.offset = 1e-5;
    pad.side = 0.01;
    pad.model = model.get();
    pad.begun = true;
    model->Begin(1e-5, 0.0, true, &pad.latch, &pad.state);
    pad.state.z = {2e-6, 0, 0};
    pad.state.s_dw = 1.0;
    w.pads.push_back(pad);
    const int steps = static_cast<int>(std::lround(0.01 / h));
    for (int i = 0; i < steps; ++i) w.Step(h);
    const Mat3 R = ToRotation(w.bodies[0].q);
    const Pad& end = w.pads[0];
    const Vec3 n = R * end.n_J;
    EXPECT_NEAR(Dot(end.state.z, n), 0.0, 1e-20) << h;
    EXPECT_NEAR(Norm(end.state.z), 2e-6, h > 5e-4 ? 1e-7 : 1e-8) << h;
    // In the plate's own axes it has not moved.
    EXPECT_LT(Norm(TransposeTimes(R, end.state.z) - Vec3{2e-6, 0, 0}), h > 5e-4 ? 4e-7 : 4e-8) << h;
    const Vec3 f = end.last.force, n_last = end.last.geometry.n;
    EXPECT_NEAR(Dot(f, n_last), end.last.f_n, 1e-9 * end.last.f_n) << h;
  }
}

// However often a stage evaluates at velocities that turn the plate many times within it, as trials
// far from the solution do, bristles stay within what friction bends them by.
TEST(Friction, BristlesOnAPlateThatTurnsFastStayBounded) {
  const auto model = testing::Model(1e6, 0.5, 0.7, 0.5);
  constexpr double kH = 1e-3, kLongest = 0.7 / 1e5;  // μ_s/σ₀ [m]
  for (const double turn : {0.01, 0.5, 1.0, 3.0, 20.0, 1e4}) {
    std::vector<StageBody> bodies(2);
    for (StageBody& body : bodies) {
      body.inverse_mass = 1.0;
      body.inverse_inertia_W = Mat3::Identity();
      body.w = {0, 0, turn / kH};
    }
    bodies[1].v = {1.0, 0, 0};  // it slides: s = 0
    StageContact contact = testing::OnGround(*model, 1e-5, 1e-12);
    contact.state.z = {0.0, kLongest / 2, 0.0};
    internal::StagePoint point;
    point.Prepare(kH, bodies, &contact);
    for (int k = 0; k < 1000; ++k) point.Evaluate(false);
    point.Finish();
    EXPECT_LT(Norm(contact.state.z), kLongest) << turn;
    EXPECT_LT(Norm(contact.rate.z) * kH, 2.0 * kLongest) << turn;
  }
}

// Sliding and spinning each, whatever the bristles' state, the speeds and the step: what a term
// takes out is never less than what its bristle stores.
TEST(Friction, EachTermDissipatesInAnyState) {
  std::mt19937_64 engine(7);
  const auto log_uniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine));
  };
  const auto sign = [&] { return engine() % 2 == 0 ? 1.0 : -1.0; };
  for (const char* name : {"bristle", "bristle_absolute"}) {
    ContactModelSettings s;
    s.normal = {"gonthier", {{"stiffness", 1e9}, {"restitution", 0.5}}, {}};
    const double scale = std::string(name) == "bristle" ? 1.0 : 10.0;  // at a load of 10 N
    s.friction = {name,
                  {{"mu_s", 0.7},
                   {"mu_c", 0.5},
                   {"sigma_0", 5000 * scale},
                   {"sigma_1", 45.15 * scale},
                   {"v_stribeck", 0.01},
                   {"dwell_time", 0.1}},
                  {}};
    const auto model = MakeContactModel(s, {}, {});
    const double v_epsilon = model->friction->VelocityScale();
    for (int i = 0; i < 200000; ++i) {
      Slip x;
      x.H = engine() % 3 == 0 ? 0.0 : log_uniform(1e-7, 1e-2);
      const double angle = std::uniform_real_distribution<double>(0, 6.3)(engine);
      const double v = log_uniform(1e-9, 10), w = log_uniform(1e-9, 10) * sign();
      x.v = {Dual(v * std::cos(angle)), Dual(v * std::sin(angle))};
      x.w = Dual(w);
      x.f_n = Dual(10.0);
      x.v_avg_squared = v * v + w * w;
      x.s = model->friction->Weight(x.v_avg_squared);
      x.s_dw = std::uniform_real_distribution<double>(0, 1)(engine);
      for (double* z : {&x.z[0], &x.z[1], &x.z_w}) *z = log_uniform(1e-10, 1e-3) * sign();
      model->spinning->Factors(v_epsilon, &x);
      const Traction t = model->friction->Evaluate(x);
      const double slide = t.f.x.v * x.v.x.v + t.f.y.v * x.v.y.v;
      const double spin = t.f_w.v * w;
      const double rounding = 1e-12;
      ASSERT_GE(slide - t.stored, -rounding * (std::fabs(slide) + std::fabs(t.stored))) << name;
      ASSERT_GE(spin - t.stored_w, -rounding * (std::fabs(spin) + std::fabs(t.stored_w)))
          << name << " H " << x.H << " v " << v << " w " << w << " z_w " << x.z_w << " s " << x.s;
    }
  }
}

// A stage's dwell is an extrapolation, which may leave [0, 1]: the bound stays between the two
// coefficients all the same. Beyond them friction of mu_s = mu_c/80 pushed bodies along their way.
TEST(Friction, TheBoundIsBetweenTheTwoCoefficientsWhateverTheDwell) {
  const std::pair<double, double> coefficients[] = {{0.005, 0.4}, {0.4, 0.3}, {0.3, 0.3}};
  for (const auto& [mu_s, mu_c] : coefficients) {
    for (const double dwell_time : {0.0, 1e-3, 1.0}) {
      ContactModelSettings s;
      s.normal = {"gonthier", {{"stiffness", 1e9}, {"restitution", 0.5}}, {}};
      s.friction = {"bristle",
                    {{"mu_s", mu_s},
                     {"mu_c", mu_c},
                     {"sigma_0", 500.0},
                     {"sigma_1", 15.0},
                     {"dwell_time", dwell_time}},
                    {}};
      const auto model = MakeContactModel(s, {}, {});
      for (const double dwell : {-0.4, 0.0, 0.5, 1.0, 1.34, 3.0}) {
        for (const double H : {1e-7, 1e-4, 1e-2, 1.0}) {
          for (const double weight : {0.0, 0.3, 1.0}) {
            PointSlip x;
            x.H = H;
            x.v[0] = 100.0;  // far beyond what bristles hold
            x.f_n = 10.0;
            x.s = weight;
            x.s_dw = dwell;
            const PointTraction t = model->friction->EvaluatePoint(x);
            const double mu = t.f[0] / x.f_n, after = dwell + H * t.s_dw_rate;
            EXPECT_GE(mu, std::min(mu_s, mu_c) - 1e-12) << dwell << " " << H << " " << weight;
            EXPECT_LE(mu, std::max(mu_s, mu_c) + 1e-12) << dwell << " " << H << " " << weight;
            EXPECT_GE(after, -1e-9);
            EXPECT_LE(after, 1.0 + 1e-9);
          }
        }
      }
    }
  }
}

// Not load-proportional bristles (Gonthier 5.1.4): stiffness and damping are absolute.
TEST(Friction, AbsoluteBristlesDoNotStiffenWithTheLoad) {
  for (const double load : {10.0, 40.0}) {
    ContactModelSettings s;
    s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.85}}, {}};
    s.friction = {
        "bristle_absolute",
        {{"mu_s", 0.16}, {"mu_c", 0.1}, {"sigma_0", 1e5}, {"sigma_1", 1e4}, {"dwell_time", 0.01}},
        {}};
    const auto model = MakeContactModel(s, {}, {});
    World w("ark3");
    w.bodies.resize(2);
    w.bodies[1].mass = 1.0;
    w.bodies[1].p = {0, 0, -load / 1e6};
    w.bodies[1].force = {0.5, 0, -load};
    Pad pad;
    pad.model = model.get();
    pad.begun = true;
    model->Begin(load / 1e6, 0.0, true, &pad.latch, &pad.state);
    w.pads.push_back(pad);
    w.Run(2.0, 1e-3);
    EXPECT_NEAR(w.pads[0].state.z.x, 0.5 / 1e5, 1e-8) << load;
    w.bodies[1].force = {0.3 * load, 0, -load};
    w.Run(1.0, 1e-3);
    EXPECT_NEAR(w.pads[0].last.force.x, -0.1 * load, 1e-3 * load);  // slides at μ_C of the load
  }
}

}  // namespace
}  // namespace intervox::host
