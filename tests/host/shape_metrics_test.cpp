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

TEST(SumOfParts, WorseThanATolerancePrevails) {
  const std::array parts{Part(1, 0, Status::kOk), Part(0, 0, Status::kUnbounded)};
  EXPECT_EQ(SumOfParts(parts, 1e-3).status, Status::kUnbounded);
}

}  // namespace
}  // namespace intervox::host
