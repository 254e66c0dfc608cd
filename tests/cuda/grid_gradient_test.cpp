// S and G of the grid rules are the gradient of the V that the same rule finds.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "tests/cuda/pairs.h"
#include "tests/geometry/grids.h"

namespace intervox {
namespace {

using geometry::Cell;
using testing::CellsOf;
using testing::GridCell;
using testing::Random;

constexpr LeafRule kSmoothRules[] = {LeafRule::kFraction, LeafRule::kClip, LeafRule::kVoxel};

struct Pair {
  const Cell* a;
  const Cell* b;
};

/** The metrics; voxel stops at its second level, whatever the pose: V jumps where a level is added.
 */
InterferenceMetrics Metrics(const Pair& pair, const Pose& X_WA, const Pose& X_WB, LeafRule rule) {
  PairQuery query;
  query.a = pair.a;
  query.b = pair.b;
  query.X_WA = X_WA;
  query.X_WB = X_WB;
  query.tolerance = rule == LeafRule::kVoxel ? 1e3 : 1e-3;
  query.rule = rule;
  return ComputeMetrics(query);
}

Pose Turned(const Pose& X, const Vec3& about, const Vec3& turn) {
  const double angle = Norm(turn);
  const Vec3 axis = angle > 0 ? std::sin(angle / 2) / angle * turn : Vec3{};
  const Mat3 R = ToRotation(Normalized(Quaternion{std::cos(angle / 2), axis.x, axis.y, axis.z}));
  return {R * X.R, about + R * (X.p - about)};
}

/** How far S and G are off the central differences of V with B's pose, over |S| and |S| · size. */
void ExpectGradient(const Pair& pair, const Pose& X_WA, const Pose& X_WB, LeafRule rule,
                    double size, double within) {
  const InterferenceMetrics m = Metrics(pair, X_WA, X_WB, rule);
  ASSERT_GT(m.volume, 0);
  const double step = 1e-5, turn = 1e-6;
  Vec3 by_shift, by_turn;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 e;
    e[axis] = 1;
    const auto shifted = [&](double d) {
      return Metrics(pair, X_WA, {X_WB.R, X_WB.p + d * e}, rule).volume;
    };
    const auto turned = [&](double angle) {
      return Metrics(pair, X_WA, Turned(X_WB, m.p_WC, angle * e), rule).volume;
    };
    by_shift[axis] = (shifted(step) - shifted(-step)) / (2 * step);
    by_turn[axis] = (turned(turn) - turned(-turn)) / (2 * turn);
  }
  const double S = Norm(m.area_vector);
  EXPECT_LT(Norm(m.area_vector - by_shift), within * S) << static_cast<int>(rule);
  EXPECT_LT(Norm(m.area_moment - by_turn), within * S * size) << static_cast<int>(rule);
}

TEST(GridGradient, OfEveryRuleInRandomPoses) {
  const Cell torus = GridCell(geometry::Torus{6, 2.5}, 1),
             block = GridCell(geometry::Box{{9, 7, 5}}, 1);
  const Cell ball = GridCell(geometry::Sphere{5}, 0.8);
  const Cell box = CellsOf(geometry::Box{{8, 5, 6}}).front();
  const Cell round = CellsOf(geometry::Sphere{4}).front();
  const Cell ring = CellsOf(geometry::Torus{5, 2}).front();
  const Cell ground = testing::HalfSpaceCell(Normalized(Vec3{0.1, -0.2, 1}), 0.3);
  Random random(11);
  const std::vector<Pair> pairs{{&torus, &block}, {&block, &ball}, {&block, &block}, {&torus, &box},
                                {&round, &block}, {&ball, &ring},  {&ground, &torus}};
  for (const Pair& pair : pairs) {
    for (int k = 0; k < 3; ++k) {
      const Pose X_WA{random.Rotation(), random.Vector(2)},
          X_WB{random.Rotation(), random.Vector(4)};
      for (const LeafRule rule : kSmoothRules) {
        if (!(Metrics(pair, X_WA, X_WB, rule).volume > 1)) continue;
        ExpectGradient(pair, X_WA, X_WB, rule, 5, 2e-4);
      }
    }
  }
}

TEST(GridGradient, OfBlocksSumsToThatOfTheWhole) {
  const Cell torus = GridCell(geometry::Torus{12, 5}, 1),
             ball = GridCell(geometry::Sphere{13}, 1.25);
  Random random(5);
  const Pose X_WB{random.Rotation(), {14, 6, 4}};
  for (const LeafRule rule : {LeafRule::kClip, LeafRule::kVoxel}) {
    Vec3 S;
    for (const Cell& p : geometry::SplitGrids({torus})) {
      for (const Cell& q : geometry::SplitGrids({ball})) {
        S += Metrics({&p, &q}, {}, X_WB, rule).area_vector;
      }
    }
    const Vec3 whole = Metrics({&torus, &ball}, {}, X_WB, rule).area_vector;
    EXPECT_LT(Norm(S - whole), (rule == LeafRule::kClip ? 1e-9 : 1e-2) * Norm(whole));
  }
}

TEST(GridGradient, FacesAlongBlocksAreCountedOnce) {
  // Top and bottom lie on planes between blocks: z = 0 and z = 16.
  geometry::Shape slab;
  slab.primitive = geometry::Box{{40, 40, 16}};
  slab.X.p.z = 8;
  const Cell grid = geometry::MakeGridCell(
      geometry::MakeLevelSet(geometry::ToCells(slab), 1, 3, testing::Serially), {}, 1, "slab");
  const Cell block = GridCell(geometry::Box{{10, 8, 6}}, 0.5);
  Random random(2);
  const std::vector<Cell> blocks = geometry::SplitGrids({grid});
  for (const double z : {-2.99, 18.99}) {
    for (const double turn : {0.0, 0.3}) {
      const Pose X_WB = Turned({Mat3::Identity(), {0.37, 0.21, z}}, {0, 0, z}, {0, 0, turn});
      const InterferenceMetrics whole = Metrics({&grid, &block}, {}, X_WB, LeafRule::kClip);
      Vec3 S;
      double V = 0;
      for (const Cell& q : blocks) {
        const InterferenceMetrics m = Metrics({&q, &block}, {}, X_WB, LeafRule::kClip);
        S += m.area_vector;
        V += m.volume;
      }
      EXPECT_NEAR(V, whole.volume, 1e-6 * whole.volume);
      EXPECT_LT(Norm(S - whole.area_vector), 1e-5 * Norm(whole.area_vector)) << z << " " << turn;
      EXPECT_NEAR(Norm(whole.area_vector), 80, 5);
    }
  }
}

TEST(GridGradient, FlatFacesHaveTheirAreas) {
  // Faces on nodes and between them.
  PairQuery exact;
  const Cell a = CellsOf(geometry::Box{{30, 40, 20}}).front();
  exact.a = exact.b = &a;
  exact.tolerance = 1e-9;
  Random random(3);
  for (const double h : {1.0, 0.93}) {
    const Cell grid = GridCell(geometry::Box{{30, 40, 20}}, h);
    for (int k = 0; k < 4; ++k) {
      exact.X_WB = {k == 0 ? Mat3::Identity() : random.Rotation(),
                    k == 0 ? Vec3{20.63, 12.81, 13.57} : Vec3{21, 13, 12} + random.Vector(2)};
      const InterferenceMetrics m = ComputeMetrics(exact);
      ASSERT_GT(m.volume, 10);
      for (const LeafRule rule : kSmoothRules) {
        const InterferenceMetrics of_grid = Metrics({&grid, &grid}, {}, exact.X_WB, rule);
        // Edges between nodes are rounded by part of a voxel, most alike where all are parallel.
        // where all are parallel, alike.
        const double within = k == 0 ? 0.1 : h == 1 ? 0.02 : 0.08;
        EXPECT_LT(Norm(of_grid.area_vector - m.area_vector), within * Norm(m.area_vector))
            << static_cast<int>(rule) << " h " << h << " pose " << k << ": "
            << Norm(of_grid.area_vector) << " for " << Norm(m.area_vector) << ", V "
            << of_grid.volume << " for " << m.volume;
      }
    }
  }
}

}  // namespace
}  // namespace intervox
