// A physical pendulum and a double one: periods, orders of convergence, energy.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "tests/host/joint_scenes.h"

namespace intervox {
namespace {

using scenes::AngleOf;
using scenes::Chain;
using scenes::Link;
using scenes::Mechanical;

constexpr double kGravity = 9.81;
constexpr double kDegree = std::numbers::pi / 180.0;

/** The period of a slender rod of length L about its end: 4 K(sin(θ/2)) √(2 L/(3 g)). */
double Period(double length, double amplitude) {
  double a = 1.0, b = std::cos(0.5 * amplitude);
  while (a - b > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2.0 * std::numbers::pi / a * std::sqrt(2.0 * length / (3.0 * kGravity));
}

Simulation Start(Scene scene, const std::string& method, double step, double duration) {
  scene.integrator.method = method;
  scene.integrator.step = step;
  scene.duration = duration;
  return Simulation(scene);
}

/** The period, from the first and the last of several passages through the lowest place. */
double ObservedPeriod(double amplitude, double step) {
  Simulation simulation =
      Start(Chain({{2.0, 0.7, amplitude}}), "ark3", step, 2.6 * Period(0.7, amplitude));
  std::vector<double> passages;
  double before = AngleOf(simulation.State()[0]);
  while (!simulation.Done()) {
    const double t = simulation.Time();
    simulation.Step();
    const double now = AngleOf(simulation.State()[0]);
    if (before > 0.0 && now <= 0.0 && std::fabs(before - now) < 1.0) {
      passages.push_back(t + (simulation.Time() - t) * before / (before - now));
    }
    before = now;
    EXPECT_LE(simulation.Joints()[0].error, 1e-12);
  }
  return (passages.back() - passages.front()) / static_cast<double>(passages.size() - 1);
}

TEST(JointPendulum, PeriodIsTheEllipticIntegralsAtAnyAmplitude) {
  for (const double degrees : {1.0, 10.0, 45.0, 90.0, 135.0, 170.0}) {
    const double period = Period(0.7, degrees * kDegree);
    EXPECT_NEAR(ObservedPeriod(degrees * kDegree, 1e-3), period, 3e-6 * period) << degrees;
  }
}

/** θ of the rod at the end, from θ̈ = −(3 g/(2 L)) sin θ by the classical Runge–Kutta method. */
double ReferenceAngle(double length, double angle, double end) {
  const double w2 = 1.5 * kGravity / length;
  const int n = 20000;
  const double h = end / n;
  double q = angle, u = 0.0;
  for (int k = 0; k < n; ++k) {
    const double u1 = -w2 * std::sin(q), q1 = u;
    const double u2 = -w2 * std::sin(q + 0.5 * h * q1), q2 = u + 0.5 * h * u1;
    const double u3 = -w2 * std::sin(q + 0.5 * h * q2), q3 = u + 0.5 * h * u2;
    const double u4 = -w2 * std::sin(q + h * q3), q4 = u + h * u3;
    q += h / 6 * (q1 + 2 * q2 + 2 * q3 + q4);
    u += h / 6 * (u1 + 2 * u2 + 2 * u3 + u4);
  }
  return q;
}

struct SchemeOrder {
  const char* method;
  double order;
};

class JointPendulumOrder : public ::testing::TestWithParam<SchemeOrder> {};

TEST_P(JointPendulumOrder, IsTheSchemes) {
  const SchemeOrder scheme = GetParam();
  const double expected = ReferenceAngle(0.7, 1.2, 1.0);
  const auto error = [&](double step) {
    Simulation simulation = Start(Chain({{2.0, 0.7, 1.2}}), scheme.method, step, 1.0);
    while (!simulation.Done()) simulation.Step();
    return std::fabs(AngleOf(simulation.State()[0]) - expected);
  };
  const double coarse = error(0.01), fine = error(0.005);
  EXPECT_GT(std::log2(coarse / fine), scheme.order - 0.3);
}

INSTANTIATE_TEST_SUITE_P(Schemes, JointPendulumOrder,
                         ::testing::Values(SchemeOrder{"be1", 1}, SchemeOrder{"ark1", 1},
                                           SchemeOrder{"ark2", 2}, SchemeOrder{"ark3", 3},
                                           SchemeOrder{"rk1", 1}, SchemeOrder{"rk2", 2},
                                           SchemeOrder{"rk3", 3}, SchemeOrder{"rk4", 4},
                                           SchemeOrder{"rk5", 5}));

TEST(JointPendulum, ReactionIsThatOfTheMotion) {
  // At angle θ from rest at θ₀: along the rod m (g cos θ + ω² L/2), across it m g sin θ / 4.
  const double m = 2.0, L = 0.7, start = 2.0;
  Simulation simulation = Start(Chain({{m, L, start}}), "ark3", 1e-3, 0.4);
  while (!simulation.Done()) {
    const BodyState& rod = simulation.State()[0];
    const double angle = AngleOf(rod), w2 = SquaredNorm(rod.w_WB);
    const Vec3 along = scenes::Along(angle), across{along.z, 0, -along.x};
    const Vec3& force = simulation.Joints()[0].force;
    EXPECT_NEAR(Dot(force, along), -m * (kGravity * std::cos(angle) + 0.5 * L * w2), 1e-9);
    EXPECT_NEAR(std::fabs(Dot(force, across)), 0.25 * m * kGravity * std::sin(angle), 1e-9);
    EXPECT_LT(Norm(simulation.Joints()[0].torque), 1e-9);
    simulation.Step();
  }
}

// A joined body turns by a quarter of a radian in a substep at most, though no guard looks at the
// error of a scheme of order 1.
TEST(JointPendulum, ASpinTakesASubstepForAQuarterOfARadian) {
  const double rate = 100.0, end = 0.2, quarters = rate * end / 0.25;
  for (const double step : {1e-3, 1e-2, 1e-1}) {
    Scene scene = Chain({{2.0, 0.7, 0.0, rate}});
    scene.gravity = {};
    Simulation simulation = Start(scene, "be1", step, end);
    while (!simulation.Done()) simulation.Step();
    const auto substeps = static_cast<double>(simulation.Counters().substeps);
    EXPECT_GE(substeps, 0.95 * quarters) << step;  // the scheme slows the spin by 4 %
    EXPECT_LE(substeps, std::max(end / step, 1.1 * quarters)) << step;
  }
}

// A rod that spins about its hinge takes one explicit Euler step, x = ω h. Its own force m ω² r
// changes neither the angular momentum about the hinge nor, therefore, the energy of the rod on its
// hinge. Before the way back the momentum is m ω r √(1 + x²) and the spin ω (I − m r² x²), I = m
// r²/3. The step's energy is right in the end, so nothing is lost or left over. What the way back
// took shows where something else may have made it: a holder, though of no force here.
TEST(JointPendulum, WhatProjectionTakesIsApartFromTheSchemesError) {
  const double m = 2.0, L = 0.7, r = 0.5 * L, x = 0.2;
  for (int k = 0; k < 6; ++k) {
    const bool held = k % 2 == 1;
    const double rate = 0.02 * std::pow(100.0, k / 2);
    Scene scene = Chain({{m, L, 0.3, rate}});
    scene.gravity = {};
    if (held) {
      Holder holder;
      holder.target.keys = {{0.0, {}, {}, {}, {}}};
      scene.bodies[0].holder = holder;
    }
    Simulation simulation = Start(scene, "rk1", x / rate, x / rate);
    const double first = Mechanical(simulation);
    simulation.Step();
    const double off = 0.5 * m * std::pow(rate * r * x, 2) * (3 * x * x - 1);
    const EnergyAudit& energy = simulation.Energy();
    EXPECT_NEAR(Mechanical(simulation) / first, 1.0, 1e-12) << rate;
    EXPECT_NEAR(energy.joint_projection / off, held ? 1.0 : 0.0, 1e-9) << rate;
    EXPECT_NEAR(energy.balance / off, held ? 1.0 : 0.0, 1e-9) << rate;
  }
}

/** Angles of a double pendulum of slender rods, by minimal coordinates and Runge and Kutta. */
struct DoublePendulum {
  Link a, b;

  struct State {
    double q1, q2, u1, u2;
  };
  State Rate(const State& s) const {
    const double I1 = a.mass * a.length * a.length / 12, I2 = b.mass * b.length * b.length / 12;
    const double a1 = 0.5 * a.length, a2 = 0.5 * b.length;
    const double m11 = I1 + a.mass * a1 * a1 + b.mass * a.length * a.length;
    const double m22 = I2 + b.mass * a2 * a2;
    const double c = b.mass * a.length * a2;
    const double m12 = c * std::cos(s.q1 - s.q2), sine = c * std::sin(s.q1 - s.q2);
    const double f1 =
        -sine * s.u2 * s.u2 - (a.mass * a1 + b.mass * a.length) * kGravity * std::sin(s.q1);
    const double f2 = sine * s.u1 * s.u1 - b.mass * a2 * kGravity * std::sin(s.q2);
    const double det = m11 * m22 - m12 * m12;
    return {s.u1, s.u2, (f1 * m22 - f2 * m12) / det, (f2 * m11 - f1 * m12) / det};
  }
  State At(double end) const {
    const int n = 200000;
    const double h = end / n;
    State s{a.angle, b.angle, a.rate, b.rate};
    const auto add = [](const State& x, double f, const State& d) {
      return State{x.q1 + f * d.q1, x.q2 + f * d.q2, x.u1 + f * d.u1, x.u2 + f * d.u2};
    };
    for (int k = 0; k < n; ++k) {
      const State k1 = Rate(s), k2 = Rate(add(s, 0.5 * h, k1)), k3 = Rate(add(s, 0.5 * h, k2)),
                  k4 = Rate(add(s, h, k3));
      s = add(add(add(add(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    }
    return s;
  }
};

TEST(JointDoublePendulum, FollowsMinimalCoordinates) {
  // Masses and lengths a hundred times larger and smaller as well.
  for (const double size : {0.01, 1.0, 100.0}) {
    for (const double ratio : {0.01, 1.0, 100.0}) {
      const Link a{2.0, 0.5 * size, 1.0, 0.0}, b{2.0 * ratio, 0.4 * size, -0.5, 0.0};
      const double end = 2.0 * std::sqrt(size);
      Simulation simulation = Start(Chain({a, b}), "ark3", end / 4000, end);
      const double first = Mechanical(simulation);
      while (!simulation.Done()) simulation.Step();
      const DoublePendulum::State expected = DoublePendulum{a, b}.At(end);
      const double scale = 2.0 * kGravity * a.length * (1 + ratio);
      EXPECT_NEAR(AngleOf(simulation.State()[0]), std::remainder(expected.q1, 2 * std::numbers::pi),
                  2e-5)
          << size << " " << ratio;
      EXPECT_NEAR(AngleOf(simulation.State()[1]), std::remainder(expected.q2, 2 * std::numbers::pi),
                  2e-5)
          << size << " " << ratio;
      EXPECT_NEAR(Mechanical(simulation), first, 1e-6 * scale);
      EXPECT_LE(simulation.LargestJointError(), 1e-10);
    }
  }
}

/** Bobs at the ends of arms of 0.7 and 0.5 of a size without mass, each with a share of m L² for
 inertia. */
Scene Bobs(std::size_t count, double mass, double size, double share) {
  Scene scene = scenes::MakeScene(scenes::Frictionless(1e6, 0.5), 1e-3);
  Vec3 near;
  std::string before = "world";
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = k == 0 ? 90 * kDegree : 30 * kDegree, length = (k == 0 ? 0.7 : 0.5) * size;
    const std::string name = "bob" + std::to_string(k);
    const Vec3 along = scenes::Along(angle), y{0, 1, 0};
    BodySettings body = scenes::Free(name, "", mass, near + length * along);
    body.X_WB.R = Transpose(Mat3{along, y, Cross(along, y)});
    const double inertia = share * mass * length * length;
    body.inertia = Mat3::Diagonal({inertia, inertia, inertia});
    scene.bodies.push_back(body);
    scene.joints.push_back(scenes::JointAt(JointType::kRevolute, name, before, near));
    near += length * along;
    before = name;
  }
  return scene;
}

// A bob's own inertia may be next to nothing against its mass times its arm squared.
TEST(JointPendulum, ABobOnAnArmWithoutMassSwingsAsAPoint) {
  for (const double share : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9}) {
    for (const double size : {0.01, 1.0, 100.0}) {
      for (const double mass : {0.01, 100.0}) {
        const std::string what = std::to_string(std::log10(share)) + " " + std::to_string(size);
        const double L = 0.7 * size, quarter = 0.25 * Period(1.5 * L * (1 + share), 90 * kDegree);
        Simulation simulation = Start(Bobs(1, mass, size, share), "ark3", quarter / 500, quarter);
        const double first = Mechanical(simulation);
        while (!simulation.Done()) simulation.Step();
        EXPECT_NEAR(AngleOf(simulation.State()[0]), 0.0, 1e-6) << what;
        EXPECT_NEAR(Mechanical(simulation), first, 1e-7 * mass * kGravity * L) << what;
        EXPECT_EQ(simulation.Counters().redone_substeps, 0) << what;
      }
    }
  }
}

// Where the stages spin a bob of next to no inertia and putting it back onto its joint stops it,
// nothing has been lost and nothing is left over.
TEST(JointPendulum, SpinThatTheJointTakesBackIsNoLoss) {
  for (const char* method : {"be1", "ark1", "ark2", "ark3"}) {
    for (const double share : {1e-6, 1e-9, 1e-12}) {
      Simulation simulation = Start(Bobs(1, 1.0, 1.0, share), method, 1e-3, 0.5);
      const double first = Mechanical(simulation);
      while (!simulation.Done()) simulation.Step();
      const EnergyAudit& energy = simulation.Energy();
      const double lost = first - Mechanical(simulation);
      const std::string name = std::string(method) + " " + std::to_string(std::log10(share));
      EXPECT_LT(std::fabs(lost), 0.05) << name;
      EXPECT_LT(std::fabs(energy.balance), 0.5 * std::fabs(lost) + 1e-4) << name;
      EXPECT_LT(std::fabs(energy.dissipated_numerical - lost), 0.5 * std::fabs(lost) + 1e-4)
          << name;
      EXPECT_DOUBLE_EQ(energy.joint_projection, energy.dissipated_numerical) << name;
    }
  }
}

// An explicit scheme's stages divide the momentum's error by the inertia, and soon have no state.
TEST(JointPendulum, AStateThatIsNoLongerFiniteIsToldAsSuch) {
  Simulation simulation = Start(Bobs(1, 1.0, 1.0, 1e-9), "rk4", 1e-2, 1.0);
  try {
    while (!simulation.Done()) simulation.Step();
    FAIL() << "it went on";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no longer finite"), std::string::npos)
        << error.what();
  }
}

TEST(JointDoublePendulum, BobsOnArmsWithoutMassKeepTheirEnergy) {
  for (const double share : {1e-3, 1e-5, 1e-7}) {
    for (const double size : {0.01, 1.0, 100.0}) {
      const double end = 2.0 * std::sqrt(size);
      Simulation simulation = Start(Bobs(2, 2.0, size, share), "ark3", end / 4000, end);
      const double first = Mechanical(simulation);
      while (!simulation.Done()) simulation.Step();
      EXPECT_NEAR(Mechanical(simulation), first, 1e-5 * 2.0 * kGravity * size)
          << std::log10(share) << " " << size;
      EXPECT_LE(simulation.LargestJointError(), 1e-10);
    }
  }
}

}  // namespace
}  // namespace intervox
