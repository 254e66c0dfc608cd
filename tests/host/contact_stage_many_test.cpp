// Islands of many bodies: the block-sparse solution is that of the dense one, whatever the
// contacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "host/contact/stage/block_solver.h"
#include "host/contact/stage/stage_island.h"
#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

using testing::Draw;
using testing::Model;
using testing::Problem;
using testing::Random;

/** Contacts of a stage, evaluated; all bodies but the ground are free. */
struct Slopes {
  Slopes(Random& random, Problem& p, double H) : points(p.contacts.size()) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      points[k].Prepare(H, p.bodies, &p.contacts[k]);
      points[k].Evaluate(false);
      list.push_back(&points[k]);
      bodies.push_back({p.contacts[k].body_i - 1, p.contacts[k].body_j - 1, true});
    }
    f.resize(6 * (p.bodies.size() - 1));
    for (double& x : f) x = random.Uniform(-1.0, 1.0);
  }
  std::vector<internal::StagePoint> points;
  std::vector<internal::StagePoint*> list;
  std::vector<internal::BodyPair> bodies;
  std::vector<double> f;
};

// From soft contacts, which GMRES solves, to stiff ones, which take exact factors: the step is that
// of the dense matrix by elimination, coupled or not, with a locked rotation or without.
TEST(BlockSolver, GivesTheStepOfTheDenseMatrix) {
  Random random(11);
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  for (int trial = 0; trial < 24; ++trial) {
    const int bodies = trial % 3 == 0 ? 50 : trial % 3 == 1 ? 150 : 300;
    Problem p = Draw(random, *model, bodies, bodies * (1 + trial % 4), random.Log(1.0, 1e6));
    Slopes slopes(random, p, random.Log(1e-6, 3e-4));
    const bool coupled = trial % 2 == 0, locked = trial % 5 == 0;
    const std::size_t n = slopes.f.size();
    std::vector<double> dense(n), blocks(n);
    if (locked) slopes.f[9] = slopes.f[10] = slopes.f[11] = 0.0;
    internal::IslandMatrix matrix;
    matrix.Reset(static_cast<std::size_t>(bodies));
    std::vector<internal::IslandBody> list(static_cast<std::size_t>(bodies));
    for (std::size_t b = 0; b < list.size(); ++b) {
      list[b].mass = 1.0 / p.bodies[b + 1].inverse_mass;
      list[b].inertia = p.inertia[b + 1];
      list[b].row.fill(0.5);
      list[b].column.fill(2.0);
      matrix.AddBody(b, list[b].mass, list[b].inertia);
    }
    for (std::size_t k = 0; k < slopes.points.size(); ++k) {
      matrix.AddContact(slopes.points[k], slopes.bodies[k], coupled);
    }
    if (locked) {
      matrix.Lock(9);
      for (std::size_t i = 3; i < 6; ++i) list[1].row[i] = list[1].column[i] = 0.0;
    }
    ASSERT_TRUE(matrix.SolveNegative(slopes.f, dense));
    internal::BlockSolver solver;
    std::vector<int> order(static_cast<std::size_t>(bodies));
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.begin() + bodies / 2);
    solver.Begin(slopes.list, slopes.bodies, list, order, 1);
    ASSERT_TRUE(solver.SolveNegative(slopes.f, coupled, 1e-12, 1, blocks));
    double size = 0.0, apart = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      size = std::max(size, std::fabs(dense[i]));
      apart = std::max(apart, std::fabs(dense[i] - blocks[i]));
    }
    EXPECT_LT(apart, 1e-7 * size) << trial;
    if (locked) {
      EXPECT_EQ(0.0, blocks[10]);
    }
  }
}

// What a solver keeps from an island to the next is used where nothing else has changed: the same
// contacts at other slopes, others between the same bodies, some that act no more, another order.
TEST(BlockSolver, WithAPastGivesTheBitsOfANewOne) {
  Random random(13);
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  constexpr int kBodies = 200;
  internal::BlockSolver kept;
  std::vector<int> order(kBodies);
  std::iota(order.begin(), order.end(), 0);
  Problem p = Draw(random, *model, kBodies, 500, 10.0);
  for (int trial = 0; trial < 12; ++trial) {
    if (trial % 4 == 1) p = Draw(random, *model, kBodies, 500, trial < 6 ? 1e4 : 10.0);
    Slopes slopes(random, p, random.Log(1e-6, 1e-4));
    if (trial % 4 >= 2) {
      for (std::size_t k = 0; k < slopes.bodies.size(); k += 7) slopes.bodies[k].acts = false;
    }
    if (trial % 4 == 3) std::rotate(order.begin(), order.begin() + 31, order.end());
    std::vector<internal::IslandBody> list(kBodies);
    for (std::size_t b = 0; b < list.size(); ++b) {
      list[b] = {1.0 / p.bodies[b + 1].inverse_mass, p.inertia[b + 1], nullptr, {}, {}};
      list[b].row.fill(0.5);
      list[b].column.fill(2.0);
    }
    const auto solve = [&](internal::BlockSolver* solver) {
      std::vector<double> x(slopes.f.size());
      solver->Begin(slopes.list, slopes.bodies, list, order, 1);
      EXPECT_TRUE(solver->SolveNegative(slopes.f, true, 1e-10, 1, x)) << trial;
      return x;
    };
    internal::BlockSolver fresh;
    EXPECT_EQ(solve(&fresh), solve(&kept)) << trial;
  }
}

/** A stage of many bodies in one island, and one without contacts between bodies. */
Problem Pile(Random& random, const ContactModel& model, int bodies, double load) {
  return Draw(random, model, bodies, 3 * bodies, load);
}

/** Solves a stage whose bodies make up one island. */
StageResult SolveOne(double H, std::size_t most_dense, Problem* p) {
  internal::StageIsland island;
  island.most_dense = most_dense;
  island.Clear(H);
  for (std::size_t b = 1; b < p->bodies.size(); ++b) island.AddBody(&p->bodies[b]);
  std::vector<internal::StagePoint> points(p->contacts.size());
  std::vector<internal::FirstGuess> guesses(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k].Prepare(H, p->bodies, &p->contacts[k]);
    guesses[k] = points[k].Guess();
    const StageContact& contact = p->contacts[k];
    island.AddPoint(&points[k], &guesses[k],
                    {contact.body_i - 1, contact.body_j - 1, points[k].active});
  }
  StageResult result;
  island.Solve(1, &result);
  for (const internal::StagePoint& point : points) point.Finish();
  return result;
}

// Bodies that stick and slide, soft and stiff against the step: the velocities are those of the
// dense matrix, and momentum is kept to rounding.
TEST(SolveStageMany, FindsTheVelocitiesOfTheDenseMatrix) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(12);
  int converged = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const int bodies = trial % 3 == 0 ? 20 : trial % 3 == 1 ? 60 : 150;
    Problem p = Pile(random, *model, bodies, random.Log(0.1, 1e4));
    const double H = random.Log(1e-6, 3e-4);
    const Problem start = p;
    Problem dense = p;
    const StageResult expected = SolveOne(H, 1000, &dense);
    const StageResult result = SolveOne(H, 15, &p);
    std::vector<Vec3> push(p.bodies.size());
    for (const StageContact& c : p.contacts) {
      push[static_cast<std::size_t>(c.body_i)] += H * c.force;
      push[static_cast<std::size_t>(c.body_j)] += -H * c.force;
    }
    for (std::size_t b = 1; b < p.bodies.size(); ++b) {
      const Vec3 gained = p.bodies[b].v - start.bodies[b].v;
      const Vec3 given = p.bodies[b].inverse_mass * push[b];
      EXPECT_LT(Norm(gained - given), 1e-13 * (1.0 + Norm(given))) << trial;
    }
    if (!result.converged || !expected.converged) continue;
    ++converged;
    double apart = 0.0;
    for (std::size_t b = 1; b < p.bodies.size(); ++b) {
      apart = std::max(apart, Norm(p.bodies[b].v - dense.bodies[b].v));
    }
    EXPECT_LT(apart, 2e-9) << trial;  // speeds are of order 1 m/s
  }
  EXPECT_GE(converged, 25);
}

// From the last solution's wrenches, the bodies being a little faster, a step is enough: slopes
// count how friction's weight follows the velocities.
TEST(SolveStageMany, ANearGuessTakesOneStep) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(15);
  int solved = 0, steps = 0;
  for (int trial = 0; trial < 20; ++trial) {
    Problem p = Pile(random, *model, 60, random.Log(0.1, 10.0));
    Problem again = p;
    if (!SolveOne(1e-4, 15, &p).converged) continue;
    for (StageBody& body : again.bodies) {
      if (body.inverse_mass > 0.0) body.v += random.Vector(1e-5);
    }
    again.contacts = p.contacts;
    const StageResult result = SolveOne(1e-4, 15, &again);
    EXPECT_TRUE(result.converged);
    steps += result.iterations;
    ++solved;
  }
  EXPECT_GT(solved, 15);
  EXPECT_LE(steps, 1.3 * solved) << steps << " of " << solved;
}

// One island of 400 bodies, and 300 of one or two: the bits are the same on any number of threads.
TEST(SolveStageMany, BitsDoNotDependOnThreads) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(13);
  Problem large = Pile(random, *model, 900, 30.0);
  Problem small = Draw(random, *model, 600, 600, 30.0);
  for (std::size_t k = 0; k < small.contacts.size(); ++k) {
    const int first = static_cast<int>(k) / 2 * 2 + 1;
    small.contacts[k].body_i = first;
    small.contacts[k].body_j = k % 2 == 0 ? 0 : first + 1;
  }
  for (const Problem& start : {large, small}) {
    Problem one = start;
    const StageResult expected = SolveStage(1e-4, one.bodies, one.contacts);
    for (const int threads : {2, 3, 0}) {
      Problem p = start;
      const StageResult result = SolveStage(1e-4, p.bodies, p.contacts, threads);
      EXPECT_EQ(expected.iterations, result.iterations);
      for (std::size_t b = 0; b < p.bodies.size(); ++b) {
        ASSERT_EQ(0, std::memcmp(&one.bodies[b].v, &p.bodies[b].v, sizeof(Vec3))) << threads;
        ASSERT_EQ(0, std::memcmp(&one.bodies[b].w, &p.bodies[b].w, sizeof(Vec3))) << threads;
      }
    }
  }
}

// Islands do not know of each other: each alone gives the bits that it gives among others.
TEST(SolveStageMany, IslandsAreIndependent) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(14);
  Problem both = Draw(random, *model, 80, 200, 30.0);
  for (std::size_t k = 0; k < both.contacts.size(); ++k) {  // bodies 1 … 40, and 41 … 80
    const int side = static_cast<int>(k % 2) * 40, at = static_cast<int>(k / 2);
    both.contacts[k].body_i = side + 1 + at % 40;
    both.contacts[k].body_j = at < 40 ? side + 1 + (at + 1) % 40 : 0;
  }
  Problem alone = both;
  std::vector<StageContact> second;
  for (std::size_t k = 1; k < alone.contacts.size(); k += 2) second.push_back(alone.contacts[k]);
  SolveStage(1e-4, both.bodies, both.contacts);
  SolveStage(1e-4, alone.bodies, second);
  for (std::size_t b = 41; b <= 80; ++b) {
    EXPECT_EQ(0, std::memcmp(&both.bodies[b].v, &alone.bodies[b].v, sizeof(Vec3)));
    EXPECT_GT(Norm(both.bodies[b].v - both.bodies[b - 40].v), 0.0);
  }
}

}  // namespace
}  // namespace intervox::host
