// Whether solids overlap: against the engine's volume, the distance, motion, and the other order.
#include "host/distance/overlaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/make_surface.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/distance/distance.h"
#include "host/distance/signed_measure.h"
#include "host/scene/grids.h"
#include "host/scene/shape_metrics.h"
#include "tests/cuda/families.h"

namespace intervox::host {
namespace {

using geometry::At;
using geometry::Leaf;
using geometry::ToCells;
using testing::Random;
using testing::Solid;
using Cells = std::vector<geometry::Cell>;

const Engine& SerialEngine() {
  static const Engine engine({Device::kSerial, 1, 0});
  return engine;
}

std::vector<Solid> AllSolids() {
  std::vector<Solid> all = testing::MoreSolids();
  for (const testing::Family& family : testing::AllFamilies()) {
    all.push_back(testing::SolidOf(family));
  }
  all.push_back(testing::SolidOf("ball", Leaf(geometry::Sphere{0.3})));
  for (const testing::Fit& fit : testing::Fits()) {
    all.push_back(fit.part);
    all.push_back(fit.seat);
  }
  return all;
}

const Solid& Any(Random* random, const std::vector<Solid>& all) {
  const double pick = random->Uniform(0, static_cast<double>(all.size()) - 1e-9);
  return all[static_cast<std::size_t>(pick)];
}

bool HaveVolume(const Cells& a, const Cells& b, const Pose& X_WA, const Pose& X_WB) {
  const auto m = MeasurePair(SerialEngine(), a, b, X_WA, X_WB, {}).sum;
  return m.volume > 0 || m.status == Status::kUnbounded;
}

/** How far a point is outside of a solid, by its levels; below 0 inside. */
double Outside(const Cells& cells, const Vec3& p) {
  double least = HUGE_VAL;
  for (const geometry::Cell& cell : cells) least = std::min(least, geometry::Level(cell, p));
  return least;
}

TEST(Overlaps, AgreesWithTheVolumeOfAnyPair) {
  const std::vector<Solid> all = AllSolids();
  Random random(3);
  int overlaps = 0, by_volume = 0;
  for (int k = 0; k < 1500; ++k) {
    const Solid &a = Any(&random, all), &b = Any(&random, all);
    const Pose X_WA = random.RandomPose(0.5), X_WB = random.RandomPose(0.5);
    SCOPED_TRACE(a.name + " and " + b.name + ", pair " + std::to_string(k));
    const OverlapTest test = TestOverlap(a.cells, b.cells, X_WA, X_WB);
    EXPECT_EQ(test.status, Status::kOk) << test.reason;
    EXPECT_EQ(test.overlaps, HaveVolume(a.cells, b.cells, X_WA, X_WB));
    if (test.proof == OverlapProof::kPoint) {
      EXPECT_LT(Outside(a.cells, Inverse(X_WA) * test.p_W), 0);
      EXPECT_LT(Outside(b.cells, Inverse(X_WB) * test.p_W), 0);
    }
    overlaps += test.overlaps ? 1 : 0;
    by_volume += test.proof == OverlapProof::kVolume ? 1 : 0;
  }
  EXPECT_GT(overlaps, 500);
  EXPECT_LT(overlaps, 1000);
  EXPECT_LT(by_volume, 60);  // what is not decided by planes and points
}

// Far apart in size: a thousandth of the size of the other, at its surface.
TEST(Overlaps, OfSmallSolidsAtLargeOnes) {
  const std::vector<Solid> all = AllSolids();
  Random random(4);
  for (int k = 0; k < 200; ++k) {
    const Solid& a = Any(&random, all);
    const Cells small = k % 2 == 0 ? ToCells(*Leaf(geometry::Sphere{5e-4}))
                                   : Cells{testing::BoxCell({1e-3, 6e-4, 4e-4})};
    const Pose X = random.RandomPose(0.4);
    EXPECT_EQ(Overlaps(a.cells, small, {}, X), HaveVolume(a.cells, small, {}, X)) << a.name;
  }
}

// Brought together along their distance until they overlap, or miss, by 1e-6 of their size.
TEST(Overlaps, ThinOverlapsAndGaps) {
  const std::vector<Solid> all = AllSolids();
  Random random(5);
  int thin = 0, points = 0;
  for (int k = 0; k < 400; ++k) {
    const Solid &a = Any(&random, all), &b = Any(&random, all);
    if (a.name == "torus" || b.name == "torus" || a.name == "saddle" || b.name == "saddle" ||
        a.name == "hyperboloid" || b.name == "hyperboloid") {
      continue;  // their distances take long
    }
    Pose X{random.Rotation(), 1.5 * random.Direction()};
    const Separation apart = MeasureDistance(a.cells, b.cells, {}, X);
    if (apart.status != Status::kOk || apart.distance == 0) continue;
    SCOPED_TRACE(a.name + " and " + b.name + ", pair " + std::to_string(k));
    const Vec3 to_touch = apart.distance * apart.n;
    X.p += to_touch - 1e-6 * apart.n;
    EXPECT_FALSE(Overlaps(a.cells, b.cells, {}, X));
    X.p += 2e-6 * apart.n;
    const OverlapTest test = TestOverlap(a.cells, b.cells, {}, X);
    EXPECT_EQ(test.overlaps, MeasureDistance(a.cells, b.cells, {}, X).distance == 0);
    // Where an edge or a tip meets an edge, V is below the engine's rounding: then the point
    // counts.
    EXPECT_TRUE(test.overlaps || !HaveVolume(a.cells, b.cells, {}, X));
    if (test.proof == OverlapProof::kPoint) {
      ++points;
      EXPECT_LT(Outside(a.cells, test.p_W), 0);
      EXPECT_LT(Outside(b.cells, Inverse(X) * test.p_W), 0);
    }
    thin += test.overlaps ? 1 : 0;
  }
  EXPECT_GT(thin, 150);
  EXPECT_GT(points, 150);
}

TEST(Overlaps, TouchingIsNoOverlap) {
  const Cells box{testing::BoxCell({1, 1, 1})}, floor{testing::HalfSpaceCell({0, 0, 1}, 0)};
  const Cells ball = ToCells(*Leaf(geometry::Sphere{0.5}));
  const Cells can = ToCells(*Leaf(geometry::Cylinder{0.5, 1}));
  const Cells tip = ToCells(*Leaf(geometry::Cone{0, 0.5, 1}));
  EXPECT_FALSE(Overlaps(box, box, {}, At(1, 0.3, 0.2)));  // faces
  EXPECT_FALSE(Overlaps(box, box, {}, At(1, 1, 0.2)));    // edges
  EXPECT_FALSE(Overlaps(box, box, {}, At(1, 1, 1)));      // corners
  EXPECT_FALSE(Overlaps(ball, ball, {}, At(1, 0, 0)));
  EXPECT_FALSE(Overlaps(ball, floor, At(0, 0, 0.5), {}));
  EXPECT_FALSE(Overlaps(can, can, {}, At(1, 0, 0)));  // along a line
  EXPECT_FALSE(Overlaps(can, can, {}, At(0, 0, 1)));  // lids
  EXPECT_FALSE(Overlaps(tip, floor, At(0, 0, 0.5), {}));
  for (const double depth : {1e-9, 1e-6}) {
    EXPECT_TRUE(Overlaps(box, box, {}, At(1 - depth, 0.3, 0.2)));
    EXPECT_TRUE(Overlaps(box, box, {}, At(1 - depth, 1 - depth, 1 - depth)));
    EXPECT_TRUE(Overlaps(ball, ball, {}, At(1 - depth, 0, 0)));
    EXPECT_TRUE(Overlaps(ball, floor, At(0, 0, 0.5 - depth), {}));
    EXPECT_TRUE(Overlaps(can, can, {}, At(1 - depth, 0, 0)));
    EXPECT_TRUE(Overlaps(tip, floor, At(0, 0, 0.5 - depth), {}));
  }
}

TEST(Overlaps, NestedSolidsAndFits) {
  const Cells box{testing::BoxCell({1, 1, 1})}, small{testing::BoxCell({1e-3, 1e-3, 1e-3})};
  EXPECT_TRUE(Overlaps(box, small, {}, At(0.1, 0.2, 0.3)));
  EXPECT_TRUE(Overlaps(box, box, {}, {}));
  const Cells ring = ToCells(*Leaf(geometry::Torus{0.4, 0.1}));
  EXPECT_TRUE(Overlaps(ring, ring, {}, {}));
  EXPECT_FALSE(Overlaps(ring, ToCells(*Leaf(geometry::Sphere{0.299})), {}, {}));
  EXPECT_TRUE(Overlaps(ring, ToCells(*Leaf(geometry::Sphere{0.301})), {}, {}));
  const std::vector<testing::Fit> fits = testing::Fits();
  EXPECT_FALSE(Overlaps(fits[0].part.cells, fits[0].seat.cells, {}, {}));  // hangs free in its hole
  EXPECT_FALSE(Overlaps(fits[0].part.cells, fits[0].seat.cells, At(9e-5, 0, 0), {}));
  EXPECT_TRUE(Overlaps(fits[0].part.cells, fits[0].seat.cells, At(1.1e-4, 0, 0), {}));
}

// Pegs in a hole wider by 1e-3 of the radius, tilted and off the middle: from free to wedged. Where
// they bear, a point between peg and wall is found, and the engine is asked only at the edge.
TEST(Overlaps, PegsInHoles) {
  const Cells block = testing::HoledBoxCells({0.06, 0.06, 0.04}, 0.01);
  const Cells peg = ToCells(*Leaf(geometry::Cylinder{0.00999, 0.06}));
  const Cells pin = ToCells(*Leaf(geometry::Cone{0.00999, 0.0098, 0.06}));
  Random random(9);
  int overlaps = 0, points = 0;
  for (int k = 0; k < 400; ++k) {
    const double reach = random.LogUniform(1e-7, 2e-3);
    const Vec3 tilt{random.Uniform(-reach, reach), random.Uniform(-reach, reach), 0};
    const Vec3 p{random.Uniform(-1e-5, 1e-5), random.Uniform(-1e-5, 1e-5), 0.005};
    const Pose X = random.RandomPose(0.1);
    const Pose X_WA = X * Pose{testing::Turned(tilt, {}), p};
    const Cells& a = k % 4 == 0 ? pin : peg;
    SCOPED_TRACE("peg " + std::to_string(k));
    const OverlapTest test = TestOverlap(a, block, X_WA, X);
    EXPECT_EQ(test.overlaps, HaveVolume(a, block, X_WA, X));
    overlaps += test.overlaps ? 1 : 0;
    if (test.proof != OverlapProof::kPoint) continue;
    ++points;
    EXPECT_LT(Outside(a, Inverse(X_WA) * test.p_W), 0);
    EXPECT_LT(Outside(block, Inverse(X) * test.p_W), 0);
  }
  EXPECT_GT(overlaps, 100);
  EXPECT_LT(overlaps, 300);
  EXPECT_GT(points, 0.9 * overlaps);
}

// Hulls of many faces and boxes, brought together until they overlap, or miss, by 1e-9.
TEST(Overlaps, ThinOverlapsOfHullsAndBoxes) {
  Random random(10);
  std::vector<Cells> solids = {{testing::BoxCell({0.5, 0.6, 0.7})},
                               {testing::BoxCell({1, 0.1, 0.2})}};
  for (int k = 0; k < 4; ++k) solids.push_back({random.Hull(10 + 30 * k, 0.5)});
  for (int k = 0; k < 200; ++k) {
    const Cells &a = solids[static_cast<std::size_t>(k) % 6],
                &b = solids[static_cast<std::size_t>(k / 6) % 6];
    Pose X{random.Rotation(), 1.5 * random.Direction()};
    const Separation apart = MeasureDistance(a, b, {}, X);
    ASSERT_EQ(apart.status, Status::kOk);
    SCOPED_TRACE("pair " + std::to_string(k));
    X.p += apart.distance * apart.n - 1e-9 * apart.n;
    EXPECT_FALSE(Overlaps(a, b, {}, X));
    X.p += 2e-9 * apart.n;
    EXPECT_TRUE(Overlaps(a, b, {}, X));
  }
}

// Ellipsoids from discs to needles, up to a hundredfold apart in size, brought together until they
// overlap, or miss, by a share of the smaller one's least radius.
TEST(Overlaps, ThinOverlapsOfEllipsoids) {
  Random random(12);
  for (int k = 0; k < 300; ++k) {
    Vec3 radii[2];
    for (Vec3& r : radii) {
      const double size = random.LogUniform(0.1, 1);
      for (const int i : {0, 1, 2}) r[i] = k % 5 == 0 ? size : size * random.LogUniform(0.03, 1);
    }
    const Cells a = ToCells(*Leaf(geometry::Ellipsoid{radii[0]})),
                b = ToCells(*Leaf(geometry::Ellipsoid{radii[1]}));
    const Pose X_WA = random.RandomPose(3);
    Pose X_WB{random.Rotation(), X_WA.p + 3 * random.Direction()};
    const Separation apart = MeasureDistance(a, b, X_WA, X_WB, {1e-12, 20000});
    ASSERT_NE(apart.status, Status::kInvalid);
    const double least =
        std::min({radii[0].x, radii[0].y, radii[0].z, radii[1].x, radii[1].y, radii[1].z});
    SCOPED_TRACE("pair " + std::to_string(k));
    for (const double share : {1e-7, 1e-4, 1e-2}) {
      const double by = share * least;
      Pose X = X_WB;
      X.p += (apart.distance - by) * apart.n;
      EXPECT_FALSE(Overlaps(a, b, X_WA, X)) << share;
      EXPECT_FALSE(Overlaps(b, a, X, X_WA)) << share;
      X.p += 2 * by * apart.n;
      const OverlapTest test = TestOverlap(a, b, X_WA, X);
      EXPECT_TRUE(test.overlaps) << share;
      EXPECT_TRUE(Overlaps(b, a, X, X_WA)) << share;
      ASSERT_EQ(test.proof, OverlapProof::kPoint) << share;
      EXPECT_LT(Outside(a, Inverse(X_WA) * test.p_W), 0);
      EXPECT_LT(Outside(b, Inverse(X) * test.p_W), 0);
    }
  }
}

// Balls by their distance: the point found lies in both, also where one holds the other.
TEST(Overlaps, OfBallsOfAnySize) {
  Random random(14);
  for (int k = 0; k < 500; ++k) {
    const double r_a = random.LogUniform(0.01, 1), r_b = random.LogUniform(0.01, 1);
    const Cells a = ToCells(*Leaf(geometry::Sphere{r_a})),
                b = ToCells(*Leaf(geometry::Sphere{r_b}));
    const double gap = (k % 2 == 0 ? 1 : -1) * random.LogUniform(1e-9, 1) * std::min(r_a, r_b);
    const Pose X_WA = random.RandomPose(3);
    const double between =
        k % 10 == 1 ? random.Uniform(0, 1) * std::fabs(r_a - r_b) : r_a + r_b + gap;
    const Pose X_WB{random.Rotation(), X_WA.p + between * random.Direction()};
    SCOPED_TRACE("pair " + std::to_string(k));
    const OverlapTest test = TestOverlap(a, b, X_WA, X_WB);
    EXPECT_EQ(test.overlaps, gap < 0);
    EXPECT_EQ(test.proof, gap < 0 ? OverlapProof::kPoint : OverlapProof::kPlanes);
    if (gap > 0) continue;
    EXPECT_LT(Outside(a, Inverse(X_WA) * test.p_W), 0);
    EXPECT_LT(Outside(b, Inverse(X_WB) * test.p_W), 0);
  }
  const Cells ball = ToCells(*Leaf(geometry::Sphere{1}));
  EXPECT_TRUE(Overlaps(ball, ball, {}, {}));
}

// A box' corner and a ball in a torus' middle, in holes and dimples, from free to reaching past
// the wall by a share of their size: no search of boxes is needed where they are free.
TEST(Overlaps, WhatLiesInHollows) {
  Random random(15);
  const auto drilled = [](const geometry::Primitive& drill) {
    return ToCells(*geometry::Tree(geometry::Operation::kDifference,
                                   {Leaf(geometry::Box{{1, 1, 0.5}}), Leaf(drill)}));
  };
  const std::vector<Cells> seats = {ToCells(*Leaf(geometry::Torus{0.4, 0.15})),
                                    drilled(geometry::Cylinder{0.25, 4}),
                                    drilled(geometry::Cone{0.1, 0.4, 1})};
  int planes = 0, apart = 0;
  for (int k = 0; k < 300; ++k) {
    const Cells& seat = seats[static_cast<std::size_t>(k) % 3];
    const double size = random.LogUniform(1e-3, 0.3);
    const Cells guest = k % 2 == 0 ? Cells{testing::BoxCell({size, 0.7 * size, 0.5 * size})}
                                   : ToCells(*Leaf(geometry::Cylinder{0.3 * size, size}));
    const Pose X = random.RandomPose(0.5), at{random.Rotation(), 0.05 * random.Direction()};
    const Vec3 way = Vec3{random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-0.1, 0.1)};
    // Where it meets the wall, by halving.
    double free = 0, met = 1;
    const auto pose = [&](double t) { return X * Pose{at.R, at.p + t * way}; };
    if (HaveVolume(seat, guest, X, pose(free)) || !HaveVolume(seat, guest, X, pose(met))) continue;
    for (int s = 0; s < 20; ++s) {
      const double middle = 0.5 * (free + met);
      (HaveVolume(seat, guest, X, pose(middle)) ? met : free) = middle;
    }
    SCOPED_TRACE("pair " + std::to_string(k));
    for (const double t : {0.0, 0.5 * free, free - 0.02 * (1 + free)}) {
      if (!(t >= 0)) continue;
      const OverlapTest test = TestOverlap(seat, guest, X, pose(t));
      EXPECT_FALSE(test.overlaps);
      EXPECT_FALSE(Overlaps(guest, seat, pose(t), X));
      planes += test.proof == OverlapProof::kPlanes ? 1 : 0;
      ++apart;
    }
    for (const double by : {1e-3, 1e-2}) {
      EXPECT_TRUE(Overlaps(seat, guest, X, pose(met + by)) ||
                  !HaveVolume(seat, guest, X, pose(met + by)));
    }
  }
  EXPECT_GT(apart, 150);
  EXPECT_GT(planes, 0.9 * apart);
}

// A nut of ninety sides has more surfaces than a box around what is in common takes: the hole and
// the other solid are left out of it.
TEST(Overlaps, OfMoreSurfacesThanABoxTakes) {
  Random random(25);
  std::vector<geometry::Surface> sides = ToCells(*Leaf(geometry::Prism{90, 0.5, 0.5}))[0].surfaces;
  sides.push_back(geometry::MakeCylinder(0.3));
  sides.back().side = -1;
  const Cells nut = {geometry::MakeCell(std::move(sides), "nut")};
  const std::vector<Cells> guests = {ToCells(*Leaf(geometry::Torus{0.2, 0.08})),
                                     ToCells(*Leaf(geometry::Cylinder{0.3, 0.8})),
                                     {testing::BoxCell({0.2, 0.3, 0.4})}};
  int overlaps = 0;
  constexpr int kPoses = 90;
  for (int k = 0; k < kPoses; ++k) {
    const Cells& guest = guests[static_cast<std::size_t>(k) % 3];
    const Pose X_WA = random.RandomPose(0.4), X_WB = random.RandomPose(0.4);
    const bool have = HaveVolume(nut, guest, X_WA, X_WB);
    EXPECT_EQ(Overlaps(nut, guest, X_WA, X_WB), have) << "pose " << k;
    EXPECT_EQ(Overlaps(guest, nut, X_WB, X_WA), have) << "pose " << k;
    const Separation s = MeasureDistance(nut, guest, X_WA, X_WB);
    EXPECT_EQ(s.distance == 0, have) << "pose " << k;
    overlaps += have ? 1 : 0;
  }
  EXPECT_GT(overlaps, kPoses / 4);
  EXPECT_LT(overlaps, kPoses - 9);
}

// Cylinders, cones and tori whose centres coincide or whose axes nearly do: what is left of a
// direction across the axis is rounding there.
TEST(Overlaps, AlongOneAxis) {
  Random random(16);
  const std::vector<Cells> solids = {ToCells(*Leaf(geometry::Cylinder{0.3, 0.8})),
                                     ToCells(*Leaf(geometry::Cone{0.4, 0.1, 0.7})),
                                     ToCells(*Leaf(geometry::Ellipsoid{{0.5, 0.4, 0.3}})),
                                     ToCells(*Leaf(geometry::Torus{0.4, 0.15})),
                                     {testing::BoxCell({0.5, 0.6, 0.7})}};
  for (int k = 0; k < 1000; ++k) {
    const Cells &a = solids[static_cast<std::size_t>(k) % 5],
                &b = solids[static_cast<std::size_t>(k / 5) % 5];
    const Mat3 turn = testing::Turned(random.LogUniform(1e-18, 1) * random.Direction(), {});
    const Pose X = random.RandomPose(1);
    const double along = k % 3 == 0 ? 0.0 : random.Uniform(-1, 1);
    const Pose Y = X * Pose{turn, {0, 0, along}};
    SCOPED_TRACE("pair " + std::to_string(k));
    EXPECT_EQ(Overlaps(a, b, X, Y), HaveVolume(a, b, X, Y));
  }
}

// All families against a half-space at any angle, above, touching and below.
TEST(Overlaps, ThinOverlapsOfAnySolidAndAPlane) {
  const std::vector<Solid> all = AllSolids();
  const Cells floor{testing::HalfSpaceCell({0, 0, 1}, 0.05)};
  Random random(13);
  int overlaps = 0;
  for (int k = 0; k < 300; ++k) {
    const Solid& a = Any(&random, all);
    if (a.name == "half-space" || a.name == "saddle" || a.name == "hyperboloid") continue;
    Pose X = random.RandomPose(0.3);
    X.p.z = 2;
    const Separation apart = MeasureDistance(a.cells, floor, X, {});
    SCOPED_TRACE(a.name + ", pose " + std::to_string(k));
    ASSERT_EQ(apart.status, Status::kOk);
    for (const double by : {1e-8, 1e-5, 1e-2}) {
      Pose near = X;
      near.p.z -= apart.distance - by;
      EXPECT_FALSE(Overlaps(a.cells, floor, near, {})) << by;
      near.p.z -= 2 * by;
      const OverlapTest test = TestOverlap(floor, a.cells, {}, near);
      EXPECT_TRUE(test.overlaps) << by;
      overlaps += test.proof == OverlapProof::kPoint ? 1 : 0;
      if (test.proof != OverlapProof::kPoint) continue;
      EXPECT_LT(test.p_W.z, 0.05);
      EXPECT_LT(Outside(a.cells, Inverse(near) * test.p_W), 0);
    }
  }
  EXPECT_GT(overlaps, 600);
}

// What looks like a box but for a corner, a tilt or a chamfer is not taken for one.
TEST(Overlaps, OfSixPlanesThatAreNoBox) {
  const Cells box{testing::BoxCell({1, 1, 1})};
  using geometry::MakePlane;
  const auto six = [](const Vec3& top) {
    return Cells{geometry::MakeCell(
        {MakePlane({1, 0, 0}, 0.5), MakePlane({-1, 0, 0}, 0.5), MakePlane({0, 1, 0}, 0.5),
         MakePlane({0, -1, 0}, 0.5), MakePlane(Normalized(top), 0.5), MakePlane({0, 0, -1}, 0.5)},
        "six")};
  };
  for (const double tilt : {1e-7, 1e-3, 0.3}) {
    const Cells wedge = six({tilt, 0, 1});  // lower at +x
    // A box on one of its corners, over the low edge and over the high one.
    const Mat3 R = testing::Turned({0.6, 0.5, 0}, {});
    const double low = -0.5 * (std::fabs(R.row2.x) + std::fabs(R.row2.y) + std::fabs(R.row2.z));
    const Vec3 corner = R * Vec3{std::copysign(0.5, -R.row2.x), std::copysign(0.5, -R.row2.y),
                                 std::copysign(0.5, -R.row2.z)};
    for (const double x : {0.45, -0.45}) {
      const double top = 0.5 * std::hypot(1.0, tilt) - tilt * x;
      for (const double above : {0.1, -0.1}) {
        const Pose X{R, {x - corner.x, 0.1 - corner.y, top + above * tilt - low}};
        EXPECT_EQ(Overlaps(wedge, box, {}, X), above < 0) << x << " " << tilt;
      }
    }
  }
}

TEST(Overlaps, TheSameInAnyFrameAndFromTheOtherSolid) {
  const std::vector<Solid> all = AllSolids();
  Random random(6);
  for (int k = 0; k < 400; ++k) {
    const Solid &a = Any(&random, all), &b = Any(&random, all);
    const Pose X_WA = random.RandomPose(0.5), X_WB = random.RandomPose(0.5);
    const bool overlap = Overlaps(a.cells, b.cells, X_WA, X_WB);
    SCOPED_TRACE(a.name + " and " + b.name);
    EXPECT_EQ(Overlaps(b.cells, a.cells, X_WB, X_WA), overlap);
    const Pose X = random.RandomPose(10);
    EXPECT_EQ(Overlaps(a.cells, b.cells, X * X_WA, X * X_WB), overlap);
  }
}

TEST(Overlaps, OfGridsAndOfInfiniteSolids) {
  const Cells floor{testing::HalfSpaceCell({0, 0, 1}, 0)};
  EXPECT_TRUE(Overlaps(floor, floor, {}, At(0, 0, -1)));
  const Pose over{Mat3{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0, 0, 1}};
  EXPECT_FALSE(Overlaps(floor, floor, {}, over));
  const Cells grid = ToCells(GridOf(Leaf(geometry::Sphere{0.02}), 2e-3, 3.0));
  EXPECT_TRUE(Overlaps(grid, floor, At(0, 0, 0.018), {}));
  EXPECT_FALSE(Overlaps(grid, floor, At(0, 0, 0.022), {}));
}

TEST(Overlaps, ManyPosesOnAnyNumberOfThreads) {
  const std::vector<Solid> all = AllSolids();
  const Cells &a = all[2].cells, &b = all[9].cells;
  Random random(7);
  std::vector<Pose> X_WA, X_WB;
  for (int k = 0; k < 300; ++k) {
    X_WA.push_back(random.RandomPose(0.3));
    X_WB.push_back(random.RandomPose(0.3));
  }
  for (const int threads : {1, 3}) {
    std::vector<OverlapTest> tests(X_WA.size());
    TestOverlaps(a, b, X_WA, X_WB, threads, tests);
    std::vector<Separation> apart(50);
    MeasureDistances(a, b, X_WA, X_WB, {}, threads, apart);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const OverlapTest one = TestOverlap(a, b, X_WA[i], X_WB[i]);
      EXPECT_EQ(tests[i].overlaps, one.overlaps);
      EXPECT_EQ(tests[i].p_W, one.p_W);
      if (i >= apart.size()) continue;
      EXPECT_EQ(apart[i].distance, MeasureDistance(a, b, X_WA[i], X_WB[i]).distance);
      EXPECT_EQ(apart[i].distance > 0, !one.overlaps);
    }
  }
}

TEST(Overlaps, TellsWhatItCannotDecide) {
  const Cells box{testing::BoxCell({1, 1, 1})};
  const OverlapTest none = TestOverlap(box, {}, {}, {});
  EXPECT_EQ(none.status, Status::kInvalid);
  EXPECT_NE(none.reason.find("empty"), std::string::npos);
  const Pose nowhere = At(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  EXPECT_EQ(TestOverlap(box, box, nowhere, {}).status, Status::kInvalid);
  EXPECT_THROW(Overlaps(box, box, {}, nowhere), std::runtime_error);
}

// The slope is what finite differences of the value say, for translations and rotations of A.
TEST(SignedMeasure, SlopesAreThoseOfFiniteDifferences) {
  const std::vector<std::pair<Cells, Cells>> pairs = {
      {ToCells(*Leaf(geometry::Ellipsoid{{0.3, 0.2, 0.25}})), {testing::BoxCell({0.6, 0.5, 0.4})}},
      {ToCells(*Leaf(geometry::Cylinder{0.2, 0.5})), ToCells(*Leaf(geometry::Sphere{0.3}))},
      {testing::HoledBoxCells({0.8, 0.8, 0.3}, 0.15), ToCells(*Leaf(geometry::Capsule{0.2, 0.3}))}};
  Random random(8);
  int apart = 0, overlaps = 0;
  for (const auto& pair : pairs) {
    const Cells &a = pair.first, &b = pair.second;
    for (int k = 0; k < 12; ++k) {
      const Pose X_WA = random.RandomPose(0.1),
                 X_WB{random.Rotation(), random.Uniform(0.2, 1) * random.Direction()};
      const auto at = [&](const Pose& X) {
        return MeasureSigned(SerialEngine(), a, b, X, X_WB, {1e-8, 0.0, LeafRule::kAuto},
                             {1e-12, 20000});
      };
      const SignedMeasure m = at(X_WA);
      ASSERT_EQ(m.status, Status::kOk) << m.reason;
      EXPECT_EQ(m.overlaps, m.value > 0);
      const double h = 1e-5, size = m.overlaps ? Norm(m.slope_W) + 1e-3 : 1.0;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 unit;
        unit[axis] = h;
        Pose fore = X_WA, back = X_WA;
        fore.p += unit;
        back.p -= unit;
        EXPECT_NEAR((at(fore).value - at(back).value) / (2 * h), m.slope_W[axis], 2e-4 * size);
        const auto turned = [&](const Vec3& by) {
          const Mat3 R = testing::Turned(by, {});
          return Pose{R * X_WA.R, m.about_W + R * (X_WA.p - m.about_W)};
        };
        EXPECT_NEAR((at(turned(unit)).value - at(turned(-unit)).value) / (2 * h), m.turn_W[axis],
                    2e-4 * size);
      }
      (m.overlaps ? overlaps : apart) += 1;
    }
  }
  EXPECT_GT(overlaps, 8);
  EXPECT_GT(apart, 8);
}

}  // namespace
}  // namespace intervox::host
