#include "tests/cuda/oracle.h"

#include <gtest/gtest.h>

#include "cuda/engine.h"

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

TEST(Oracle, AllPairsTo1em3) { Check(1e-3); }
TEST(Oracle, AllPairsTo1em4) { Check(1e-4); }
TEST(Oracle, AllPairsTo1em6) { Check(1e-6); }

}  // namespace
}  // namespace intervox
