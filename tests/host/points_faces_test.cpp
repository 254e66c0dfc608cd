// Faces on faces in points: corners of what they share come and go, their force without a jump.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/solid.h"
#include "host/contact/points/points.h"

namespace intervox {
namespace {

using geometry::Box;
using geometry::Cell;
using geometry::ToCells;

Cell BoxOf(const Vec3& size) {
  geometry::Shape shape;
  shape.name = "box";
  shape.primitive = Box{size};
  return ToCells(shape)[0];
}

/** The corners of two boxes of which one is 1e-4 deep in the other. */
std::vector<host::points::PointContact> Corners(const Cell& a, const Cell& b, const Vec3& p,
                                                double yaw) {
  const Mat3 R = Mat3::FromColumns({std::cos(yaw), std::sin(yaw), 0},
                                   {-std::sin(yaw), std::cos(yaw), 0}, {0, 0, 1});
  std::vector<host::points::PointContact> out;
  FindPoints({&a, &b, {R, p}, {}, 1e-9}, &out);
  return out;
}

TEST(FacesInPoints, WeightsOfCornersSumToThoseOfTheFaceAndAreContinuous) {
  const Cell a = BoxOf({0.1, 0.07, 0.05}), b = BoxOf({0.2, 0.2, 0.1});
  std::size_t most = 0;
  const auto moments = [&](double x) {
    double sum = 0.0;
    Vec3 at;
    const auto points = Corners(a, b, {x, 0.02, 0.075 - 1e-4}, 0.3);
    most = std::max(most, points.size());
    for (const auto& point : points) {
      sum += point.weight;
      at += point.weight * point.p_WB;
    }
    EXPECT_NEAR(sum, 4.0, 1e-5) << x;
    return at / sum;
  };
  constexpr double kShift = 1e-5;
  Vec3 before = moments(0.0);
  for (double x = kShift; x < 0.12; x += kShift) {
    const Vec3 now = moments(x);
    ASSERT_LT(Norm(now - before), 4 * kShift) << x;
    before = now;
  }
  EXPECT_GE(most, 5U);
  for (const auto& point : Corners(a, b, {0, 0, 0.075 - 1e-4}, 0.3)) {
    EXPECT_NEAR(point.weight, 1.0, 1e-12);  // a whole rectangle
  }
}

}  // namespace
}  // namespace intervox
