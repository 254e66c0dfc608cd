// The compliant holder: its static deflection, and a damper that no step makes unstable.
#include "host/bodies/holder.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Free;
using scenes::Frictionless;
using scenes::MakeScene;

Scene Held(double damping, double step) {
  Scene scene = MakeScene(Frictionless(1e6, 0.5), step);
  BodySettings body = Free("part", "", 0.02, {0.001, 0.002, 0});
  body.inertia = Mat3::Diagonal({1e-6, 2e-6, 2.5e-6});
  body.center_of_mass = Vec3{0, 0, -0.01};
  Holder holder;
  holder.stiffness = {1e3, 2e3, 4e3};
  holder.damping = {damping, damping, damping};
  holder.rotational_stiffness = {1, 1, 1};
  holder.rotational_damping = {1e-4 * damping, 1e-4 * damping, 1e-4 * damping};
  holder.target.keys = {{0, {}, {}, {}, {}}, {10, {}, {}, {}, {}}};
  body.holder = holder;
  scene.bodies.push_back(body);
  return scene;
}

TEST(HolderTest, HangsByItsWeight) {
  Simulation simulation(Held(10, 250e-6));
  while (simulation.Time() < 1) simulation.Step();
  const BodyState& part = simulation.State()[0];
  EXPECT_NEAR(part.X_WB.p.z, -0.02 * 9.81 / 4e3, 1e-9);
  EXPECT_NEAR(part.X_WB.p.x, 0, 1e-9);
  EXPECT_LT(Norm(part.v_WM), 1e-7);
  // All that the springs held is gone: what is left is the weight's share.
  EXPECT_LT(std::fabs(simulation.Energy().balance), 1e-5);
}

TEST(HolderTest, AnyDampingIsStable) {
  // hγ c/m = 5e5: an explicit damper would leave the finite numbers within a few steps.
  Simulation simulation(Held(1e8, 250e-6));
  const double start = 0.5 * (1e3 * 1e-6 + 2e3 * 4e-6);
  while (simulation.Time() < 0.2) {
    simulation.Step();
    EXPECT_LT(simulation.Energy().kinetic, start);
  }
  EXPECT_NEAR(simulation.State()[0].X_WB.p.y, 0.002, 1e-6);  // it creeps at k/c = 2e-5 per second
}

TEST(HolderTest, SolvedWrenchIsTheDampersAtTheNewVelocities) {
  Holder holder;
  holder.stiffness = {10, 20, 30};
  holder.damping = {1, 2, 3};
  holder.rotational_stiffness = {0.1, 0.2, 0.3};
  holder.rotational_damping = {0.01, 0.05, 0.02};
  holder.target.keys = {{0, {0.1, 0, 0}, {0.3, 0, 0}, {0.9, 0.1, 0.2, 0}, {0, 0.5, 0}}};
  const Pose X_WB{ToRotation(Normalized(Quaternion{1, 0.2, 0, 0.1})), {0.15, 0.02, 0}};
  host::HolderStage stage = host::MakeHolderStage(holder, host::Evaluate(holder.target, 0.01), X_WB,
                                                  ToQuaternion(X_WB.R));
  host::StageBody body;
  body.inverse_mass = 0.5;
  body.inverse_inertia_W = {{9, 1, 0}, {1, 7, 2}, {0, 2, 5}};
  body.p_WM = {0.1, 0.05, -0.03};
  body.v = {0.2, -0.1, 0.4};
  body.w = {1, 2, -3};
  const double h = 0.05;
  host::SolveHolder(h, body, &stage);
  const Vec3 force = stage.force, torque = stage.torque;
  body.v += (h * body.inverse_mass) * force;
  body.w += h * (body.inverse_inertia_W * (torque + Cross(stage.p_WB - body.p_WM, force)));
  host::EvaluateHolder(body, &stage);
  EXPECT_LT(Norm(stage.force - force), 1e-13 * Norm(force));
  EXPECT_LT(Norm(stage.torque - torque), 1e-12 * Norm(torque));
}

/** The six equations (1 + hγ D A) (f, τ) = the wrench at v* in long double, A being the inverse
 mass seen at B. */
Eigen::Matrix<long double, 6, 1> SixEquations(double h, const host::StageBody& body,
                                              host::HolderStage stage) {
  using Matrix = Eigen::Matrix<long double, 6, 6>;
  const auto put = [](const Mat3& block, int row, int column, Matrix* out) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) (*out)(row + i, column + j) = block(i, j);
    }
  };
  Matrix D = Matrix::Zero(), inverse_mass = Matrix::Zero(), at_B = Matrix::Identity();
  put(stage.D, 0, 0, &D);
  put(stage.D_r, 3, 3, &D);
  put(Mat3::Diagonal({body.inverse_mass, body.inverse_mass, body.inverse_mass}), 0, 0,
      &inverse_mass);
  put(body.inverse_inertia_W, 3, 3, &inverse_mass);
  put((-1.0) * CrossMatrix(stage.p_WB - body.p_WM), 0, 3, &at_B);  // v_B = v − r × ω
  host::EvaluateHolder(body, &stage);
  Eigen::Matrix<long double, 6, 1> wrench;
  wrench << stage.force.x, stage.force.y, stage.force.z, stage.torque.x, stage.torque.y,
      stage.torque.z;
  const Matrix A = at_B * inverse_mass * at_B.transpose();
  const Matrix system = Matrix::Identity() + static_cast<long double>(h) * D * A;
  return system.fullPivLu().solve(wrench);
}

TEST(HolderTest, AgreesWithSixEquationsFromSoftToStiff) {
  std::mt19937_64 random(7);
  const auto power = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution<double>(low, high)(random));
  };
  const auto vector = [&](double size) {
    std::normal_distribution<double> normal;
    return size * Vec3{normal(random), normal(random), normal(random)};
  };
  const auto powers = [&](double low, double high) {
    return Vec3{power(low, high), power(low, high), random() % 3 == 0 ? 0.0 : power(low, high)};
  };
  for (int k = 0; k < 2000; ++k) {
    const double size = power(-3, 1), mass = power(-4, 4), h = power(-6, -2);
    Holder holder;
    holder.stiffness = powers(0, 12);
    holder.damping = powers(-2, 8);
    holder.rotational_stiffness = size * size * powers(0, 12);
    holder.rotational_damping = size * size * powers(-2, 8);
    holder.target.keys = {
        {0, vector(size), vector(1), Normalized(Quaternion{1, 0.4, -0.7, 0.2}), vector(1)}};
    const Pose X_WB{ToRotation(Normalized(Quaternion{1, 0.2, 0, 0.1})), vector(size)};
    host::HolderStage stage = host::MakeHolderStage(holder, host::Evaluate(holder.target, 0.0),
                                                    X_WB, ToQuaternion(X_WB.R));
    host::StageBody body;
    body.inverse_mass = 1.0 / mass;
    const Vec3 inertia = mass * size * size * Vec3{power(-2, 0), power(-2, 0), power(-2, 0)};
    const Mat3 R = ToRotation(Normalized(Quaternion{0.3, -0.8, 0.1, 0.5}));
    body.inverse_inertia_W =
        R * Mat3::Diagonal({1 / inertia.x, 1 / inertia.y, 1 / inertia.z}) * Transpose(R);
    body.p_WM = X_WB.p + vector(size);
    body.v = vector(1);
    body.w = vector(1 / size);
    host::MoveHolder(h, body, &stage);
    const auto expected = SixEquations(h, body, stage);
    host::SolveHolder(h, body, &stage);
    double off = 0.0, scale = 0.0;
    for (int i = 0; i < 3; ++i) {
      // Torques over the size are forces.
      off = std::fmax(off, std::fabs(static_cast<double>(expected(i)) - stage.force[i]));
      off =
          std::fmax(off, std::fabs(static_cast<double>(expected(3 + i)) - stage.torque[i]) / size);
      scale = std::fmax(scale, std::fabs(static_cast<double>(expected(i))));
      scale = std::fmax(scale, std::fabs(static_cast<double>(expected(3 + i))) / size);
    }
    EXPECT_LT(off, 2e-6 * scale) << k;  // where axes are 1e12 apart; 6e-5 by pivots in double
  }
}

}  // namespace
}  // namespace intervox
