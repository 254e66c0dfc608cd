// Deepest points: they are the shortest way out of an overlap, of all kinds of cells and sizes.
#include "host/contact/points/deepest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "geometry/hollows.h"
#include "geometry/solid.h"
#include "host/distance/overlaps.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host::points {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Cell;
using geometry::Cone;
using geometry::Cylinder;
using geometry::Ellipsoid;
using geometry::Leaf;
using geometry::Operation;
using geometry::Random;
using geometry::ShapePtr;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Torus;
using geometry::Tree;

struct Part {
  std::string name;
  Cell cell;
};

/** Parts of about the given size; aspects turns the axes of lengths. */
std::vector<Part> PartsOf(double size, const Vec3& aspects) {
  const double L = size, a = aspects.x, b = aspects.y, c = aspects.z;
  const auto hollow = [](const ShapePtr& from, const ShapePtr& what) {
    return Tree(Operation::kDifference, {from, what});
  };
  const std::vector<std::pair<std::string, ShapePtr>> shapes = {
      {"box", Leaf(Box{{a * L, b * L, c * L}})},
      {"ellipsoid", Leaf(Ellipsoid{{0.5 * a * L, 0.5 * b * L, 0.5 * c * L}})},
      {"cylinder", Leaf(Cylinder{0.5 * a * L, c * L})},
      {"cone", Leaf(Cone{0.5 * a * L, 0.0, c * L})},
      {"torus", Leaf(Torus{0.4 * L, 0.1 * a * L})},
      {"dimpled", hollow(Leaf(Box{{a * L, a * L, L}}),
                         Leaf(Sphere{0.4 * a * L}, {Mat3::Identity(), {0, 0, 0.55 * L}}))},
      {"holed", hollow(Leaf(Box{{a * L, a * L, L}}), Leaf(Cylinder{0.3 * a * L, 2 * L}))},
      {"lens", Tree(Operation::kIntersection,
                    {Leaf(Sphere{0.6 * L}, {Mat3::Identity(), {0, 0, 0.3 * L}}),
                     Leaf(Sphere{0.6 * L}, {Mat3::Identity(), {0, 0, -0.3 * L}})})}};
  std::vector<Part> parts;
  for (const auto& [name, shape] : shapes) parts.push_back({name, ToCells(*shape)[0]});
  return parts;
}

bool Meet(const PairQuery& query, const Vec3& by) {
  return TestOverlap({query.a, 1}, {query.b, 1}, {query.X_WA.R, query.X_WA.p + by}, query.X_WB)
      .overlaps;
}

// Moved out along n by its depth the cells are apart, by less they are not, and no direction near n
// leads out sooner: an independent witness, as certified overlaps are decided by other means.
TEST(DeepestPoint, IsTheShortestWayOutOfAnOverlap) {
  Random random(23);
  int looked_at = 0;
  for (const double size : {1e-3, 0.1, 10.0}) {
    for (const Vec3& aspects : {Vec3{1.0, 0.8, 0.6}, Vec3{0.3, 1.0, 2.0}}) {
      const std::vector<Part> parts = PartsOf(size, aspects);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t j = i; j < parts.size(); ++j) {
          PairQuery query{&parts[i].cell, &parts[j].cell, {}, {}};
          const bool tori = parts[i].name == "torus" && parts[j].name == "torus";
          if (tori) continue;
          // The second comes from far away until it goes in by a little.
          const Vec3 from = random.Direction();
          query.X_WA = {random.Rotation(), random.InBox(size)};
          query.X_WB.R = random.Rotation();
          const Vec3 aim = query.X_WA.p + 0.2 * random.InBox(size);
          double out = 8.0 * size, in = 0.0;
          query.X_WB.p = aim;
          if (!Meet(query, {})) continue;  // it aims through a hole
          while (out - in > 1e-4 * size) {
            const double middle = 0.5 * (out + in);
            query.X_WB.p = aim + middle * from;
            (Meet(query, {}) ? in : out) = middle;
          }
          query.X_WB.p = aim + (in - std::pow(10.0, random.Uniform(-4.0, -2.0)) * size) * from;
          const auto point = DeepestPoint(query);
          const std::string what = parts[i].name + " " + parts[j].name + " " + std::to_string(size);
          if (!Meet(query, {})) continue;
          ASSERT_TRUE(point) << what;
          ++looked_at;
          const double depth = -point->x;
          ASSERT_GT(depth, 0.0) << what;
          EXPECT_NEAR(Norm(point->n), 1.0, 1e-12) << what;
          EXPECT_NEAR(Norm(point->p_WA - point->p_WB + depth * point->n), 0.0, 1e-12 * size);
          const bool concave = parts[i].name == "torus" || parts[j].name == "torus" ||
                               parts[i].name == "dimpled" || parts[j].name == "dimpled" ||
                               parts[i].name == "holed" || parts[j].name == "holed";
          EXPECT_TRUE(Meet(query, (1.0 - 1e-4) * depth * point->n)) << what;
          // Elsewhere a hollow cell may still be in.
          if (!concave) {
            EXPECT_FALSE(Meet(query, (1.0 + 1e-6) * depth * point->n)) << what;
          }
          for (int k = 0; k < 6; ++k) {
            const Vec3 n = point->n + 0.03 * random.Direction();
            EXPECT_TRUE(Meet(query, (1.0 - 1e-4) * depth / Norm(n) * n)) << what;
          }
          // Motion of both changes nothing.
          const Pose X{random.Rotation(), random.InBox(5.0 * size)};
          PairQuery moved = query;
          moved.X_WA = X * query.X_WA;
          moved.X_WB = X * query.X_WB;
          const auto same = DeepestPoint(moved);
          ASSERT_TRUE(same) << what;
          EXPECT_NEAR(same->x, point->x, 1e-10 * size) << what;
          EXPECT_NEAR(Norm(same->n - X.R * point->n), 0.0, 1e-6) << what;
        }
      }
    }
  }
  EXPECT_GT(looked_at, 100);
}

// Where a cut face presses, a neighbour of the same body is deeper and has the point: the end of a
// capsule's cylinder is no point of its own.
TEST(DeepestPoint, IsNoneOfACutFace) {
  const std::vector<Cell> capsule = ToCells(*Leaf(Capsule{0.2, 1.0}));
  const Cell* cylinder = nullptr;
  for (const Cell& cell : capsule) {
    for (const geometry::Surface& s : cell.surfaces) {
      if (s.kind == geometry::SurfaceKind::kCylinder) cylinder = &cell;
    }
  }
  ASSERT_NE(cylinder, nullptr);
  const Cell table = ToCells(*Leaf(Box{{4, 4, 1}}))[0];
  const auto at = [&](double tilt, double z) {
    const Mat3 R = Mat3::FromColumns({std::sin(tilt), 0, std::cos(tilt)}, {0, 1, 0},
                                     {-std::cos(tilt), 0, std::sin(tilt)});
    return PairQuery{cylinder, &table, {R, {0, 0, 0.5 + z}}, {}};
  };
  // 0.1 of tilt lifts the middle of the axis by 0.05 above the lower end.
  EXPECT_FALSE(DeepestPoint(at(0.1, 0.2 + 0.02)));
  EXPECT_FALSE(DeepestPoint(at(-0.1, 0.2 + 0.02)));
  EXPECT_FALSE(DeepestPoint(at(1e-6, 0.2 - 0.01)));
  const auto lying = DeepestPoint(at(0.0, 0.2 - 0.01));
  ASSERT_TRUE(lying);
  EXPECT_NEAR(lying->x, -0.01, 1e-9);
}

// Faces that lie flat on each other are as deep all over: the point is in the middle of what they
// share; the least tilt takes it to the corner or the rim that goes in farthest.
TEST(DeepestPoint, OfFacesThatLieFlatIsInTheirMiddleOrAtACorner) {
  const Cell plate =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{2, 2, 0.4}}), Leaf(Cylinder{0.3, 1})}))[0];
  const Cell table = ToCells(*Leaf(Box{{5, 5, 1}}))[0];
  const auto at = [&](const Vec3& turn) {
    const Quaternion q{1.0, 0.5 * turn.x, 0.5 * turn.y, 0.0};
    return DeepestPoint({&plate, &table, {ToRotation(q), {0.3, 0.2, 0.7 - 1e-3}}, {}});
  };
  const auto flat = at({});
  ASSERT_TRUE(flat);
  EXPECT_NEAR(flat->x, -1e-3, 1e-12);
  EXPECT_NEAR(Norm(flat->p_WB - Vec3{0.3, 0.2, 0.5}), 0.0, 0.02);
  for (const double tilt : {1e-3, 1e-6, 1e-9, 1e-11}) {
    for (const Vec3& turn : {Vec3{1, 0.5, 0}, Vec3{-0.5, 1, 0}}) {
      const auto point = at(tilt * turn);
      ASSERT_TRUE(point) << tilt;
      const double x = turn.y > 0 ? 1.0 : -1.0, y = turn.x > 0 ? -1.0 : 1.0;
      EXPECT_NEAR(point->p_WA.x, 0.3 + x, 3 * tilt + 1e-9) << tilt;
      EXPECT_NEAR(point->p_WA.y, 0.2 + y, 3 * tilt + 1e-9) << tilt;
      EXPECT_NEAR(point->x, -1e-3 - tilt * 1.5, 1e-9 + tilt * tilt) << tilt;
    }
  }
}

// A ring lies nearly flat on a face: its overlap's mean is far from where it is deepest, its depth
// hardly differs along it. The lowest point of a torus is known in closed form.
TEST(DeepestPoint, OfARingThatLiesNearlyFlatIsItsLowest) {
  Random random(29);
  for (const double size : {1e-3, 0.1, 10.0}) {
    const double R = 0.38 * size, r = 0.12 * size;
    const Cell ring = ToCells(*Leaf(Torus{R, r}))[0];
    const Cell table = ToCells(*Leaf(Box{{2 * size, 2 * size, size}}))[0];
    for (int k = 0; k < 100; ++k) {
      const double tilt = std::pow(10.0, random.Uniform(-7.0, -1.0)),
                   depth = size * std::pow(10.0, random.Uniform(-7.0, -2.0)),
                   turn = random.Uniform(-3.0, 3.0);
      const Vec3 axis{std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn),
                      std::cos(tilt)};
      const Vec3 t = AnyOrthogonal(axis);
      const Mat3 tilted = Mat3::FromColumns(t, Cross(axis, t), axis);
      const double lowest = r + R * std::sin(tilt);
      const Pose X{random.Rotation(), random.InBox(size)};
      const auto point =
          DeepestPoint({&ring, &table, X * Pose{tilted, {0, 0, 0.5 * size + lowest - depth}}, X});
      SCOPED_TRACE(testing::Message() << "size " << size << " tilt " << tilt << " depth " << depth);
      ASSERT_TRUE(point);
      EXPECT_NEAR(-point->x, depth, 1e-12 * size);
      EXPECT_NEAR(Norm(point->n - X.R.Col(2)), 0.0, 1e-12);
      const Vec3 across = Vec3{axis.x, axis.y, 0} / std::sin(tilt);
      EXPECT_NEAR(Dot(X.R * across, point->p_WB - X.p), R * std::cos(tilt), 1e-6 * size);
    }
  }
}

// A block is wedged in a ring's hole, where its overlap's faces look all ways and their mean says
// little: what is found all the same lies on both, as deep as it says.
TEST(DeepestPoint, OfABlockWedgedInARingLiesOnBoth) {
  const Cell ring = ToCells(*Leaf(Torus{0.0910, 0.0480}))[0];
  const std::vector<Cell> block = geometry::SplitHollows(ToCells(*Tree(
      Operation::kDifference, {Leaf(Box{{0.0903, 0.0722, 0.0488}}), Leaf(Cylinder{0.0092, 1.0})})));
  ASSERT_GT(block.size(), 1u);
  Random random(31);
  int found = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Quaternion q{0.5417, 0.3306, 0.6506, -0.4172};
    const Pose X{ToRotation(Normalized(q)), Vec3{0.0071, 0.0011, 0.0479} + random.InBox(5e-4)};
    for (const Cell& part : block) {
      const auto point = DeepestPoint({&ring, &part, {}, X});
      if (!point) continue;
      ++found;
      const Vec3 p_B = TransposeTimes(X.R, point->p_WB - X.p);
      EXPECT_NEAR(geometry::Level(ring, point->p_WA), 0.0, 1e-9) << trial;
      EXPECT_NEAR(geometry::Level(part, p_B), 0.0, 1e-9) << trial << " depth " << -point->x;
    }
  }
  EXPECT_GT(found, 60);
}

}  // namespace
}  // namespace intervox::host::points
