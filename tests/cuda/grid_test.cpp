// Grids against closed forms, exact rules, another integrator and themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cuda/certify/certify.h"
#include "cuda/engine.h"
#include "cuda/moments/metrics_sum.h"
#include "geometry/grid/without_bias.h"
#include "tests/cuda/grid_queries.h"
#include "tests/cuda/pairs.h"
#include "tests/cuda/same_bits.h"
#include "tests/geometry/grids.h"

namespace intervox {
namespace {

using geometry::Cell;
using geometry::LevelSet;
using testing::CellsOf;
using testing::GridCell;
using testing::LensVolume;
using testing::Random;

constexpr LeafRule kByVoxels[] = {LeafRule::kCenter, LeafRule::kFraction, LeafRule::kClip};

InterferenceMetrics Metrics(const Cell& a, const Pose& X_WA, const Cell& b, const Pose& X_WB,
                            LeafRule rule = LeafRule::kVoxel, double tolerance = 1e-4) {
  PairQuery query;
  query.a = &a;
  query.b = &b;
  query.X_WA = X_WA;
  query.X_WB = X_WB;
  query.tolerance = tolerance;
  query.rule = rule;
  return ComputeMetrics(query);
}

/** A ball of R = 20 voxels, another in a pose that fits no voxel, `depth` deep. */
struct Balls {
  explicit Balls(double depth) : X_WB{kTurn, (40 - depth) * kNormal} {}
  static inline const Vec3 kNormal = Normalized(Vec3{0.3, -0.5, 0.8});
  static inline const Mat3 kTurn =
      Mat3::FromColumns({0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6});
  Cell grid = GridCell(geometry::Sphere{20}, 1);
  Cell exact = CellsOf(geometry::Sphere{20}).front();
  Pose X_WB;
};

TEST(GridRules, LensesOfBallsComeWithinTheirFigures) {
  Balls balls(0);
  for (const auto& [depth, within] : {std::pair{0.5, 0.01}, {2.0, 0.002}, {10.0, 0.0005}}) {
    balls.X_WB.p = (40 - depth) * Balls::kNormal;
    const double V = LensVolume(20, depth);
    for (const LeafRule rule : {LeafRule::kFraction, LeafRule::kClip, LeafRule::kVoxel}) {
      const InterferenceMetrics m = Metrics(balls.grid, {}, balls.grid, balls.X_WB, rule);
      EXPECT_EQ(m.status, Status::kOk);
      EXPECT_EQ(m.rule, rule);
      // Each field loses h²/(6R) of depth, and sampling it at the other's nodes takes no more.
      EXPECT_NEAR(m.volume / V, 1 - 2 / (3 * 20 * depth), within)
          << depth << static_cast<int>(rule);
      // The centroid stands halfway between the balls; S is the patch's plane area.
      EXPECT_LT(Norm(m.p_WC - 0.5 * balls.X_WB.p), 0.05 * depth + 0.02) << depth;
      const double a2 = 20 * depth - depth * depth / 4;
      EXPECT_NEAR(Norm(m.area_vector) / (std::acos(-1.0) * a2), 1, depth < 1 ? 0.15 : 0.04);
      EXPECT_LT(Norm(Cross(m.area_vector, Balls::kNormal)), 0.01 * Norm(m.area_vector));
    }
  }
}

// Where a lens lies along the layers of a lattice, all voxels of its rim err alike: `fraction` was
// off by 2.3 % there.
TEST(GridRules, LensesComeWithinTwoPerCentInAnyPose) {
  const Cell ball = GridCell(geometry::Sphere{20}, 1);
  const double depth = 2, V = LensVolume(20, depth);
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const Vec3 n = random.Direction(), side = AnyOrthogonal(n);
    // Of a third of them an axis of one of the grids is the lens's.
    const Mat3 along = Mat3::FromColumns(side, Cross(n, side), n);
    const Mat3 A = i % 6 == 0 ? along : random.Rotation();
    const Mat3 B = i % 6 == 3 ? along : random.Rotation();
    for (const LeafRule rule : {LeafRule::kFraction, LeafRule::kClip}) {
      const InterferenceMetrics m = Metrics(ball, {A, {}}, ball, {B, (40 - depth) * n}, rule);
      EXPECT_NEAR(m.volume / V, 1 - 2 / (3 * 20 * depth), 0.0033) << i << static_cast<int>(rule);
    }
  }
}

// Edges are left as they are: boxes whose faces lie on nodes keep them, turned ones lose no more
// than rounding took.
TEST(GridRules, LiftedLevelsLeaveEdgesAlone) {
  const Cell box = GridCell(geometry::Box{{20, 20, 20}}, 1);
  const Cell exact = CellsOf(geometry::Box{{20, 20, 20}}).front();
  for (const LeafRule rule : {LeafRule::kFraction, LeafRule::kClip}) {
    for (const Vec3& p : {Vec3{0, 0, 18}, Vec3{15, 15, 18}}) {
      const double V = (20 - p.x) * (20 - p.y) * (20 - p.z);
      EXPECT_NEAR(Metrics(box, {}, box, {Mat3::Identity(), p}, rule).volume / V, 1, 3e-4);
    }
    Random random(5);
    for (int k = 0; k < 10; ++k) {
      const Pose X{random.Rotation(), 14.0 * Normalized(random.Vector(1))};
      const double V = Metrics(exact, {}, exact, X, LeafRule::kAuto).volume;
      const double lost = 1 - Metrics(box, {}, box, X, rule).volume / V;
      EXPECT_GT(lost, 0) << k;
      EXPECT_LT(lost, 7e-3) << k;
    }
  }
}

TEST(GridRules, TheTrilinearFieldsBiasIsTheDocumentedOne) {
  Balls balls(0);
  for (const double depth : {1.0, 2.0, 5.0}) {
    balls.X_WB.p = (40 - depth) * Balls::kNormal;
    const double V = LensVolume(20, depth), bias = -2 / (3 * 20 * depth);
    const double two = Metrics(balls.grid, {}, balls.grid, balls.X_WB).volume / V - 1;
    const double one = Metrics(balls.grid, {}, balls.exact, balls.X_WB).volume / V - 1;
    EXPECT_NEAR(two, bias, 0.1 * std::fabs(bias)) << depth;
    EXPECT_NEAR(one, bias / 2, 0.1 * std::fabs(bias)) << depth;
    const double clip = Metrics(balls.grid, {}, balls.exact, balls.X_WB, LeafRule::kClip).volume;
    EXPECT_NEAR(clip / V - 1, bias / 2, 0.15 * std::fabs(bias)) << depth;
  }
}

TEST(GridRules, UnbiasedFieldsHaveTheLensOfTheBalls) {
  const geometry::Cell ball = geometry::MakeGridCell(
      geometry::WithoutBias(*GridCell(geometry::Sphere{20}, 1).grid.field, testing::Serially), {},
      1, "unbiased");
  for (const double depth : {1.0, 3.0}) {
    const Pose X_WB{Balls::kTurn, (40 - depth) * Balls::kNormal};
    const double V = LensVolume(20, depth), bias = 2 / (3 * 20 * depth);
    EXPECT_NEAR(Metrics(ball, {}, ball, X_WB).volume / V, 1, 0.15 * bias) << depth;
    const double clip = Metrics(ball, {}, ball, X_WB, LeafRule::kClip).volume / V - 1;
    EXPECT_NEAR(clip, 0, 0.1 * bias) << depth;
  }
}

TEST(GridRules, SwappingNegatesToTheBit) {
  const Balls balls(3);
  const Cell coarse = GridCell(geometry::Torus{20, 9}, 1.5);
  for (const LeafRule rule :
       {LeafRule::kCenter, LeafRule::kFraction, LeafRule::kClip, LeafRule::kVoxel}) {
    for (const Cell* other : {&balls.grid, &balls.exact, &coarse}) {
      const InterferenceMetrics x = Metrics(balls.grid, {}, *other, balls.X_WB, rule);
      const InterferenceMetrics y = Metrics(*other, balls.X_WB, balls.grid, {}, rule);
      EXPECT_GT(x.volume, 0);
      EXPECT_EQ(x.volume, y.volume);
      EXPECT_TRUE(x.p_WC == y.p_WC);
      EXPECT_TRUE(x.area_vector == -y.area_vector);
      EXPECT_TRUE(x.area_moment == -y.area_moment);
    }
  }
}

TEST(GridRules, LoopsShareALevelWithTheSameBits) {
  int loops = 0, parts = 0;
  const geometry::RangeLoop backwards = [&](int count, const auto& body) {
    ++loops;
    parts += count;
    for (int i = count; i-- > 0;) body(i, i + 1);
  };
  const testing::GridCells cells;
  int overlaps = 0;
  for (const PairQuery& query : testing::GridQueries(cells, 60)) {
    const InterferenceMetrics alone = ComputeMetrics(query);
    overlaps += alone.volume > 0;
    EXPECT_TRUE(testing::SameBits(ComputeMetrics(query, backwards), alone));
  }
  EXPECT_GT(overlaps, 20);
  EXPECT_GT(loops, overlaps);
  EXPECT_GT(parts, 8 * loops);
}

TEST(GridRules, MetricsMoveWithThePair) {
  const Balls balls(3);
  Random random(7);
  for (const LeafRule rule : {LeafRule::kCenter, LeafRule::kFraction, LeafRule::kClip}) {
    const InterferenceMetrics x = Metrics(balls.grid, {}, balls.grid, balls.X_WB, rule);
    const Pose X{random.Rotation(), random.Vector(1e4)};
    const InterferenceMetrics y = Metrics(balls.grid, X, balls.grid, X * balls.X_WB, rule);
    EXPECT_NEAR(y.volume, x.volume, 1e-9 * x.volume);
    EXPECT_LT(Norm(y.p_WC - X * x.p_WC), 1e-8);
    EXPECT_LT(Norm(y.area_vector - X.R * x.area_vector), 1e-9 * Norm(x.area_vector));
    EXPECT_LT(Norm(y.area_moment - X.R * x.area_moment), 1e-8 * Norm(x.area_vector));
  }
}

TEST(SlowGridRules, AreaVectorAndMomentAreTheVolumesGradient) {
  const Cell box = CellsOf(geometry::Box{{8, 5, 6}}).front();
  const Cell torus = GridCell(geometry::Torus{6, 2.5}, 1);
  const Pose X{Balls::kTurn, {5.5, 2, 2}};
  for (const Cell* other : {&box, &torus}) {
    const auto at = [&](const Vec3& shift, const Vec3& turn) {
      const InterferenceMetrics m = Metrics(torus, {}, *other, X, LeafRule::kVoxel, 1e-4);
      Pose moved = X;
      const double angle = Norm(turn);
      if (angle > 0) {
        const Vec3 axis = turn / angle;
        const Mat3 R = ToRotation(
            Normalized(Quaternion{std::cos(angle / 2), std::sin(angle / 2) * axis.x,
                                  std::sin(angle / 2) * axis.y, std::sin(angle / 2) * axis.z}));
        moved = {R * X.R, m.p_WC + R * (X.p - m.p_WC)};
      }
      moved.p += shift;
      return Metrics(torus, {}, *other, moved, LeafRule::kVoxel, 1e-4).volume;
    };
    const InterferenceMetrics m = Metrics(torus, {}, *other, X, LeafRule::kVoxel, 1e-4);
    ASSERT_GT(m.volume, 10);
    const double step = 0.1, turn = 0.02;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = 1;
      const double by_shift = (at(step * e, {}) - at(-step * e, {})) / (2 * step);
      const double by_turn = (at({}, turn * e) - at({}, -turn * e)) / (2 * turn);
      EXPECT_NEAR(m.area_vector[axis], by_shift, 0.01 * Norm(m.area_vector)) << axis;
      EXPECT_NEAR(m.area_moment[axis], by_turn, 0.01 * Norm(m.area_vector) * 5) << axis;
    }
  }
}

TEST(GridRules, WhatIsInsideAndOutsideOfAPlaneIsTheWhole) {
  const Cell torus = GridCell(geometry::Torus{12, 5}, 1);
  const Vec3 n = Normalized(Vec3{0.2, 0.5, -0.3});
  const Cell below = testing::HalfSpaceCell(n, 1.7), above = testing::HalfSpaceCell(-n, -1.7);
  const Cell all = testing::HalfSpaceCell(n, 100);
  for (const LeafRule rule : {LeafRule::kCenter, LeafRule::kFraction, LeafRule::kClip}) {
    const double V = Metrics(torus, {}, all, {}, rule).volume;
    const double sum =
        Metrics(torus, {}, below, {}, rule).volume + Metrics(torus, {}, above, {}, rule).volume;
    EXPECT_NEAR(sum, V, rule == LeafRule::kFraction ? 2e-4 * V : 1e-10 * V);
  }
  const double exact = 2 * std::pow(std::acos(-1.0), 2) * 12 * 25;
  // The tube is convex across and concave along: it loses (h²/12) ∫ ∇²f dS = 1/12 · 4π² R.
  const double lost = std::pow(std::acos(-1.0), 2) * 12 / 3;
  EXPECT_NEAR(Metrics(torus, {}, all, {}).volume, exact - lost, 0.1 * lost);
}

TEST(GridRules, BlocksSumToTheWhole) {
  const Cell a = GridCell(geometry::Torus{12, 5}, 1);
  const Cell b = GridCell(geometry::Sphere{13}, 1.25);
  const Pose X_WB{Balls::kTurn, {14, 6, 4}};
  const std::vector<Cell> a_blocks = geometry::SplitGrids({a}),
                          b_blocks = geometry::SplitGrids({b});
  EXPECT_GT(a_blocks.size(), 20u);
  for (const LeafRule rule : {LeafRule::kCenter, LeafRule::kClip}) {
    std::vector<InterferenceMetrics> parts;
    for (const Cell& p : a_blocks) {
      for (const Cell& q : b_blocks) parts.push_back(Metrics(p, {}, q, X_WB, rule));
    }
    const InterferenceMetrics sum = SumOfParts(parts, INFINITY);
    const InterferenceMetrics whole = Metrics(a, {}, b, X_WB, rule);
    ASSERT_GT(whole.volume, 100);
    EXPECT_NEAR(sum.volume, whole.volume, 1e-9 * whole.volume);
    EXPECT_LT(Norm(sum.p_WC - whole.p_WC), 1e-8);
    EXPECT_LT(Norm(sum.area_vector - whole.area_vector), 1e-8 * Norm(whole.area_vector));
    EXPECT_LT(Norm(sum.area_moment - whole.area_moment), 1e-6 * Norm(whole.area_vector));
  }
}

/** ∫ of what two fields on one lattice have in common, by lines along z: on each, both fields are
 linear in every voxel. */
double ByLines(const LevelSet& a, const LevelSet& b, int lines) {
  const geometry::GridView f = a.View(), g = b.View();
  double sum = 0;
  for (int i = 0; i < 8 * a.size[0] * lines; ++i) {
    for (int j = 0; j < 8 * a.size[1] * lines; ++j) {
      const double x = a.origin[0] + (i + 0.5) / lines, y = a.origin[1] + (j + 0.5) / lines;
      for (int k = 0; k < 8 * a.size[2]; ++k) {
        double lo = 0, hi = 1;
        for (const geometry::GridView* view : {&f, &g}) {
          const double z = a.origin[2] + k;
          const double below = geometry::Evaluate(*view, {x, y, z + 1e-9}).value;
          const double above = geometry::Evaluate(*view, {x, y, z + 1 - 1e-9}).value;
          if (below > 0 && above > 0) hi = 0;
          if (below * above >= 0) continue;
          const double root = below / (below - above);
          (below > 0 ? lo : hi) = below > 0 ? std::max(lo, root) : std::min(hi, root);
        }
        sum += std::max(0.0, hi - lo);
      }
    }
  }
  return sum / lines / lines;
}

/** A lumpy blob: random node levels of a ball's field, in one block's surroundings. */
std::shared_ptr<const LevelSet> Blob(unsigned seed) {
  const auto read = [seed](const std::array<int, 3>& first, float* nodes) {
    for (int i = 0; i < 9; ++i) {
      for (int j = 0; j < 9; ++j) {
        for (int k = 0; k < 9; ++k) {
          const int x = first[0] + i, y = first[1] + j, z = first[2] + k;
          // The same value for a node in every block that holds it.
          Random random(seed + static_cast<unsigned>(x + 64 * (y + 64 * z)));
          const double r = Norm(Vec3{x - 8.2, y - 7.9, z - 8.1});
          *nodes++ = static_cast<float>(r - 4.5 + random.Uniform(-0.4, 0.4));
        }
      }
    }
  };
  const std::vector<geometry::PlaceKind> kinds(8, geometry::PlaceKind::kBand);
  return geometry::JoinBlocks({0, 0, 0}, {2, 2, 2}, kinds, read, 1, 2, testing::Serially);
}

TEST(SlowGridRules, VoxelIntegratesRandomFieldsAsLinesDo) {
  for (const unsigned seed : {1u, 2u}) {
    const auto a = Blob(100000 * seed), b = Blob(100000 * seed + 50000);
    const Cell cell_a = geometry::MakeGridCell(a, {}, 1, "a");
    const Cell cell_b = geometry::MakeGridCell(b, {}, 1, "b");
    const InterferenceMetrics m = Metrics(cell_a, {}, cell_b, {}, LeafRule::kVoxel, 1e-4);
    const double V = ByLines(*a, *b, 16);
    EXPECT_GT(V, 100);
    EXPECT_NEAR(m.volume, V, 3e-4 * V);
  }
}

TEST(GridRules, ScaleAndPoseOfAGridAreItsSolids) {
  geometry::Shape shape;
  shape.operation = geometry::Operation::kGrid;
  shape.grid.field = GridCell(geometry::Sphere{20}, 1).grid.field;
  shape.X = {Balls::kTurn, {3, -2, 5}};
  shape.scale = 0.01;
  const Cell cell = geometry::ToCells(shape).front();
  const Cell all = testing::HalfSpaceCell({0, 0, 1}, 100);
  const InterferenceMetrics m = Metrics(cell, {}, all, {});
  EXPECT_NEAR(m.volume, 4.0 / 3 * std::acos(-1.0) * 8e-3, 0.002 * m.volume);
  EXPECT_LT(Norm(m.p_WC - shape.X.p), 1e-7);
  EXPECT_LT(Norm(m.area_vector), 1e-9);
}

// Solids and voxels from 2 µm to 200 km: all is as large in voxels.
TEST(GridRules, SizeChangesNothing) {
  const auto cells = [](double s) {
    return std::vector<Cell>{GridCell(geometry::Sphere{12 * s}, s),
                             GridCell(geometry::Box{{20 * s, 16 * s, 12 * s}}, s),
                             GridCell(geometry::Torus{9 * s, 4 * s}, 1.25 * s)};
  };
  const std::vector<Cell> of_one = cells(1);
  for (const double s : {1e-7, 0.37, 1e4}) {
    const std::vector<Cell> of_s = cells(s);
    Random random(1);
    for (std::size_t k = 0; k < 45; ++k) {
      PairQuery one{&of_one[k % 3],
                    &of_one[k / 3 % 3],
                    {random.Rotation(), {}},
                    {random.Rotation(), random.Uniform(4, 24) * random.Direction()}};
      one.rule = k % 2 == 0 ? LeafRule::kFraction : LeafRule::kClip;
      PairQuery other = one;
      other.a = &of_s[k % 3];
      other.b = &of_s[k / 3 % 3];
      other.X_WB.p = s * one.X_WB.p;
      const InterferenceMetrics a = ComputeMetrics(one), b = ComputeMetrics(other);
      EXPECT_NEAR(b.volume, s * s * s * a.volume, 1e-9 * s * s * s * (1e-3 + a.volume)) << s;
      EXPECT_NEAR(b.volume_error, s * s * s * a.volume_error, 1e-9 * s * s * s * (1 + a.volume));
      EXPECT_LE(Norm(b.area_vector - s * s * a.area_vector), 1e-8 * s * s * (1 + a.volume));
    }
  }
}

TEST(GridRules, SayWhatTheyCannotDo) {
  const Balls balls(3);
  for (const LeafRule rule : {LeafRule::kFlux, LeafRule::kPolar, LeafRule::kPolytope}) {
    const InterferenceMetrics m = Metrics(balls.grid, {}, balls.grid, balls.X_WB, rule);
    EXPECT_EQ(m.status, Status::kToleranceNotMet);
    EXPECT_EQ(m.volume, 0);
    EXPECT_GE(m.volume_hi, LensVolume(20, 3));
  }
  const double nan = std::nan("");
  EXPECT_EQ(Metrics(balls.grid, {}, balls.grid, {{}, {nan, 0, 0}}).status, Status::kInvalid);
  EXPECT_EQ(Metrics(balls.grid, {}, balls.grid, {{}, {50, 0, 0}}).status, Status::kDisjoint);
  // Boxes that meet, balls that do not.
  EXPECT_EQ(Metrics(balls.grid, {}, balls.grid, {{}, {25, 25, 25}}).status, Status::kDisjoint);
  for (const LeafRule rule : {LeafRule::kFraction, LeafRule::kVoxel}) {
    PairQuery formulas;
    formulas.a = formulas.b = &balls.exact;
    formulas.X_WB = balls.X_WB;
    formulas.rule = rule;
    EXPECT_EQ(ComputeMetrics(formulas).status, Status::kToleranceNotMet);
  }
}

// A cap of 0.005 voxels' depth, 0.0006 voxels in all, lies between all nodes of the first levels.
TEST(GridRules, VoxelFindsSliversBetweenNodes) {
  const Cell box = GridCell(geometry::Box{{12, 10, 8}}, 1), ball = CellsOf(geometry::Sphere{8})[0];
  const double depth = 0.005, cap = std::acos(-1.0) * depth * depth * (8 - depth / 3);
  PairQuery query;
  query.a = &box;
  query.b = &ball;
  query.X_WB.p = {0.25, 0.25, 4 + 8 - depth};
  query.tolerance = 1e-2;
  query.rule = LeafRule::kVoxel;
  const InterferenceMetrics m = ComputeMetrics(query);
  EXPECT_EQ(m.status, Status::kOk);
  EXPECT_NEAR(m.volume, cap, 0.02 * cap);
}

// On voxels of a third to a tenth of the solids, against the fields' own overlap: grids with each
// other, with formulas that bend where no node shows it, and with edges between them.
TEST(GridRules, ErrorsOfSharesHold) {
  Random random(31);
  const auto primitive = [&](int kind) -> geometry::Primitive {
    const double a = random.LogUniform(3, 10), u = random.Uniform(0.5, 1.5);
    if (kind == 0) return geometry::Sphere{a};
    if (kind == 1) return geometry::Box{{2 * a, 2 * a * u, a}};
    if (kind == 2) return geometry::Cylinder{a, 2 * a * u};
    return geometry::Torus{a, 0.5 * a};
  };
  int exact = 0, grids = 0;
  double worst[2] = {}, sum[2] = {};
  for (int k = 0; k < 120; ++k) {
    // Every other one is a formula within a large ball's grid, or partly.
    const bool formula = k % 2 != 0;
    const Cell a = formula ? GridCell(geometry::Sphere{18}, 1) : GridCell(primitive(k / 2 % 4), 1);
    const geometry::Primitive other = primitive(k / 8 % 4);
    const std::vector<Cell> b = formula ? CellsOf(other) : std::vector<Cell>{GridCell(other, 1)};
    if (b.size() != 1) continue;
    PairQuery query{&a,
                    b.data(),
                    {random.Rotation(), {}},
                    {random.Rotation(), random.Uniform(0, 12) * random.Direction()}};
    query.rule = LeafRule::kVoxel;
    query.tolerance = 1e-3;
    const InterferenceMetrics of_fields = ComputeMetrics(query);
    if (!(of_fields.volume > 1)) continue;
    ++(formula ? exact : grids);
    for (const LeafRule rule : {LeafRule::kFraction, LeafRule::kClip}) {
      query.rule = rule;
      const InterferenceMetrics m = ComputeMetrics(query);
      const double error = std::fabs(m.volume - of_fields.volume);
      EXPECT_LE(error, m.volume_error + of_fields.volume_error) << k;
      worst[formula] = std::max(worst[formula], error / m.volume_error);
      sum[formula] += m.volume_error / of_fields.volume;
    }
  }
  EXPECT_GT(exact, 30);
  EXPECT_GT(grids, 30);
  // What is stated is no more than it has to be.
  EXPECT_GT(worst[0], 0.3);
  EXPECT_GT(worst[1], 0.1);
  EXPECT_LT(sum[0] / (2 * grids), 0.5);
  EXPECT_LT(sum[1] / (2 * exact), 0.5);
}

// Lenses of a fraction of a voxel lie between the nodes of voxels.
TEST(GridRules, SliversBetweenNodesAreStated) {
  const Cell ball = GridCell(geometry::Sphere{10}, 1),
             box = GridCell(geometry::Box{{12, 10, 8}}, 1);
  const Cell cylinder = GridCell(geometry::Cylinder{4, 9}, 1);
  const Cell spike = GridCell(geometry::Cone{2.5, 0, 25}, 1);
  Random random(12);
  int unseen = 0, exceeded = 0;
  for (int k = 0; k < 320; ++k) {
    const double depth = random.LogUniform(1e-3, 0.3);
    PairQuery query{&ball, &ball, {}, {random.Rotation(), (20 - depth) * random.Direction()}};
    if (k >= 160) {  // two spikes cross near their ends, hardly wider than a voxel
      const Mat3 R = random.Rotation(), Q = random.Rotation();
      const Vec3 on_a = Q * Vec3{0, 0, random.Uniform(0.5, 9.5)};
      const Vec3 on_b = R * Vec3{0, 0, random.Uniform(0.5, 9.5)};
      query.a = query.b = &spike;
      query.X_WA = {Q, {}};
      query.X_WB = {R, on_a - on_b + random.Uniform(0, 1) * random.Direction()};
    } else if (k >= 60) {  // a rim dips into a face between its nodes
      const double tilt = random.Uniform(0.1, 1.4), rim = 4.5 * std::cos(tilt) + 4 * std::sin(tilt);
      query.a = &box;
      query.b = &cylinder;
      query.X_WB = {
          testing::Turned({0, 0, random.Uniform(0, 6)}, {}) * testing::Turned({tilt, 0, 0}, {}),
          {random.Uniform(-1, 1), random.Uniform(-1, 1), 4 + rim - random.Uniform(0.3, 0.7)}};
    }
    query.rule = k % 2 == 0 ? LeafRule::kFraction : LeafRule::kClip;
    const InterferenceMetrics m = ComputeMetrics(query);
    query.rule = LeafRule::kVoxel;
    query.tolerance = 1e-2;
    const InterferenceMetrics of_fields = ComputeMetrics(query);
    const double stated = m.volume_error + of_fields.volume_error;
    if (k < 160) {
      EXPECT_NEAR(m.volume, of_fields.volume, stated) << k << " " << depth;
    }
    unseen += m.volume < 0.5 * of_fields.volume;
    exceeded += std::fabs(m.volume - of_fields.volume) > stated;
  }
  EXPECT_GT(unseen, 20);
  EXPECT_LE(exceeded, 1);  // one of 2,000 spikes lies between all nodes of the other grid's voxels
}

// Where faces of one grid run along kinks of another, changes from level to level fall by two, or
// are small by luck: a rim along a face, and random pairs. Enclosures are the witness.
TEST(GridRules, VoxelStatesItsErrorAtKinks) {
  const auto misses = [](PairQuery query, double tolerance) {
    query.rule = LeafRule::kVoxel;
    query.tolerance = tolerance;
    const InterferenceMetrics m = ComputeMetrics(query);
    if (!(m.volume > 0)) return 0.0;
    const VolumeEnclosure V =
        CertifyVolume({query.a, 1}, {query.b, 1}, query.X_WA, query.X_WB, {.tolerance = 1e-4});
    return std::max(V.lower - m.volume, m.volume - V.upper) / m.volume_error;
  };
  const Cell box = GridCell(geometry::Box{{12, 10, 8}}, 1),
             rim = GridCell(geometry::Cylinder{6, 10}, 1);
  PairQuery query;
  query.a = &box;
  query.b = &rim;
  query.X_WB.p = {0.25, 0.25, 9 - 0.05};
  EXPECT_LT(misses(query, 1e-3), 1);  // 80
  const testing::GridCells cells;
  for (const PairQuery& random : testing::GridQueries(cells, 60, 3)) {
    EXPECT_LT(misses(random, 1e-2), 1);
  }
}

// Boxes that lie flat on each other: their faces are taken at once, however fine the voxels, and
// what is left are their rims. Before, the budget ended the thin one at 1.6e-3.
TEST(GridRules, FlatFacesMeetTheirTolerance) {
  const Cell above = GridCell(geometry::Box{{15, 20, 10}}, 1),
             below = GridCell(geometry::Box{{10.6, 10.6, 10.6}}, 1);
  for (const double depth : {0.003, 0.7}) {
    PairQuery query;
    query.a = &above;
    query.b = &below;
    query.X_WA = {testing::Turned({0, 0, 0.4}, Mat3::Identity()), {0.13, 0.37, 10.3 - depth}};
    query.rule = LeafRule::kVoxel;
    query.tolerance = 1e-3;
    const InterferenceMetrics m = ComputeMetrics(query);
    EXPECT_EQ(m.status, Status::kOk) << depth;
    EXPECT_LT(m.work, 200000) << depth;
    const VolumeEnclosure V =
        CertifyVolume({&above, 1}, {&below, 1}, query.X_WA, query.X_WB, {.tolerance = 2e-3});
    EXPECT_LT(V.lower, m.volume + m.volume_error) << depth;
    EXPECT_GT(V.upper, m.volume - m.volume_error) << depth;
  }
}

}  // namespace
}  // namespace intervox
