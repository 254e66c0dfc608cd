// The Cuda executor, where there is a device: the bits of the Serial executor for everything that
// the engine's own tests ask of it. They skip where there is none, and only there.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "geometry/hollows.h"
#include "tests/cuda/grid_queries.h"
#include "tests/cuda/oracle.h"
#include "tests/cuda/same_bits.h"

namespace intervox {
namespace {

using testing::Random;

// The machine for machine code takes seconds for some queries, so it gets fewer.
#ifdef INTERVOX_SASS
constexpr int kQueries = 294, kFineQueries = 98, kNamedQueries = 14, kGridQueries = 60;
#else
constexpr int kQueries = 490, kFineQueries = 147, kNamedQueries = 49, kGridQueries = 150;
#endif

class GpuEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      cuda_ = std::make_unique<Engine>(EngineOptions{Device::kCuda});
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  void ExpectTheCpusBits(const std::vector<PairQuery>& queries, const std::string& what) {
    const auto serial = Engine({Device::kSerial}).Compute(queries);
    const auto cuda = cuda_->Compute(queries);
    ASSERT_EQ(cuda.size(), serial.size());
    int other = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (testing::SameBits(serial[i], cuda[i])) continue;
      if (++other <= 3) {
        ADD_FAILURE() << what << " " << i << ": V " << serial[i].volume << " and " << cuda[i].volume
                      << ", rule " << static_cast<int>(serial[i].rule) << " and "
                      << static_cast<int>(cuda[i].rule);
      }
    }
    EXPECT_EQ(other, 0) << what;
  }

  std::unique_ptr<Engine> cuda_;
};

TEST_F(GpuEngine, HasTheCpusBitsForAllFamilies) {
  const auto families = testing::AllFamilies();
  ExpectTheCpusBits(testing::RandomQueries(families, kQueries), "query");
  auto fine = testing::RandomQueries(families, kFineQueries);
  for (PairQuery& query : fine) query.tolerance = 1e-6;
  ExpectTheCpusBits(fine, "fine query");
}

TEST_F(GpuEngine, HasTheCpusBitsForTheOracle) {
  for (const double tolerance : {1e-3, 1e-4, 1e-6}) {
    std::vector<PairQuery> queries;
    for (const testing::OraclePair& pair : testing::OraclePairs()) {
      queries.push_back(pair.Query(tolerance));
    }
    ExpectTheCpusBits(queries, "tolerance " + std::to_string(tolerance));
  }
}

TEST_F(GpuEngine, HasTheCpusBitsForEveryNamedRule) {
  const auto families = testing::AllFamilies();
  auto queries = testing::RandomQueries(families, kNamedQueries);
  for (const LeafRule rule :
       {LeafRule::kPolytope, LeafRule::kFlux, LeafRule::kPolar, LeafRule::kClip, LeafRule::kCenter,
        LeafRule::kColumn, LeafRule::kSlice}) {
    for (PairQuery& query : queries) {
      query.rule = rule;
      query.voxel_size = rule == LeafRule::kCenter ? 0.02 : 0.0;
    }
    ExpectTheCpusBits(queries, "rule " + std::to_string(static_cast<int>(rule)));
  }
}

// Pegs in the sectors of their holes, at clearances of a contact.
TEST_F(GpuEngine, HasTheCpusBitsForPegsInHoles) {
  const testing::Cell peg = testing::CellsOf(geometry::Cylinder{0.2495, 0.8})[0];
  const testing::Cell tip = testing::CellsOf(geometry::Cone{0.2, 0.2495, 0.2})[0];
  const auto sectors = geometry::SplitHollows(testing::HoledBoxCells({1, 1, 0.5}, 0.25));
  Random random(6);
  std::vector<PairQuery> queries;
  for (std::size_t i = 0; i < 2000; ++i) {
    PairQuery query{i % 2 == 0 ? &peg : &tip, &sectors[i / 2 % sectors.size()], {}, {}};
    query.X_WA.p = 2e-3 * random.Direction();
    query.X_WA.R = testing::Turned(2e-3 * random.Direction(), {});
    queries.push_back(query);
  }
  ExpectTheCpusBits(queries, "pegs");
}

// One thread of the host, so that the device does not leave few lanes to it.
TEST_F(GpuEngine, HasTheCpusBitsForGrids) {
  cuda_ = std::make_unique<Engine>(EngineOptions{Device::kCuda, 1});
  const testing::GridCells cells;
  const auto queries = testing::GridQueries(cells, kGridQueries);
  ExpectTheCpusBits(queries, "grid");
  int overlaps = 0;
  for (const InterferenceMetrics& m : Engine().Compute(queries)) overlaps += m.volume > 0;
  EXPECT_GT(overlaps, kGridQueries / 2);
}

// What the device's workspace does not hold, what is no query, and cells without end.
TEST_F(GpuEngine, HasTheCpusBitsForWhatItCannotTake) {
  Random random(7);
  geometry::Convex points;
  for (int k = 0; k < 300; ++k) points.vertices.push_back(random.Direction());
  const testing::Cell hull = testing::CellsOf(points)[0], box = testing::BoxCell({1, 1, 1});
  const testing::Cell ball = testing::CellsOf(geometry::Sphere{0.7})[0];
  const testing::Cell floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  std::vector<PairQuery> queries;
  for (const testing::Cell* a : {&hull, &box, &ball, &floor}) {
    for (const testing::Cell* b : {&hull, &box, &ball, &floor}) {
      queries.push_back({a, b, random.RandomPose(0.4), random.RandomPose(0.4)});
    }
    queries.push_back({a, nullptr, {}, {}});
  }
  queries.push_back({&box, &box, {}, {Mat3::Identity(), {NAN, 0, 0}}});
  queries.push_back({&box, &box, {}, {}, 0.0});
  ExpectTheCpusBits(queries, "odd query");
  EXPECT_TRUE(cuda_->Compute(std::vector<PairQuery>{}).empty());
}

}  // namespace
}  // namespace intervox
