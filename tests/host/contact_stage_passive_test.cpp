// No stage creates energy, not even one without a solution; many patches are as easy as one.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

using testing::Draw;
using testing::Kinetic;
using testing::Model;
using testing::OnGround;
using testing::Problem;
using testing::Random;

// KE(y) − KE(y*) ≤ H (elastic power − what the bristles store), but for rounding: holds with or
// without convergence, at any load, because every other term dissipates.
double MostKinetic(const Problem& p, double before, double H) {
  double elastic = 0.0, bristle = 0.0, size = before;
  for (const StageContact& c : p.contacts) {
    elastic += H * c.power.elastic;
    bristle += H * c.power.bristle;
    size += std::fabs(H * c.power.elastic);
  }
  return before + elastic - bristle + 1e-6 * size;
}

TEST(SolveStage, NeverCreatesEnergyByFrictionOrDamping) {
  Random random(3);
  int unconverged = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto model = Model(1.0, random.Log(0.01, 1.0), 0.5, random.Log(0.05, 1.0));
    Problem p = Draw(random, *model, 1 + trial % 3, 1 + trial % 12, random.Log(1.0, 1e5));
    const double H = random.Log(1e-6, 5e-4);
    const double before = Kinetic(p);
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    unconverged += result.converged ? 0 : 1;
    for (const StageContact& c : p.contacts) {
      const ContactPower& power = c.power;
      const double total = std::fabs(power.friction) + std::fabs(power.spinning) + 1e-12;
      EXPECT_GE(power.normal, -1e-12 * std::fabs(power.elastic)) << trial;
      EXPECT_GE(power.rolling, 0.0) << trial;
      EXPECT_GE(power.friction + power.spinning - power.bristle, -1e-9 * total) << trial;
      EXPECT_GE(c.f_n, 0.0);
    }
    EXPECT_LE(Kinetic(p), MostKinetic(p, before, H)) << trial;
  }
  EXPECT_LT(unconverged, 60);
}

// Jammed at random by up to 24 contacts with friction above 1: some of these have no solution with
// the load that friction sees equal to the normal force. Even then nothing gains energy.
TEST(SolveStage, JammedContactsWithoutASolutionStillDissipate) {
  Random random(5);
  int unconverged = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const auto model = Model(1.0, random.Log(0.01, 0.5), 1.5, 1.2, random.Log(1e-3, 0.1));
    Problem p = Draw(random, *model, 1 + trial % 3, 2 + trial % 23, random.Log(1e3, 1e6));
    const double H = random.Log(1e-5, 5e-4);
    const double before = Kinetic(p);
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    unconverged += result.converged ? 0 : 1;
    EXPECT_LE(Kinetic(p), MostKinetic(p, before, H)) << trial << result.residual;
  }
  EXPECT_GT(unconverged, 10);  // the trials are as hard as they are meant to be
  EXPECT_LT(unconverged, 400);
}

// A box on one plate, or on twenty tiles of it, landing and sliding without turning.
TEST(SolveStage, TwentyTilesPushLikeOnePlate) {
  const auto model = Model(1e9, 0.3, 0.3, 0.3);
  for (const double H : {0.0, 1e-5, 1e-4, 5e-4}) {
    const auto solve = [&](int nx, int ny, Vec3* force, int* iterations) {
      std::vector<StageBody> bodies(2);
      bodies[1].inverse_mass = 0.01;
      bodies[1].inverse_inertia_W = Mat3::Diagonal({0.1, 0.1, 0.05});
      bodies[1].p_WM = {0, 0, 1e-9};  // in the contact plane, so that friction does not tip it
      bodies[1].v = {0.3, 0.05, -0.4};
      std::vector<StageContact> contacts;
      for (int i = 0; i < nx * ny; ++i) {
        StageContact c = OnGround(*model, 1e-4 / (nx * ny), 1e-7);
        c.geometry.p_WC = {(i % nx + 0.5) / nx - 0.5, (i / nx + 0.5) / ny - 0.5, 0};
        c.latch = {0.4, model->normal->DampingFactor(0.4)};
        contacts.push_back(c);
      }
      const StageResult result = SolveStage(H, bodies, contacts);
      EXPECT_TRUE(result.converged);
      *iterations = result.iterations;
      *force = {};
      for (const StageContact& c : contacts) *force += c.force;
      return bodies[1];
    };
    Vec3 one_force, tiles_force;
    int one_iterations, tiles_iterations;
    const StageBody one = solve(1, 1, &one_force, &one_iterations);
    const StageBody tiles = solve(5, 4, &tiles_force, &tiles_iterations);
    EXPECT_LT(Norm(tiles_force - one_force), 1e-7 * Norm(one_force)) << H;
    EXPECT_LT(Norm(tiles.v - one.v), 1e-9) << H;
    EXPECT_LT(Norm(tiles.w - one.w), 1e-7) << H;
    EXPECT_LE(tiles_iterations, one_iterations + 2) << H;
  }
}

// A peg jammed across a hole: two opposite walls, and a third patch at the tip.
TEST(SolveStage, APegWedgedInTwoCornersHolds) {
  for (const double mu : {0.1, 0.3, 0.5, 1.0}) {
    const auto model = Model(1.0, 0.5, mu, mu);
    for (const double push : {1.0, 10.0, 50.0}) {
      std::vector<StageBody> bodies(2);
      bodies[1].inverse_mass = 1.0 / 0.02;
      bodies[1].inverse_inertia_W = Mat3::Diagonal({1 / 4e-6, 1 / 4e-6, 1 / 2e-7});
      const double H = 1e-4;
      bodies[1].v = {0.0, 0.0, -0.01 - push / 0.02 * H};
      bodies[1].w = {0.0, 0.5, 0.0};
      std::vector<StageContact> contacts(3);
      const Vec3 n[3] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
      const Vec3 p[3] = {{-0.004, 0, -0.02}, {0.004, 0, 0.015}, {0.003, 0, -0.025}};
      for (int k = 0; k < 3; ++k) {
        contacts[k].body_i = 1;
        contacts[k].body_j = 0;
        contacts[k].model = model.get();
        contacts[k].geometry.n = n[k];
        contacts[k].geometry.p_WC = p[k];
        contacts[k].geometry.V = 2.0 * push;
        contacts[k].geometry.J_W = (2e-8 * push) * (Mat3::Identity() + Outer(n[k], n[k]));
        contacts[k].latch = {0.01, model->normal->DampingFactor(0.01)};
      }
      const StageResult result = SolveStage(H, bodies, contacts);
      EXPECT_TRUE(result.converged) << mu << " " << push << " residual " << result.residual;
      EXPECT_LE(result.iterations, 20) << mu << " " << push;
      for (const StageContact& c : contacts) {
        EXPECT_LE(Norm(c.force - c.f_n * c.geometry.n), mu * c.f_n * (1 + 1e-12));
      }
    }
  }
}

}  // namespace
}  // namespace intervox::host
