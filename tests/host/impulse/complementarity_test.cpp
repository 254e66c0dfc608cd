// Lemke's method, and the legs of a chair.
#include "host/impulse/complementarity.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "host/impulse/collision.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

Eigen::MatrixXd Random(std::mt19937* random, Eigen::Index rows, Eigen::Index columns) {
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  Eigen::MatrixXd G(rows, columns);
  for (Eigen::Index k = 0; k < G.size(); ++k) G(k / columns, k % columns) = draw(*random);
  return G;
}

/** The solution of least size by trying every set of contacts that press; n small. */
Eigen::VectorXd ByAllSets(const Eigen::MatrixXd& B, const Eigen::VectorXd& d) {
  const Eigen::Index n = d.size();
  for (unsigned set = 0; set < (1U << n); ++set) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      if ((set >> k & 1U) == 0) continue;
      M.row(k) = B.row(k);
      q[k] = -d[k];
    }
    const Eigen::VectorXd f = M.partialPivLu().solve(q);
    if (f.minCoeff() >= -1e-12 && (B * f + d).minCoeff() >= -1e-12) return f;
  }
  return Eigen::VectorXd::Constant(n, std::nan(""));
}

TEST(Complementarity, PositiveDefiniteProblemsHaveTheirOneSolution) {
  std::mt19937 random(1);
  for (int k = 0; k < 400; ++k) {
    const Eigen::Index n = 1 + k % 7;
    const Eigen::MatrixXd G = Random(&random, n, n);
    const double size = std::pow(100.0, std::sin(k)), load = std::pow(100.0, std::cos(k));
    const Eigen::MatrixXd B = size * (G * G.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd d = load * Random(&random, n, 1);
    const ComplementaritySolution solution = SolveComplementarity(B, d);
    ASSERT_EQ(solution.status, ComplementarityStatus::kSolved);
    EXPECT_LE(ComplementarityError(solution, d), 1e-12) << k;
    EXPECT_LE((solution.f - ByAllSets(B, d)).norm(), 1e-10 * load / size) << k;
  }
}

TEST(Complementarity, ManyContactsOfOneBodyAreSolvedThoughSingular) {
  std::mt19937 random(2);
  for (int k = 0; k < 400; ++k) {
    LeggedBody body;
    body.mass = std::pow(100.0, std::sin(k));
    body.inertia = {body.mass * 0.3, body.mass * 0.4, body.mass * 0.5};
    const int legs = 3 + k % 10;
    for (int leg = 0; leg < legs; ++leg) {  // around the centre of mass, which thus they carry
      const double angle = 2 * 3.141592653589793 * leg / legs + 0.1 * k;
      const double radius = 1.0 + 0.5 * std::sin(7.0 * leg + k);
      body.legs.push_back({radius * std::cos(angle), radius * std::sin(angle), -0.5});
    }
    Eigen::MatrixXd B;
    Eigen::VectorXd d;
    LegProblem(body, &B, &d);
    const ComplementaritySolution solution = SolveComplementarity(B, d);
    ASSERT_EQ(solution.status, ComplementarityStatus::kSolved) << k;
    EXPECT_LE(ComplementarityError(solution, d), 1e-12) << k;
    EXPECT_NEAR(solution.f.sum(), body.mass * 9.81, 1e-10 * body.mass) << k;
    double x = 0.0, y = 0.0;
    for (int leg = 0; leg < legs; ++leg) {
      x += solution.f[leg] * body.legs[static_cast<std::size_t>(leg)].x;
      y += solution.f[leg] * body.legs[static_cast<std::size_t>(leg)].y;
    }
    EXPECT_NEAR(std::hypot(x, y), 0.0, 1e-10 * body.mass) << k;
  }
}

// The accelerations that forces on the legs give are the velocities that impulses there give.
TEST(Complementarity, LegsMoveAsImpulsesMoveTheBody) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  for (const double mass : {0.06, 6.0, 600.0}) {
    LeggedBody chair;
    chair.mass = mass;
    chair.inertia = {0.05 * mass, 0.06 * mass, 0.04 * mass};
    for (int leg = 0; leg < 5; ++leg) chair.legs.push_back({draw(random), draw(random), -0.4});
    Eigen::MatrixXd B;
    Eigen::VectorXd d;
    LegProblem(chair, &B, &d);
    for (std::size_t pushed = 0; pushed < 5; ++pushed) {
      CollidingBody body, floor;
      body.mass = mass;
      body.inertia = Mat3::Diagonal(chair.inertia);
      ApplyImpulse({0, 0, 1}, chair.legs[pushed], &body, &floor);
      for (std::size_t leg = 0; leg < 5; ++leg) {
        const Vec3 v = body.v + Cross(body.w, chair.legs[leg]);
        EXPECT_NEAR(B(static_cast<Eigen::Index>(leg), static_cast<Eigen::Index>(pushed)) * mass,
                    v.z * mass, 1e-12)
            << leg << " " << pushed;
      }
    }
  }
}

TEST(Complementarity, AProblemWithoutSolutionEndsOnARay) {
  // a₁ = −1 whatever f is.
  const Eigen::Matrix2d B = Eigen::Vector2d(0.0, 1.0).asDiagonal();
  const ComplementaritySolution solution = SolveComplementarity(B, Eigen::Vector2d(-1.0, -1.0));
  EXPECT_EQ(solution.status, ComplementarityStatus::kRay);
  const ComplementaritySolution free = SolveComplementarity(B, Eigen::Vector2d(1.0, 0.0));
  EXPECT_EQ(free.status, ComplementarityStatus::kSolved);
  EXPECT_EQ(free.f.norm(), 0.0);
  EXPECT_EQ(SolveComplementarity(Eigen::MatrixXd(0, 0), Eigen::VectorXd(0)).f.size(), 0);
}

TEST(Complementarity, AWrongSolutionHasAnError) {
  const Eigen::Vector2d d(-1.0, -1.0);
  ComplementaritySolution wrong;
  wrong.f = Eigen::Vector2d(1.0, 1.0);
  wrong.a = Eigen::Vector2d(0.5, 0.0);
  EXPECT_NEAR(ComplementarityError(wrong, d), 0.5, 1e-15);
  wrong.a = Eigen::Vector2d(0.0, -0.25);
  EXPECT_NEAR(ComplementarityError(wrong, d), 0.25, 1e-15);
}

TEST(Complementarity, BadInputIsRefused) {
  EXPECT_THROW(SolveComplementarity(Eigen::MatrixXd::Ones(2, 3), Eigen::VectorXd::Ones(2)),
               InputError);
  EXPECT_THROW(
      SolveComplementarity(Eigen::MatrixXd::Constant(1, 1, std::nan("")), Eigen::VectorXd::Ones(1)),
      InputError);
  Eigen::MatrixXd B;
  Eigen::VectorXd d;
  LeggedBody body;
  body.mass = 0.0;
  EXPECT_THROW(LegProblem(body, &B, &d), InputError);
  body.mass = 1.0;
  body.inertia.y = -1.0;
  EXPECT_THROW(LegProblem(body, &B, &d), InputError);
}

}  // namespace
}  // namespace intervox::host
