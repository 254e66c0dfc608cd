// Sums over the cell pairs of whole shapes.
#include "host/scene/shape_metrics.h"

#include <gtest/gtest.h>

#include <array>

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
  EXPECT_EQ(SumOfParts(parts, 1e-7).status, Status::kToleranceNotMet);
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

TEST(SumOfParts, WorseThanATolerancePrevails) {
  const std::array parts{Part(1, 0, Status::kOk), Part(0, 0, Status::kUnbounded)};
  EXPECT_EQ(SumOfParts(parts, 1e-3).status, Status::kUnbounded);
}

}  // namespace
}  // namespace intervox::host
