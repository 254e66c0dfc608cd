#include "cuda/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/cuda/families.h"
#include "tests/cuda/same_bits.h"

namespace intervox {
namespace {

using testing::Random;
using testing::RandomQueries;
using testing::SameBits;

TEST(Engine, SameBitsForAnyExecutorBatchAndOrder) {
  const std::vector<testing::Family> families = testing::AllFamilies();
  std::vector<PairQuery> queries = RandomQueries(families, 98);
  const auto serial = Engine({Device::kSerial}).Compute(queries);
  int overlaps = 0;
  for (const InterferenceMetrics& m : serial) overlaps += m.status == Status::kOk;
  EXPECT_GT(overlaps, 60);
  for (int threads : {0, 1, 2, 3}) {
    const auto again = Engine({Device::kThreads, threads}).Compute(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_TRUE(SameBits(serial[i], again[i]));
  }
  std::reverse(queries.begin(), queries.end());
  const auto reversed = Engine({Device::kThreads, 2}).Compute(queries);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    EXPECT_TRUE(SameBits(serial[i], reversed[queries.size() - 1 - i]));
    EXPECT_TRUE(SameBits(reversed[i], ComputeMetrics(queries[i])));
  }
}

// Boxes that share a slab, however thin, are seen on each of their six sides.
TEST(Engine, ThinSlabsOfBoxesAreNotLost) {
  Random random(8);
  const Vec3 size{1.0, 0.8, 0.6};
  for (const double other : {0.5, 1.0, 2.0}) {
    const geometry::Cell a = testing::BoxCell(size), b = testing::BoxCell(other * size);
    for (double thin = 1e-2; thin > 1e-7; thin /= 10) {
      for (int axis = 0; axis < 3; ++axis) {
        for (const double side : {-1.0, 1.0}) {
          Vec3 shift;
          shift[axis] = side * 0.5 * size[axis] * (1.0 + other - 2.0 * thin);
          const Pose X_WA = random.RandomPose(0.5), X_WB{X_WA.R, X_WA * shift};
          double area = std::pow(std::fmin(1.0, other), 2);
          for (int k = 0; k < 3; ++k) area *= k == axis ? 1.0 : size[k];
          const double volume = area * thin * size[axis];
          EXPECT_NEAR(ComputeMetrics({&a, &b, X_WA, X_WB, 1e-6}).volume / volume, 1.0, 1e-6)
              << axis << " " << side << " " << thin;
        }
      }
    }
  }
}

TEST(Engine, AnAbsentDeviceIsNamed) {
  try {
    EngineOptions options;
    options.device = Device::kCuda;
    options.cuda_device = 4096;
    const Engine engine(options);
    FAIL() << "device 4096 is not there";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cuda:4096"), std::string::npos);
  }
}

TEST(Engine, ASmallSpanIsRefused) {
  const testing::Cell box = testing::BoxCell({1, 1, 1});
  const std::vector<PairQuery> queries(3, PairQuery{&box, &box, {}, {}});
  std::vector<InterferenceMetrics> metrics(2);
  EXPECT_THROW(Engine().Compute(queries, metrics), std::invalid_argument);
}

TEST(Engine, ANamedRuleIsUsedOrRefusedHonestly) {
  const testing::Cell ball = testing::CellsOf(geometry::Sphere{0.5})[0];
  const testing::Cell floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  PairQuery q{&ball, &floor, {{}, {0, 0, 0.499}}, {}};
  q.rule = LeafRule::kPolar;
  InterferenceMetrics m = ComputeMetrics(q);
  EXPECT_EQ(m.status, Status::kOk);
  EXPECT_EQ(m.rule, LeafRule::kPolar);
  const double h = 1e-3, V = std::acos(-1.0) * h * h * (0.5 - h / 3);
  EXPECT_NEAR(m.volume, V, 1e-3 * V);
  q.rule = LeafRule::kPolytope;  // cannot: the ball is curved
  m = ComputeMetrics(q);
  EXPECT_EQ(m.status, Status::kToleranceNotMet);
  EXPECT_LE(m.volume_lo, V);
  EXPECT_GE(m.volume_hi, V);
}

TEST(Engine, EveryRuleIsUsedWhereItIsNamed) {
  using testing::CellsOf;
  const testing::Cell ball = CellsOf(geometry::Sphere{0.3})[0], box = testing::BoxCell({1, 1, 1});
  const testing::Cell pin = CellsOf(geometry::Cylinder{0.3, 0.8})[0];
  const testing::Cell ring = CellsOf(geometry::Torus{0.4, 0.15})[0];
  const Pose X_WA{ToRotation(Normalized(Quaternion{0.9, 0.2, 0.3, 0.1})), {0.5, 0.1, 0.6}};
  const struct {
    LeafRule rule;
    const testing::Cell* a;
  } cases[] = {{LeafRule::kPolytope, &box}, {LeafRule::kFlux, &pin},  {LeafRule::kPolar, &ball},
               {LeafRule::kColumn, &ring},  {LeafRule::kClip, &pin},  {LeafRule::kClip, &box},
               {LeafRule::kCenter, &ring},  {LeafRule::kCenter, &pin}};
  const testing::Cell floor = testing::HalfSpaceCell({0, 0, 1}, 0.5);
  for (const auto& [rule, a] : cases) {
    PairQuery q{a, rule == LeafRule::kPolar ? &floor : &box, X_WA, {}, 1e-3};
    const double V = ComputeMetrics(q).volume;
    q.rule = rule;
    if (rule == LeafRule::kCenter) q.voxel_size = 2e-3;
    const InterferenceMetrics m = ComputeMetrics(q);
    EXPECT_EQ(m.rule, rule) << static_cast<int>(rule);
    EXPECT_GT(V, 1e-3) << static_cast<int>(rule);
    const bool voxels = rule == LeafRule::kCenter;  // of first order, and says so
    EXPECT_NEAR(m.volume, V, voxels ? m.volume_error : 2e-3 * V) << static_cast<int>(rule);
    EXPECT_LT(m.volume_error, (voxels ? 0.2 : 2e-3) * V) << static_cast<int>(rule);
  }
}

TEST(Engine, ToleranceBoundsTheError) {
  const std::vector<testing::Family> families = testing::AllFamilies();
  for (PairQuery q : RandomQueries(families, 49)) {
    q.tolerance = 1e-5;
    const InterferenceMetrics fine = ComputeMetrics(q);
    if (fine.status != Status::kOk) continue;
    q.tolerance = 1e-3;
    const InterferenceMetrics coarse = ComputeMetrics(q);
    ASSERT_EQ(coarse.status, Status::kOk);
    EXPECT_NEAR(coarse.volume, fine.volume, 1e-3 * fine.volume);
    EXPECT_LE(coarse.volume_lo, fine.volume * (1 + 1e-5));
    EXPECT_GE(coarse.volume_hi, fine.volume * (1 - 1e-5));
  }
}

// A pin that only just touches the rim of its hole: what the boundary's sums leave open is more
// than the volume, and nothing to a query that says which volumes do not matter.
TEST(Engine, GrazesBelowTheVolumeFloorTakeNoSlowerRule) {
  const geometry::Cell pin = testing::CellsOf(geometry::Cone{0.012, 0.005, 0.035})[0];
  const geometry::Cell hole = testing::HoledBoxCells({0.1, 0.1, 0.028}, 0.0075)[0];
  constexpr double kFloor = 1e-13;
  Random random(19);
  int slower = 0;
  for (int i = 0; i < 15; ++i) {
    PairQuery query{&hole, &pin, {}, {}};
    const double tilt = random.Uniform(0.0, 0.03), turn = random.Uniform(-1, 1);
    query.X_WB.R = ToRotation(Normalized(Quaternion{1, tilt, 0.3 * tilt, turn}));
    const Vec3 beside{random.Uniform(-5e-4, 5e-4), random.Uniform(-5e-4, 5e-4), 0};
    double apart = -0.05, touching = 0.0;
    for (double z = -0.025; z > apart && z < touching; z = 0.5 * (apart + touching)) {
      query.X_WB.p = beside + Vec3{0, 0, z};
      (ComputeMetrics(query).volume > 0 ? touching : apart) = z;
    }
    query.X_WB.p = beside + Vec3{0, 0, touching};
    const InterferenceMetrics graze = ComputeMetrics(query);
    ASSERT_LT(graze.volume, 1e-18);
    if (graze.rule == LeafRule::kColumn) ++slower;
    query.volume_floor = kFloor;
    const InterferenceMetrics rough = ComputeMetrics(query);
    EXPECT_EQ(rough.rule, LeafRule::kFlux);
    EXPECT_NE(rough.status, Status::kToleranceNotMet);
    EXPECT_LE(rough.volume, kFloor);
    EXPECT_LE(rough.volume_error, kFloor);
  }
  EXPECT_GT(slower, 5);
}

}  // namespace
}  // namespace intervox
