#include "tests/cuda/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bench/stack.h"
#include "cuda/engine.h"
#include "cuda/planner.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

using testing::OraclePair;

void Check(double tolerance) {
  ASSERT_EQ(testing::OraclePairs().size(), 50u);
  for (const OraclePair& pair : testing::OraclePairs()) {
    const InterferenceMetrics m = ComputeMetrics(pair.Query(tolerance));
    const double V = pair.volume;
    EXPECT_EQ(m.status, Status::kOk) << pair.name << " error " << m.volume_error / V;
    EXPECT_LE(testing::WorstError(m, pair), tolerance) << pair.name;
    EXPECT_LE(m.volume_lo, V * (1 + 1e-9)) << pair.name;
    EXPECT_GE(m.volume_hi, V * (1 - 1e-9)) << pair.name;
  }
}

// With the workspace, over the oracle and the pairs of families, at several tolerances.
TEST(SlowOracle, WorkingMemoryOfAPairIsBelow64KiB) {
  std::vector<PairQuery> queries;
  for (const OraclePair& pair : testing::OraclePairs()) queries.push_back(pair.Query(1e-3));
  const std::vector<testing::Family> families = testing::AllFamilies();
  testing::Random random(6);
  for (const testing::Family& a : families) {
    for (const testing::Family& b : families) {
      queries.push_back({&a.cell, &b.cell, random.RandomPose(0.4), random.RandomPose(0.4)});
    }
  }
  std::size_t deepest = 0;
  for (PairQuery& q : queries) {
    for (const double tolerance : {1e-3, 1e-6}) {
      q.tolerance = tolerance;
      deepest = std::max(deepest, bench::StackOf([&] { ComputeMetrics(q); }));
    }
  }
  EXPECT_GT(deepest, std::size_t{4} << 10);
  EXPECT_LT(sizeof(cuda::Workspace<>) + deepest, std::size_t{64} << 10);
}

TEST(Oracle, AllPairsTo1em3) { Check(1e-3); }
TEST(Oracle, AllPairsTo1em4) { Check(1e-4); }
TEST(Oracle, AllPairsTo1em6) { Check(1e-6); }

}  // namespace
}  // namespace intervox
