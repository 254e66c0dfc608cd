// Sums over the cell pairs of whole shapes.
#include "host/scene/shape_metrics.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cuda/moments/mass_properties.h"
#include "geometry/shape.h"
#include "host/scene/grids.h"
#include "host/scene/reader.h"
#include "host/world/world.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

InterferenceMetrics Part(double volume, double error, Status status) {
  InterferenceMetrics part;
  part.volume = volume;
  part.volume_error = error;
  part.volume_lo = volume > error ? volume - error : 0;
  part.volume_hi = volume + error;
  part.status = status;
  return part;
}

TEST(SumOfParts, ASliverMayMissItsOwnTolerance) {
  const std::array parts{Part(1, 1e-7, Status::kOk), Part(1e-6, 1e-7, Status::kToleranceNotMet)};
  EXPECT_EQ(SumOfParts(parts, 1e-6).status, Status::kOk);
  EXPECT_EQ(SumOfParts(parts, 2.01e-7).status, Status::kOk);
  EXPECT_EQ(SumOfParts(parts, 1.99e-7).status, Status::kToleranceNotMet);
  EXPECT_DOUBLE_EQ(SumOfParts(parts, 1e-6).volume_error, 2e-7);
}

TEST(SumOfParts, PartsOfUnknownVolumeCount) {
  // No rule took the second pair: all that is known is the box around it.
  const std::array parts{Part(1, 0, Status::kOk), Part(0, 0.5, Status::kToleranceNotMet)};
  const InterferenceMetrics sum = SumOfParts(parts, 1e-3);
  EXPECT_EQ(sum.status, Status::kToleranceNotMet);
  EXPECT_DOUBLE_EQ(sum.volume_hi, 1.5);
  EXPECT_DOUBLE_EQ(sum.volume_error, 0.5);
}

TEST(SumOfParts, ByVoxelsWhateverIsMeasuredIsOk) {
  MeasureOptions options{1e-4, 0.01, LeafRule::kCenter};
  const std::array coarse{Part(1, 0.3, Status::kToleranceNotMet), Part(2, 0, Status::kOk)};
  EXPECT_EQ(SumOfParts(coarse, options.Judged()).status, Status::kOk);
  EXPECT_DOUBLE_EQ(SumOfParts(coarse, options.Judged()).volume_error, 0.3);
  // What no rule could measure, and what is infinite, is not.
  const std::array unknown{Part(1, 0, Status::kOk), Part(0, 0.5, Status::kToleranceNotMet)};
  EXPECT_EQ(SumOfParts(unknown, options.Judged()).status, Status::kToleranceNotMet);
  const std::array infinite{Part(1, 0, Status::kOk), Part(0, 0, Status::kUnbounded)};
  EXPECT_EQ(SumOfParts(infinite, options.Judged()).status, Status::kUnbounded);
  // Rules without voxels are judged as ever.
  options.rule = LeafRule::kAuto;
  EXPECT_EQ(SumOfParts(coarse, options.Judged()).status, Status::kToleranceNotMet);
  options = {1e-4, 0.0, LeafRule::kCenter};
  EXPECT_EQ(SumOfParts(coarse, options.Judged()).status, Status::kToleranceNotMet);
}

// Parts that are named in another order give the same bits: swapped solids have the same metrics.
TEST(ShapeMetrics, SwappedSolidsOfSeveralCellsHaveTheSameBits) {
  using geometry::At;
  using geometry::Leaf;
  using geometry::Operation;
  using geometry::Tree;
  const std::vector<std::vector<geometry::Cell>> solids = {
      geometry::ToCells(
          *Tree(Operation::kUnion, {Leaf(geometry::Box{{0.6, 0.2, 0.3}}),
                                    Leaf(geometry::Box{{0.2, 0.6, 0.3}}, At(0.2, 0.2, 0))})),
      geometry::ToCells(*Tree(Operation::kUnion, {Leaf(geometry::Cylinder{0.2, 0.6}),
                                                  Leaf(geometry::Box{{0.6, 0.2, 0.3}}),
                                                  Leaf(geometry::Sphere{0.25}, At(0.3, 0, 0))})),
      geometry::ToCells(*Leaf(geometry::Capsule{0.2, 0.4})),
      geometry::ToCells(*Tree(
          Operation::kDifference,
          {Leaf(geometry::Box{{0.8, 0.8, 0.3}}), Leaf(geometry::Cylinder{0.1, 1}, At(0.2, 0.1, 0)),
           Leaf(geometry::Cylinder{0.1, 1}, At(-0.2, 0, 0))}))};
  geometry::Random random(12);
  const Engine engine({Device::kSerial, 1, 0});
  int overlaps = 0;
  for (int k = 0; k < 400; ++k) {
    const auto& a = solids[static_cast<std::size_t>(random.Below(4))];
    const auto& b = solids[static_cast<std::size_t>(random.Below(4))];
    const Pose X_WA = random.RandomPose(0.3), X_WB = random.RandomPose(0.3);
    const InterferenceMetrics m = MeasurePair(engine, a, b, X_WA, X_WB, {}).sum;
    const InterferenceMetrics swapped = MeasurePair(engine, b, a, X_WB, X_WA, {}).sum;
    EXPECT_EQ(m.volume, swapped.volume);
    EXPECT_EQ(m.volume_error, swapped.volume_error);
    EXPECT_EQ(m.p_WC, swapped.p_WC);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(m.J_W.Row(i), swapped.J_W.Row(i));
    EXPECT_EQ(m.area_vector, -swapped.area_vector);
    EXPECT_EQ(m.area_moment, -swapped.area_moment);
    overlaps += m.volume > 0 ? 1 : 0;
  }
  EXPECT_GT(overlaps, 200);
}

TEST(SumOfParts, WorseThanATolerancePrevails) {
  const std::array parts{Part(1, 0, Status::kOk), Part(0, 0, Status::kUnbounded)};
  EXPECT_EQ(SumOfParts(parts, 1e-3).status, Status::kUnbounded);
}

/** A comb of boxes, each a cell. */
std::vector<geometry::Cell> Comb(int teeth, double pitch) {
  geometry::Shape comb;
  comb.operation = geometry::Operation::kUnion;
  for (int k = 0; k < teeth; ++k) {
    geometry::Shape tooth;
    tooth.primitive = geometry::Box{{0.3 * pitch, 0.1 + 0.01 * k, 0.2}};
    tooth.X.p = {pitch * k, 0, 0};
    comb.children.push_back(std::make_shared<const geometry::Shape>(tooth));
  }
  return geometry::ToCells(comb);
}

// More cell pairs than go to the engine at once: each pose has the bits that it has alone.
TEST(ShapeMetrics, ManyPosesHaveTheBitsOfEachAlone) {
  const std::vector<geometry::Cell> a = Comb(50, 0.1), b = Comb(40, 0.11);
  const Engine engine;
  const MeasureOptions options{1e-4, 0.0, LeafRule::kAuto};
  std::vector<Pose> X_WA(75), X_WB(75);
  for (std::size_t i = 0; i < X_WA.size(); ++i) {
    const double t = 0.1 * static_cast<double>(i);
    X_WA[i] = {ToRotation(Normalized(Quaternion{1, 0.1 * t, 0.02, -0.03 * t})), {t, 0.01 * t, 0}};
    X_WB[i] = {ToRotation(Normalized(Quaternion{1, 0, 0.03 * t, 0.01})), {0.3 * t, 0, 0.02}};
  }
  std::vector<InterferenceMetrics> sums(X_WA.size());
  MeasurePoses(engine, a, b, X_WA, X_WB, options, sums);
  int overlaps = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const InterferenceMetrics one = MeasurePair(engine, a, b, X_WA[i], X_WB[i], options).sum;
    overlaps += one.volume > 0 ? 1 : 0;
    ASSERT_EQ(one.volume, sums[i].volume) << i;
    ASSERT_EQ(one.p_WC, sums[i].p_WC) << i;
    ASSERT_EQ(one.area_vector, sums[i].area_vector) << i;
    ASSERT_EQ(one.work, sums[i].work) << i;
  }
  EXPECT_GT(overlaps, 20);
}

// The mass of a large grid took a minute of one core, in silence.
TEST(MeasureSolid, GridsAreSharedAndToldOfWithTheSameBits) {
  const auto ball = std::make_shared<geometry::Shape>();
  ball->primitive = geometry::Sphere{0.01};
  const std::vector<geometry::Cell> cells = geometry::ToCells(GridOf(ball, 5e-4));
  int told = 0;
  SetGridWatch([&](int, int) { ++told; });
  const InterferenceMetrics alone = MeasureSolid(Engine({Device::kSerial}), cells, {}).sum;
  EXPECT_EQ(told, 0);
  const ShapeMetrics shared = MeasureSolid(Engine(), cells, {});
  EXPECT_GT(told, 10);
  const int before = told;
  const MassProperties mass = ComputeMassProperties(cells, 2.0, 1e-3, OnAllCores);
  EXPECT_GT(told, before + 10);
  SetGridWatch({});
  EXPECT_EQ(shared.pairs, 1);
  EXPECT_EQ(shared.sum.volume, alone.volume);
  EXPECT_EQ(shared.sum.p_WC.z, alone.p_WC.z);
  EXPECT_EQ(shared.sum.J_W(0, 1), alone.J_W(0, 1));
  EXPECT_EQ(mass.volume, ComputeMassProperties(cells, 2.0, 1e-3).volume);
  EXPECT_NEAR(mass.volume, alone.volume, 1e-3 * alone.volume);
}

// A free body's mass is told of beyond the making of its grid, a fixed one has none.
TEST(MeasureSolid, TheMassOfABodyOnAGridIsToldOf) {
  const auto stages = [](const std::string& body) {
    int count = 0;
    SetGridWatch([&](int done, int) { count += done == 0 ? 1 : 0; });
    MakeWorld(
        ParseScene("schema: intervox/scene/2\n"
                   "shapes: {ball: {sphere: {radius: 0.01}}}\n"
                   "materials: {steel: {density: 7800}}\n"
                   "bodies:\n"
                   "  a: {shape: ball, material: steel, representation: {grid: 5e-4}" +
                       body + "}\n",
                   "test.yaml", {}));
    SetGridWatch({});
    return count;
  };
  EXPECT_GE(stages(""), stages(", fixed: true") + 2);  // two levels at least
}

}  // namespace
}  // namespace intervox::host
