// Parts of balls over bores that they do not fit into: the points of their balls, or vertices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/solid.h"
#include "host/contact/points/deepest.h"
#include "host/contact/points/points.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host::points {
namespace {

using geometry::Box;
using geometry::Cell;
using geometry::Cylinder;
using geometry::HalfSpace;
using geometry::Leaf;
using geometry::Operation;
using geometry::Random;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Tree;

constexpr double kPower = 2.5;

/** A ball of unit radius above a plane at height z in its frame, or all of it. */
Cell Ball(double z = -2.0) {
  if (z < -1.0) return ToCells(*Leaf(Sphere{1.0}))[0];
  return ToCells(
      *Tree(Operation::kIntersection, {Leaf(Sphere{1.0}), Leaf(HalfSpace{{0, 0, -1}, -z})}))[0];
}

/** A plate with its upper face at 0 and a bore about the axis. */
Cell Plate(double bore) {
  const auto block = Leaf(Box{{6, 6, 2}}, {Mat3::Identity(), {0, 0, -1}});
  Cell plate = ToCells(*Tree(Operation::kDifference, {block, Leaf(Cylinder{bore, 5})}))[0];
  geometry::IndexCornersOfHull(&plate);
  return plate;
}

std::vector<PointContact> Find(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB) {
  std::vector<PointContact> out;
  FindPoints({&a, &b, X_WA, X_WB}, KindOf(a, b), kPower, &out);
  return out;
}

/** Turned by an angle about y. */
Mat3 Tilted(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return Mat3::FromColumns({c, 0, -s}, {0, 1, 0}, {s, 0, c});
}

/** The height of the centre of a unit ball that is as deep in the rim of a bore. */
double HeightOver(double bore, double depth) {
  return std::sqrt((1.0 - depth) * (1.0 - depth) - bore * bore);
}

// Where all of the circle that touches is on the part it has the points of its ball, whichever of
// the two is asked first, as long as it does not fit into the bore.
TEST(CapsInPoints, WedgeInABoreAsTheirBallsDo) {
  Random random(5);
  int alike = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const double bore = random.Uniform(0.3, 0.95), z = -random.Uniform(0.0, 0.99);
    const Cell cap = Ball(z), ball = Ball(), plate = Plate(bore);
    ASSERT_EQ(KindOf(cap, plate), PairKind::kCap);
    ASSERT_EQ(KindOf(plate, cap), PairKind::kCap);
    const Pose X_WB{random.Rotation(), random.InBox(3.0)};
    const Pose X_BA{Tilted(random.Uniform(0.0, 1.0)),
                    {random.Uniform(-1e-3, 1e-3), 0.0, HeightOver(bore, 1e-3)}};
    // The angle between the plane and what touches of the sphere.
    const Vec3 down = TransposeTimes(X_BA.R, Vec3{bore, 0, -HeightOver(bore, 0)});
    const Vec3 other_side = TransposeTimes(X_BA.R, Vec3{-bore, 0, -HeightOver(bore, 0)});
    if (std::min(down.z, other_side.z) < z + 5e-3) continue;
    ++alike;
    const Pose X_WA = X_WB * X_BA;
    const auto of_ball = Find(ball, plate, X_WA, X_WB), of_cap = Find(cap, plate, X_WA, X_WB),
               swapped = Find(plate, cap, X_WB, X_WA);
    ASSERT_EQ(of_cap.size(), of_ball.size());
    ASSERT_EQ(swapped.size(), of_ball.size());
    for (std::size_t k = 0; k < of_ball.size(); ++k) {
      EXPECT_NEAR(of_cap[k].x, of_ball[k].x, 1e-13);
      EXPECT_NEAR(Norm(of_cap[k].n - of_ball[k].n), 0.0, 1e-12);
      EXPECT_EQ(of_cap[k].feature, of_ball[k].feature);
      EXPECT_NEAR(swapped[k].x, of_ball[k].x, 1e-13);
      EXPECT_NEAR(Norm(swapped[k].n + of_ball[k].n), 0.0, 1e-12);
    }
  }
  EXPECT_GE(alike, 40);
}

// As it tilts until its plane comes to the rim, the points that would leave the part stay at the
// end of their arc: they move on without a jump, on the part, and one is the deepest.
TEST(CapsInPoints, KeepTheirPointsOnThePart) {
  constexpr double kBore = 0.8, kStep = 1e-4;
  for (const double z : {-0.65, -0.7, -0.8}) {
    const Cell cap = Ball(z), plate = Plate(kBore);
    std::vector<PointContact> last;
    int turned = 0;
    for (double angle = 0.0; angle < 1.2; angle += kStep) {
      // A little off the axis, so that one place is deepest.
      const Pose X_WA{Tilted(angle), {2e-4, 1e-4, HeightOver(kBore, 3e-4)}};
      const auto points = Find(cap, plate, X_WA, {});
      if (points.size() != 3) break;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 p_A = TransposeTimes(X_WA.R, points[k].p_WB - X_WA.p);
        EXPECT_GE(p_A.z, z - points[k].x - 1e-12);
        if (last.empty()) continue;
        EXPECT_NEAR(points[k].x, last[k].x, 3e-7) << angle;
        EXPECT_LT(Norm(points[k].n - last[k].n), 0.03) << angle;
      }
      for (std::size_t k = 0; k < last.size(); ++k) {
        turned += Norm(points[k].n - last[k].n) > 1e-9 ? 1 : 0;
      }
      last = points;
    }
    EXPECT_GT(turned, 100) << z;
  }
}

// With its plane on the plate it stands on its rim: the way out is up, not to the bore's side.
TEST(CapsInPoints, StandOnTheirRimOverABore) {
  for (const double z : {0.0, -0.3, -0.9, 0.4}) {
    for (const double share : {0.3, 0.95}) {
      const double rim = std::sqrt(1.0 - z * z);
      const Cell cap = Ball(z), plate = Plate(share * rim);
      ASSERT_EQ(KindOf(cap, plate), PairKind::kCap);
      for (const double depth : {1e-6, 1e-4}) {
        const auto points = Find(cap, plate, {Tilted(1e-7), {0, 0, -z - depth}}, {});
        ASSERT_EQ(points.size(), 3u) << z << ' ' << share;
        for (const PointContact& point : points) {
          EXPECT_NEAR(point.n.z, 1.0, 1e-6);
          EXPECT_NEAR(point.x, -depth, 2e-7);
        }
      }
    }
  }
}

// What fits into the bore is none.
TEST(CapsInPoints, AreNotOfWiderBores) {
  EXPECT_EQ(KindOf(Ball(-0.5), Plate(1.001)), PairKind::kAny);
  EXPECT_EQ(KindOf(Ball(0.6), Plate(0.801)), PairKind::kAny);
  EXPECT_EQ(KindOf(Ball(0.6), Plate(0.799)), PairKind::kCap);
}

}  // namespace
}  // namespace intervox::host::points
