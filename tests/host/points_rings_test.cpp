// Rings on convex cells in points: the deepest place, those that stay, and the energy of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "geometry/solid.h"
#include "host/contact/points/points.h"
#include "host/distance/distance.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host::points {
namespace {

using geometry::Box;
using geometry::Cell;
using geometry::Convex;
using geometry::Cylinder;
using geometry::Leaf;
using geometry::Operation;
using geometry::Random;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Torus;
using geometry::Tree;

constexpr double kPower = 2.5;

std::vector<PointContact> Find(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB,
                               double* gap = nullptr) {
  std::vector<PointContact> out;
  const double apart = FindPoints({&a, &b, X_WA, X_WB}, KindOf(a, b), kPower, &out);
  if (gap != nullptr) *gap = apart;
  return out;
}

double Energy(const std::vector<PointContact>& points) {
  double sum = 0.0;
  for (const PointContact& point : points) sum += point.weight * std::pow(-point.x, kPower);
  return sum;
}

/** A rotation by |turn| about it. */
Mat3 Turn(const Vec3& turn) {
  const double angle = Norm(turn);
  if (!(angle > 0.0)) return Mat3::Identity();
  const double s = std::sin(0.5 * angle) / angle;
  return ToRotation(Quaternion{std::cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z});
}

/** What rings lie on: a table, a can's end, a pyramid without its top, tables with a bore and a
 dimple that are narrower than the tube, all with their face at 0. */
std::vector<Cell> Seats() {
  const Convex stump{{{0.9, 0.8, 0},
                      {-0.8, 0.9, 0},
                      {-0.9, -0.8, 0},
                      {0.8, -0.9, 0},
                      {1.5, 1.4, -1},
                      {-1.4, 1.5, -1},
                      {-1.5, -1.4, -1},
                      {1.4, -1.5, -1}}};
  const auto table = Leaf(Box{{2, 2, 1}}, {Mat3::Identity(), {0, 0, -0.5}});
  std::vector<Cell> seats = {ToCells(*table)[0],
                             ToCells(*Leaf(Cylinder{1.1, 1}, {Mat3::Identity(), {0, 0, -0.5}}))[0],
                             ToCells(*Leaf(stump))[0]};
  for (const auto& hollow : {Leaf(Cylinder{0.08, 3}, {Mat3::Identity(), {-0.5, -0.4, 0}}),
                             Leaf(Sphere{0.09}, {Mat3::Identity(), {-0.5, -0.4, 0.02}})}) {
    seats.push_back(ToCells(*Tree(Operation::kDifference, {table, hollow}))[0]);
    geometry::IndexCornersOfHull(&seats.back());
  }
  return seats;
}

// Flat on a face a ring stands on twelve points that weigh three together, whatever way it is
// turned; their load is in its middle. Standing on its rim it has one.
TEST(RingsInPoints, LieOnTwelvePointsAndStandOnOne) {
  const Cell ring = ToCells(*Leaf(Torus{0.4, 0.1}))[0];
  const Mat3 standing = Mat3::FromColumns({0, 0, 1}, {0, 1, 0}, {-1, 0, 0});
  for (const Cell& seat : Seats()) {
    ASSERT_EQ(KindOf(ring, seat), PairKind::kRing);
    ASSERT_EQ(KindOf(seat, ring), PairKind::kRing);
    for (const double yaw : {0.0, 0.1, 0.5, 2.0}) {
      const auto flat = Find(ring, seat, {Turn({0, 0, yaw}), {0.1, 0.2, 0.1 - 1e-3}}, {});
      ASSERT_EQ(flat.size(), 12u);
      double weights = 0.0;
      Vec3 middle;
      for (const PointContact& point : flat) {
        EXPECT_NEAR(point.x, -1e-3, 1e-15);
        EXPECT_NEAR(point.n.z, 1.0, 1e-12);
        weights += point.weight;
        middle += (1.0 / 3.0) * point.weight * point.p_WA;
      }
      EXPECT_NEAR(weights, 3.0, 1e-12);
      EXPECT_NEAR(Norm(middle - Vec3{0.1, 0.2, -1e-3}), 0.0, 1e-12);
      const auto rim = Find(ring, seat, {Turn({0, 0, yaw}) * standing, {0.1, 0.2, 0.499}}, {});
      ASSERT_EQ(rim.size(), 1u);
      EXPECT_EQ(rim[0].weight, 1.0);
      EXPECT_NEAR(rim[0].x, -1e-3, 1e-15);
      EXPECT_NEAR(Norm(rim[0].p_WA - Vec3{0.1, 0.2, -1e-3}), 0.0, 1e-7);
    }
  }
}

// Where one point bears a ring it is as deep as the distance of the ring moved away says.
TEST(RingsInPoints, OfOnePlaceAreAsDeepAsTheDistance) {
  const std::vector<Cell> rings = {ToCells(*Leaf(Torus{0.4, 0.1}))[0]};
  Random random(7);
  int single = 0;
  for (const Cell& seat : Seats()) {
    for (int trial = 0; trial < 60; ++trial) {
      const Vec3 away = random.Direction();
      Pose X{random.Rotation(), 3.0 * away};
      constexpr double kDeep = 1e-3;
      Separation apart = MeasureDistance(rings, {&seat, 1}, X, {});
      X.p -= (apart.distance + kDeep) * apart.n;
      const auto found = Find(rings[0], seat, X, {});
      if (found.size() != 1 || found[0].feature != 0) continue;
      ++single;
      const double way = 10.0 * kDeep;
      const Vec3 by = way * found[0].n;
      apart = MeasureDistance(rings, {&seat, 1}, {X.R, X.p + by}, {});
      EXPECT_NEAR(found[0].x, apart.distance - way, 1e-9) << trial;
      EXPECT_GT(Dot(apart.n, found[0].n), 1.0 - 1e-6) << trial;
    }
  }
  EXPECT_GT(single, 100);
}

// The force is the gradient of the energy while the ring is laid down on a face, over its edge and
// across it, at any tilt and depth, and the points are the same for both orders of the bodies.
TEST(RingsInPoints, HaveTheForceOfTheirEnergyAsTheyLieDown) {
  const Cell ring = ToCells(*Leaf(Torus{0.4, 0.1}))[0];
  Random random(11);
  int mixed = 0, kept = 0;
  for (const Cell& seat : Seats()) {
    for (int trial = 0; trial < 300; ++trial) {
      const double tilt = std::pow(10.0, random.Uniform(-6.0, -0.3)), phi = random.Uniform(0, 6.3);
      const Mat3 R = Turn({tilt * std::cos(phi), tilt * std::sin(phi), 0}) *
                     Turn({0, 0, random.Uniform(0.0, 6.3)});
      // Over the edge as well: its middle is up to the face's end.
      const Pose X{R,
                   {random.Uniform(-0.9, 0.9), random.Uniform(-0.7, 0.7),
                    0.1 + 0.4 * std::sin(tilt) - std::pow(10.0, random.Uniform(-4.0, -2.0))}};
      const auto found = Find(ring, seat, X, {});
      if (found.empty()) continue;
      const bool has_kept = std::any_of(found.begin(), found.end(), [](const auto& point) {
        return point.feature >= 1 && point.feature <= 12;
      });
      const bool has_places = std::any_of(found.begin(), found.end(), [](const auto& point) {
        return point.feature == 0 || point.feature > 12;
      });
      // Where several places are deep, what lies between them is shared without its gradient.
      const bool several = std::any_of(found.begin(), found.end(),
                                       [](const auto& point) { return point.feature > 12; });
      kept += has_kept && !has_places ? 1 : 0;
      mixed += has_kept && has_places ? 1 : 0;
      const auto swapped = Find(seat, ring, {}, X);
      ASSERT_EQ(swapped.size(), found.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(swapped[k].feature, found[k].feature);
        EXPECT_EQ(swapped[k].x, found[k].x);
        EXPECT_EQ(swapped[k].weight, found[k].weight);
        EXPECT_EQ(Norm(swapped[k].n + found[k].n), 0.0);
      }
      if (several) continue;
      const Vec3 v = random.Direction(), w = 3.0 * random.Direction();
      double rate = 0.0;
      for (const PointContact& point : found) {
        rate -= point.weight * kPower * std::pow(-point.x, kPower - 1.0) *
                Dot(point.n, v + Cross(w, point.p_WA - X.p));
      }
      constexpr double kStep = 1e-7;
      const double ahead = Energy(Find(ring, seat, {Turn(kStep * w) * X.R, X.p + kStep * v}, {}));
      const double behind = Energy(Find(ring, seat, {Turn(-kStep * w) * X.R, X.p - kStep * v}, {}));
      const double deepest =
          -std::min_element(found.begin(), found.end(), [](const auto& one, const auto& two) {
             return one.x < two.x;
           })->x;
      EXPECT_NEAR((ahead - behind) / (2.0 * kStep), rate, 1e-3 * std::pow(deepest, kPower - 1.0))
          << "tilt " << tilt << " trial " << trial << " points " << found.size();
    }
  }
  EXPECT_GT(mixed, 100);
  EXPECT_GT(kept, 100);
}

// A ring that hangs over the tip of a pyramid is held at all of its edges at once.
TEST(RingsInPoints, HangOnAllEdgesOfWhatIsInTheirHole) {
  const Cell ring = ToCells(*Leaf(Torus{0.4, 0.1}))[0];
  const Convex pyramid{{{1, 1, -1}, {-1, 1, -1}, {-1, -1, -1}, {1, -1, -1}, {0, 0, 0.3}}};
  const Cell tip = ToCells(*Leaf(pyramid))[0];
  double low = -1.0, high = 1.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (Find(ring, tip, {Mat3::Identity(), {0, 0, middle}}, {}).empty() ? high : low) = middle;
  }
  for (const double yaw : {0.0, 0.3, 0.6}) {
    const auto found = Find(ring, tip, {Turn({0, 0, yaw}), {1e-5, -2e-5, low - 1e-3}}, {});
    ASSERT_EQ(found.size(), 4u) << yaw;
    Vec3 push;
    for (const PointContact& point : found) {
      EXPECT_NEAR(point.weight, 1.0, 1e-12);
      push += point.n;
    }
    EXPECT_GT(push.z, 1.0);
    EXPECT_LT(std::hypot(push.x, push.y), 1e-2);
  }
}

// As places come and go while a ring moves over a hull, 3 % of its size deep, no energy jumps.
TEST(RingsInPoints, HaveAnEnergyThatDoesNotJump) {
  constexpr double kDeep = 0.03;
  constexpr int kSteps = 800;
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const Cell ring = ToCells(*Leaf(Torus{0.36, random.Uniform(0.06, 0.16)}))[0];
    Convex convex;
    for (int k = 0; k < 6; ++k) convex.vertices.push_back(0.45 * random.Direction());
    const Cell hull = ToCells(*Leaf(convex))[0];
    Pose X{random.Rotation(), {}};
    const Vec3 along = random.Direction();
    double low = 0.0, high = 3.0;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      X.p = middle * along;
      double deepest = 0.0;
      for (const auto& point : Find(ring, hull, X, {})) deepest = std::max(deepest, -point.x);
      (deepest > kDeep ? low : high) = middle;
    }
    const Vec3 v = 2.0 * kDeep * random.Direction(), w = 4.0 * kDeep * random.Direction();
    double before = -1.0;
    for (int step = 0; step <= kSteps; ++step) {
      const double u = static_cast<double>(step) / kSteps - 0.5;
      const double now = Energy(Find(ring, hull, {Turn(u * w) * X.R, X.p + u * v}, {}));
      if (before >= 0.0) {
        EXPECT_LT(std::fabs(now - before), 0.03 * std::pow(2.0 * kDeep, kPower)) << trial;
      }
      before = now;
    }
  }
}

// Across a flat roof's ridge a ring is deepest at two places, and deep between them: both give that
// up once, and the energy is that of the formula.
TEST(RingsInPoints, AcrossARidgeHaveTwoPlacesThatShare) {
  constexpr double kSlope = 0.05, kRadius = 0.4, kTube = 0.1;
  const double sine = std::sin(kSlope), cosine = std::cos(kSlope), fall = std::tan(kSlope);
  const Convex roof{{{2, 0, 0},
                     {-2, 0, 0},
                     {2, 1, -fall},
                     {-2, 1, -fall},
                     {2, -1, -fall},
                     {-2, -1, -fall},
                     {2, 1, -1},
                     {-2, 1, -1},
                     {2, -1, -1},
                     {-2, -1, -1}}};
  const Cell ring = ToCells(*Leaf(Torus{kRadius, kTube}))[0], seat = ToCells(*Leaf(roof))[0];
  for (const double height : {0.04, 0.05, 0.06}) {
    const auto energy = [&](double angle) {
      const double y = std::fabs(kRadius * std::sin(angle));
      const bool on_slope = y * cosine > height * sine;
      const double apart = on_slope ? y * sine + height * cosine : std::hypot(y, height);
      return std::pow(kTube - apart, kPower);
    };
    double kept = 0.0;
    for (int k = 0; k < 12; ++k) kept += 0.25 * energy(k * M_PI / 6);
    const double places = 2.0 * energy(0.0) - energy(0.5 * M_PI), q = places / kept;
    ASSERT_GT(q, 0.6);
    ASSERT_LT(q, 1.4);
    const auto found = Find(ring, seat, {Mat3::Identity(), {0, 0, height}}, {});
    ASSERT_EQ(found.size(), 14u);
    EXPECT_NEAR(Energy(found), kept * (1.0 + 0.5 * (q - 0.5) * (q - 0.5)), 1e-9 * kept) << height;
    EXPECT_NEAR(found[12].weight, found[13].weight, 1e-9) << height;
  }
}

// A tube that fits into a hollow does not rest on its rim alone.
TEST(RingsInPoints, AreNotOfCellsWithWiderHollows) {
  const Cell ring = ToCells(*Leaf(Torus{0.4, 0.1}))[0];
  for (const auto& [radius, kind] : {std::pair{0.099, PairKind::kRing}, {0.101, PairKind::kAny}}) {
    const Cell bored = ToCells(
        *Tree(Operation::kDifference, {Leaf(Box{{2, 2, 1}}), Leaf(Cylinder{radius, 3})}))[0];
    Cell seat = bored;
    geometry::IndexCornersOfHull(&seat);
    EXPECT_EQ(KindOf(ring, seat), kind);
    EXPECT_NEAR(WidestHollow({&seat, 1}), radius, 1e-12);
  }
}

// Apart, what is said of the gap is no lie.
TEST(RingsInPoints, TellNoMoreThanTheGap) {
  const std::vector<Cell> ring = {ToCells(*Leaf(Torus{0.4, 0.1}))[0]};
  Random random(3);
  int apart = 0;
  for (const Cell& seat : Seats()) {
    for (int trial = 0; trial < 100; ++trial) {
      const Pose X{random.Rotation(), random.InBox(2.5)};
      double gap = 0.0;
      if (!Find(ring[0], seat, X, {}, &gap).empty() || !(gap > 0.0)) continue;
      ++apart;
      EXPECT_GE(MeasureDistance(ring, {&seat, 1}, X, {}).distance, gap - 1e-9) << trial;
    }
  }
  EXPECT_GT(apart, 50);
}

}  // namespace
}  // namespace intervox::host::points
