// Faces on faces in points: corners of what they share come and go, their force without a jump.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/solid.h"
#include "host/contact/points/points.h"
#include "host/contact/points/polytopes.h"

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

/** The rotation by the angle |turn| about it. */
Mat3 Turn(const Vec3& turn) {
  const double angle = Norm(turn), s = std::sin(0.5 * angle) / angle;
  return ToRotation(Quaternion{std::cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z});
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

// A corner that is cut off gives its weight to those that come, and a side that leaves takes its
// own along: as the face slides over the other's edge, its weights sum to what is there of its
// sides.
TEST(FacesInPoints, WeightsOfCornersSumToTheSharesOfTheSidesAndAreContinuous) {
  const Cell a = BoxOf({0.1, 0.07, 0.05}), b = BoxOf({0.2, 0.2, 0.1});
  std::size_t most = 0;
  double sum = 0.0;
  const auto moments = [&](double x) {
    Vec3 at;
    const auto points = Corners(a, b, {x, 0.02, 0.075 - 1e-4}, 0.3);
    most = std::max(most, points.size());
    sum = 0.0;
    for (const auto& point : points) {
      EXPECT_LT(point.weight, 1.0 + 1e-9) << x;
      sum += point.weight;
      at += point.weight * point.p_WB;
    }
    return at / sum;
  };
  constexpr double kShift = 1e-5;
  Vec3 before = moments(0.0);
  double weights = sum;
  EXPECT_NEAR(sum, 4.0, 1e-12);
  for (double x = kShift; x < 0.12; x += kShift) {
    const Vec3 now = moments(x);
    ASSERT_LT(Norm(now - before), 4 * kShift) << x;
    // A side of 0.07 that lies along the edge goes, and one of 0.1 comes and goes on both sides.
    ASSERT_LT(std::fabs(sum - weights), 300 * kShift) << x;
    before = now;
    weights = sum;
  }
  EXPECT_GE(most, 5U);
  EXPECT_LT(weights, 3.0);
  for (const auto& point : Corners(a, b, {0, 0, 0.075 - 1e-4}, 0.3)) {
    EXPECT_NEAR(point.weight, 1.0, 1e-12);  // a whole rectangle
  }
}

// A corner of what two tilted faces share is a corner of one on the other's face, or edges that
// cross: as one body moves, the depth changes with the normal at the witness points. So the force
// has a potential. A depth along one face's normal would be off by the tilt.
TEST(FacesInPoints, DepthsHaveTheirNormalsAsGradientsAtAnyTilt) {
  const Cell a = BoxOf({0.1, 0.07, 0.05}), b = BoxOf({0.2, 0.2, 0.1});
  int corners_of_a = 0, corners_of_b = 0, crossings = 0;
  for (const double tilt : {1e-4, 1e-2, 0.1}) {
    for (int k = 0; k < 40; ++k) {
      // Over a side of b, over one of its corners, or on a larger box.
      const double yaw = 0.15 + 0.03 * k;
      const Vec3 axis = Normalized(Vec3{std::sin(3.0 * k), std::cos(5.0 * k), 0});
      const Pose X{Turn(tilt * axis) * Turn({0, 0, yaw}),
                   {k % 4 == 0 ? 0.0 : 0.09, k % 2 == 0 ? 0.02 : 0.09, 0.0749 - 0.04 * tilt}};
      const bool swapped = k % 3 == 0;
      const auto find = [&](const Pose& X_WA) {
        std::vector<host::points::PointContact> out;
        if (swapped) {
          FindPoints({&b, &a, {}, X_WA, 1e-9}, &out);
        } else {
          FindPoints({&a, &b, X_WA, {}, 1e-9}, &out);
        }
        return out;
      };
      const Vec3 v{0.3, -0.4, 0.2}, w{1.0, 2.0, -3.0};
      constexpr double kStep = 1e-7;
      const Pose ahead{Turn(kStep * w) * X.R, X.p + kStep * v};
      const Pose behind{Turn(-kStep * w) * X.R, X.p - kStep * v};
      const auto after = find(ahead), before = find(behind);
      for (const auto& point : find(X)) {
        const auto same = [&](const auto& other) { return other.feature == point.feature; };
        const auto later = std::find_if(after.begin(), after.end(), same);
        const auto earlier = std::find_if(before.begin(), before.end(), same);
        if (later == after.end() || earlier == before.end()) continue;
        const double sign = swapped ? -1.0 : 1.0;
        const double rate = sign * Dot(point.n, v + Cross(w, point.p_WA - X.p));
        EXPECT_NEAR((later->x - earlier->x) / (2 * kStep), rate, 1e-6)
            << "tilt " << tilt << ", " << k << ", feature " << point.feature;
        EXPECT_NEAR(Norm(point.p_WA - point.x * point.n - point.p_WB), 0.0, 1e-12);
        (point.feature >= host::points::kFirstCrossing ? crossings
         : point.feature >= host::points::kFirst       ? corners_of_b
                                                       : corners_of_a) += 1;
      }
    }
  }
  EXPECT_GT(corners_of_a, 30);
  EXPECT_GT(corners_of_b, 30);
  EXPECT_GT(crossings, 30);
}

}  // namespace
}  // namespace intervox
