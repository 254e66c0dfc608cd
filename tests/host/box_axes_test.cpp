// Axes of boxes in registers: against plain vectors bit for bit, and what they say of boxes.
#include "host/distance/box_axes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cuda/wall/wall_clearance.h"
#include "geometry/solid.h"
#include "tests/cuda/families.h"

namespace intervox::host::distance {
namespace {

using geometry::OrientedBox;
using intervox::testing::Random;

bool Same(const Mat3& a, const Mat3& b) {
  return a.row0 == b.row0 && a.row1 == b.row1 && a.row2 == b.row2;
}

Mat3 ToMat3(const Triples& rows) { return {ToVec3(rows.x), ToVec3(rows.y), ToVec3(rows.z)}; }

Vec3 AnySize(Random* random) {
  return {random->Uniform(0.1, 1), random->Uniform(0.1, 1), random->Uniform(0.1, 1)};
}

TEST(BoxAxes, PosesInRegistersHaveTheBitsOfPlainOnes) {
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const Pose X_WA = random.RandomPose(2), X_WB = random.RandomPose(2);
    const Pose X_AB = ToPose(Relative(X_WA, X_WB));
    EXPECT_TRUE(Same(X_AB.R, Transpose(X_WA.R) * X_WB.R));
    EXPECT_TRUE(X_AB.p == TransposeTimes(X_WA.R, X_WB.p - X_WA.p));
    const Vec3 p = random.RandomPose(3).p;
    EXPECT_TRUE(ToVec3(Moved(X_WA, p)) == X_WA * p);
    EXPECT_TRUE(Same(ToMat3(Transposed(RowsOf(X_WA.R))), Transpose(X_WA.R)));
  }
}

TEST(BoxAxes, OfWhatIsNotFinite) {
  Random random(2);
  for (int k = 0; k < 24; ++k) {
    for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      Pose X[2] = {random.RandomPose(1), random.RandomPose(1)};
      EXPECT_TRUE(AreFinite(X[0], X[1]));
      reinterpret_cast<double*>(X)[k] = bad;
      EXPECT_FALSE(AreFinite(X[0], X[1])) << k;
      EXPECT_FALSE(AreFinite(X[1], X[0])) << k;
    }
  }
}

// What FindDeepPlace finds, in plain vectors.
std::array<Vec3, 2> PlainDeepPlace(const Vec3& a, const Vec3& b, const Pose& X) {
  const auto nearest = [](const Vec3& x, const Vec3& half) {
    return Max(-0.6 * half, Min(0.6 * half, x));
  };
  const Vec3 in_a = nearest(X.p, a);
  const Vec3 in_b = X * nearest(TransposeTimes(X.R, in_a - X.p), b);
  const Vec3 again = nearest(in_b, a);
  const Vec3 back = X * nearest(TransposeTimes(X.R, again - X.p), b);
  return {0.5 * (again + back), back - again};
}

// Whatever the axes of the boxes are in their cells: where they lie, and a point where both may be
// deep.
TEST(BoxAxes, PlaceTurnedBoxes) {
  Random random(3);
  for (int k = 0; k < 400; ++k) {
    OrientedBox a{random.RandomPose(1), AnySize(&random)}, b{random.RandomPose(1), {2, 3, 4}};
    if (k % 2 == 0) a.X.R = {};
    if (k % 4 < 2) b.X.R = {};
    const Placement X_AB = Relative(random.RandomPose(1), random.RandomPose(1));
    const Pose X = Inverse(a.X) * (ToPose(X_AB) * b.X);
    const BoxPair boxes = PlaceBoxes(a, b, X_AB);
    EXPECT_LT(Norm(ToVec3(boxes.way) - X.p), 1e-14);
    EXPECT_TRUE(ToVec3(boxes.a) == a.half && ToVec3(boxes.b) == b.half);
    for (const Mat3& R : {ToMat3(boxes.rows), Transpose(ToMat3(boxes.columns))}) {
      for (int i = 0; i < 3; ++i) EXPECT_LT(Norm(R.Row(i) - X.R.Row(i)), 1e-14);
    }
    const DeepPlace place = FindDeepPlace(boxes);
    const auto [point, apart] = PlainDeepPlace(a.half, b.half, X);
    EXPECT_LT(Norm(place.point - point), 1e-14);
    EXPECT_LT(Norm(ToVec3(place.apart) - apart), 1e-14);
  }
}

// A plane across one of the 15 axes: the least overlap along any of them, in plain vectors.
double LeastOverlap(const Vec3& a, const Vec3& b, const Pose& X) {
  double least = HUGE_VAL;
  const auto look = [&](const Vec3& axis) {
    if (Norm(axis) < 1e-6) return;
    const Vec3 n = Normalized(axis);
    least = std::min(least,
                     Dot(Abs(n), a) + Dot(Abs(TransposeTimes(X.R, n)), b) - std::fabs(Dot(n, X.p)));
  };
  for (int i = 0; i < 3; ++i) {
    const Vec3 e{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    look(e);
    look(X.R.Col(i));
    for (int j = 0; j < 3; ++j) look(Cross(e, X.R.Col(j)));
  }
  return least;
}

TEST(BoxAxes, AreApartByTheLeastOverlapAlongAnyAxis) {
  constexpr double kEps = 1e-9;
  Random random(4);
  int by_faces = 0, by_edges = 0, overlap = 0;
  for (int k = 0; k < 20000; ++k) {
    const OrientedBox a{{}, AnySize(&random)}, b{{}, AnySize(&random)};
    Pose X = random.RandomPose(1);
    if (k % 5 == 0) X.R = {};
    const Placement X_AB = Relative({}, X);
    const double least = LeastOverlap(a.half, b.half, X);
    if (std::fabs(least) < kEps) continue;
    const BoxPair boxes = PlaceBoxes(a, b, X_AB);
    if (AreApartAlongFaces(boxes, kEps / 10)) {
      EXPECT_LT(least, 0) << k;
      ++by_faces;
      continue;
    }
    const EdgeAxes edges = LookAlongEdges(boxes, kEps / 10);
    EXPECT_EQ(edges == EdgeAxes::kApart, least < 0) << k;
    EXPECT_EQ(edges == EdgeAxes::kOpen, k % 5 == 0) << k;  // all edges are parallel
    by_edges += edges == EdgeAxes::kApart ? 1 : 0;
    overlap += edges == EdgeAxes::kOverlap ? 1 : 0;
  }
  EXPECT_GT(by_faces, 3000);
  EXPECT_GT(by_edges, 100);
  EXPECT_GT(overlap, 1000);
}

// A box is its bounds wherever it lies; one corner that is drawn in is seen.
TEST(BoxAxes, TellABoxByItsCorners) {
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    geometry::Cell cell = intervox::testing::BoxCell(AnySize(&random));
    EXPECT_TRUE(HasCornersOfItsBounds(cell));
    const auto corner = static_cast<std::size_t>(k % 8);
    cell.corners.p_C[corner] = (1 - 1e-12) * cell.corners.p_C[corner];
    EXPECT_FALSE(HasCornersOfItsBounds(cell)) << k;
  }
}

// The point beyond a wall lies outside of the hole's wall and inside of the peg's.
TEST(BoxAxes, APointBeyondAWallLiesBetweenPegAndWall) {
  const geometry::Cell peg = intervox::testing::CellsOf(geometry::Cylinder{0.00999, 0.06})[0];
  const geometry::Cell block = intervox::testing::HoledBoxCells({0.06, 0.06, 0.04}, 0.01)[0];
  Random random(6);
  int found = 0;
  for (int k = 0; k < 500; ++k) {
    const Pose X_HP{intervox::testing::Turned({random.Uniform(-2e-3, 2e-3), 0, 0}, {}),
                    {random.Uniform(-2e-5, 2e-5), random.Uniform(-2e-5, 2e-5), 0.005}};
    Vec3 p_H, p_P;
    const bool reaches = PointBeyondWall(block, peg, X_HP, 0.01, &p_H);
    ASSERT_EQ(reaches, PointBeyondWall(peg, block, Inverse(X_HP), 0.01, &p_P)) << k;
    // It reaches past the wall where an end of what both have in common does.
    const double tilt = std::fabs(X_HP.R.row1.z), off = std::hypot(X_HP.p.x, X_HP.p.y);
    if (off + 0.025 * tilt < 0.9e-5) {
      EXPECT_FALSE(reaches) << k;
    }
    if (!reaches) continue;
    EXPECT_LT(Norm(X_HP * p_P - p_H), 1e-14) << k;
    EXPECT_GT(std::hypot(p_H.x, p_H.y), 0.01) << k;
    EXPECT_LT(std::hypot(p_P.x, p_P.y), 0.00999) << k;
    EXPECT_LT(std::fabs(p_H.z), 0.02) << k;
    EXPECT_GT(std::fabs(p_H.z), 0.018) << k;
    ++found;
  }
  EXPECT_GT(found, 200);
}

}  // namespace
}  // namespace intervox::host::distance
