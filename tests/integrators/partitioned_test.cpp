#include "integrators/partitioned.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/allocations.h"

namespace intervox::integrators {
namespace {

using testing::allocations;

// A pendulum with quadratic drag and a driven pivot: x' = y, y' = −sin x − ½ y|y|… smooth variant
// −½ y³ + cos(2t)/4; audits a' = y². The stage equation is solved by Newton's method.
class Pendulum : public PartitionedSystem {
 public:
  void PositionRate(std::span<const double>, std::span<const double> y,
                    std::span<double> rate) override {
    rate[0] = y[0];
  }
  void Project(std::span<double>) const override {}
  void SolveStage(int, double t, double H, std::span<const double> x, std::span<double> y,
                  std::span<double> rate, std::span<double> power) override {
    const double y_star = y[0];
    for (int k = 0; k < 50; ++k) {
      const double f = -std::sin(x[0]) - 0.5 * y[0] * y[0] * y[0] + 0.25 * std::cos(2.0 * t);
      const double residual = y[0] - y_star - H * f;
      y[0] -= residual / (1.0 + 1.5 * H * y[0] * y[0]);
    }
    rate[0] = -std::sin(x[0]) - 0.5 * y[0] * y[0] * y[0] + 0.25 * std::cos(2.0 * t);
    power[0] = y[0] * y[0];
  }
};

struct Result {
  double x, y, a;
};

Result Integrate(const Tableau& tableau, PartitionedSystem& system, Result start, double duration,
                 int steps) {
  PartitionedStepper stepper(tableau);
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    stepper.Step(system, i * h, h, {&start.x, 1}, {&start.y, 1}, {&start.a, 1});
  }
  return start;
}

TEST(Partitioned, MeasuredOrdersAreTheTableaus) {
  Pendulum pendulum;
  const Result start{1.0, 0.7, 0.0};
  const Result exact = Integrate(*FindTableau("rk5"), pendulum, start, 2.0, 20000);
  for (const Tableau& t : AllTableaus()) {
    const int steps = t.order >= 4 ? 40 : 200;
    double error[2][3];
    for (int k = 0; k < 2; ++k) {
      const Result r = Integrate(t, pendulum, start, 2.0, steps << k);
      error[k][0] = std::fabs(r.x - exact.x);
      error[k][1] = std::fabs(r.y - exact.y);
      error[k][2] = std::fabs(r.a - exact.a);
    }
    // Norms over x, y and the audited integral; one component alone may cancel.
    const double coarse = std::hypot(error[0][0], error[0][1], error[0][2]);
    const double fine = std::hypot(error[1][0], error[1][1], error[1][2]);
    const double order = std::log2(coarse / fine);
    EXPECT_GT(order, t.order - 0.25) << t.name << " errors " << coarse << ", " << fine;
    EXPECT_LT(order, t.order + 1.0) << t.name << " errors " << coarse << ", " << fine;
  }
}

// x' = y, y' = −λ (y − cos t) with λ h = 1e4: the Prothero–Robinson kind of stiffness.
class Stiff : public PartitionedSystem {
 public:
  explicit Stiff(double lambda) : lambda_(lambda) {}
  void PositionRate(std::span<const double>, std::span<const double> y,
                    std::span<double> rate) override {
    rate[0] = y[0];
  }
  void Project(std::span<double>) const override {}
  void SolveStage(int, double t, double H, std::span<const double>, std::span<double> y,
                  std::span<double> rate, std::span<double> power) override {
    const double y_star = y[0];
    y[0] = (y_star + H * lambda_ * std::cos(t)) / (1.0 + H * lambda_);
    // Taken from the stage equation where there is one: exact, where λ (cos t − y) cancels.
    rate[0] = H > 0.0 ? (y[0] - y_star) / H : lambda_ * (std::cos(t) - y[0]);
    power[0] = 0.0;
  }

 private:
  double lambda_;
};

TEST(Partitioned, ImplicitSchemesFollowAStiffVelocityWhereExplicitOnesBlowUp) {
  for (const char* name : {"ark1", "ark2", "ark3"}) {
    Stiff stiff(1e6);
    const Result r = Integrate(*FindTableau(name), stiff, {0.0, 1.0, 0.0}, 2.0, 200);
    EXPECT_NEAR(r.y, std::cos(2.0), 2e-6) << name;
    EXPECT_NEAR(r.x, std::sin(2.0), std::string(name) == "ark1" ? 1e-2 : 2e-4) << name;
  }
  Stiff stiff(1e6);
  EXPECT_FALSE(std::fabs(Integrate(*FindTableau("rk3"), stiff, {0.0, 1.0, 0.0}, 2.0, 200).y) < 1e6);
}

// A stiff spring in the position, y' = −ω² x, whose force acts at the implicit position through
// StageOffset: must then equal the implicit tableau applied to both equations.
class Spring : public PartitionedSystem {
 public:
  explicit Spring(double omega) : k_(omega * omega) {}
  void PositionRate(std::span<const double>, std::span<const double> y,
                    std::span<double> rate) override {
    rate[0] = y[0];
  }
  void Project(std::span<double>) const override {}
  void StageOffset(std::span<const double> offset) override { offset_ = offset[0]; }
  void SolveStage(int, double, double H, std::span<const double> x, std::span<double> y,
                  std::span<double> rate, std::span<double> power) override {
    y[0] = (y[0] - H * k_ * (x[0] + offset_)) / (1.0 + H * H * k_);
    rate[0] = -k_ * (x[0] + offset_ + H * y[0]);
    power[0] = 0.0;
  }

 private:
  double k_, offset_ = 0.0;
};

TEST(Partitioned, StageOffsetMakesTheSchemeImplicitInThePositions) {
  const Tableau& t = *FindTableau("ark3");
  const double omega = 40.0, h = 0.1, k = omega * omega;
  double x = 1.0, y = 0.0, X[kMaxStages], Y[kMaxStages];
  for (int i = 0; i < t.stages; ++i) {  // the implicit tableau on x' = y, y' = −k x
    double xs = x, ys = y;
    for (int j = 0; j < i; ++j) {
      xs += h * t.a_implicit[i][j] * Y[j];
      ys -= h * t.a_implicit[i][j] * k * X[j];
    }
    const double H = h * t.a_implicit[i][i];
    Y[i] = (ys - H * k * xs) / (1.0 + H * H * k);
    X[i] = xs + H * Y[i];
  }
  Spring spring(omega);
  const Result r = Integrate(t, spring, {1.0, 0.0, 0.0}, h, 1);
  EXPECT_NEAR(r.x, X[t.stages - 1], 1e-12);
  EXPECT_NEAR(r.y, Y[t.stages - 1], 1e-11);
  const Result end = Integrate(t, spring, {1.0, 0.0, 0.0}, 20.0, 200);
  EXPECT_LT(std::hypot(end.x, end.y / omega), 1.0);
  Spring slow(3.0);
  const Result smooth = Integrate(t, slow, {1.0, 0.0, 0.0}, 1.0, 400);
  EXPECT_NEAR(smooth.x, std::cos(3.0), 1e-6);
}

// Orientation of a body that turns at a constant rate about a tilted axis.
class Turning : public PartitionedSystem {
 public:
  void PositionRate(std::span<const double> q, std::span<const double> w,
                    std::span<double> rate) override {
    rate[0] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    rate[1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    rate[2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    rate[3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
  }
  void Project(std::span<double> q) const override {
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (double& c : q) c /= norm;
  }
  void SolveStage(int, double, double, std::span<const double>, std::span<double>,
                  std::span<double> rate, std::span<double>) override {
    for (double& r : rate) r = 0.0;
  }
};

TEST(Partitioned, ProjectionKeepsQuaternionsUnitAndTheOrder) {
  for (const char* name : {"rk3", "ark3", "ark2"}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      Turning turning;
      PartitionedStepper stepper(*FindTableau(name));
      double q[4] = {1, 0, 0, 0}, w[3] = {1.0, 2.0, -2.0};
      const int steps = 40 << k;
      for (int i = 0; i < steps; ++i) stepper.Step(turning, 0, 1.0 / steps, q, w, {});
      EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-15);
      const double s = std::sin(1.5) / 3.0;
      error[k] = std::hypot(q[0] - std::cos(1.5), std::hypot(q[1] - s, q[2] - 2 * s, q[3] + 2 * s));
    }
    EXPECT_GT(std::log2(error[0] / error[1]), FindTableau(name)->order - 0.2) << name;
  }
}

TEST(Partitioned, AllocatesOnlyOnTheFirstStep) {
  Pendulum pendulum;
  PartitionedStepper stepper(*FindTableau("ark3"));
  double x = 1.0, y = 0.0, a = 0.0;
  stepper.Step(pendulum, 0.0, 1e-3, {&x, 1}, {&y, 1}, {&a, 1});
  const long before = allocations;
  for (int i = 1; i < 100; ++i) {
    stepper.Step(pendulum, i * 1e-3, 1e-3, {&x, 1}, {&y, 1}, {&a, 1});
  }
  EXPECT_EQ(allocations, before);
}

// x' = y₀ + y₁, y₀' = −y₀, y₁' = 1, the second one from the stage with a given number on: it comes
// into use then, or is there from the start with no rate.
class Late : public PartitionedSystem {
 public:
  Late(int from, bool in_use) : from_(from), in_use_(in_use) {}
  void PositionRate(std::span<const double>, std::span<const double> y,
                    std::span<double> rate) override {
    rate[0] = y[0] + y[1];
  }
  std::size_t VelocitiesInUse(std::size_t all) const override {
    return in_use_ || stage_ >= from_ ? all : 1;
  }
  void Project(std::span<double>) const override {}
  void SolveStage(int stage, double, double H, std::span<const double>, std::span<double> y,
                  std::span<double> rate, std::span<double>) override {
    stage_ = stage;
    y[0] /= 1.0 + H;
    rate[0] = -y[0];
    if (stage < from_ && !in_use_) return;
    rate[1] = stage < from_ ? 0.0 : 1.0;
    y[1] += H * rate[1];
  }

 private:
  int from_, stage_ = -1;
  bool in_use_;
};

TEST(Partitioned, WhatComesIntoUseHadNoRateBefore) {
  for (const Tableau& tableau : AllTableaus()) {
    for (int from = 0; from <= tableau.stages; ++from) {
      std::vector<double> expected, found;
      for (const bool in_use : {true, false}) {
        PartitionedStepper stepper(tableau);
        std::vector<double> x{0.3}, y{1.0, 0.0};
        Late before(0, true), late(from, in_use);  // the first leaves rates in memory
        stepper.Step(before, 0.0, 0.1, x, y, {});
        x[0] = 0.3;
        y[1] = 0.25;
        stepper.Step(late, 0.0, 0.1, x, y, {});
        (in_use ? expected : found) = {x[0], y[0], y[1]};
      }
      EXPECT_EQ(expected, found) << tableau.name << ", from stage " << from;
    }
  }
}

}  // namespace
}  // namespace intervox::integrators
