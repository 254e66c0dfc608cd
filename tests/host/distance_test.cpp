// Distances of separated solids: closed forms, another method, motion, and the engine itself.
#include "host/distance/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuda/engine.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/scene/shape_metrics.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

using geometry::At;
using geometry::Box;
using geometry::Capsule;
using geometry::Cell;
using geometry::Cone;
using geometry::Cylinder;
using geometry::Ellipsoid;
using geometry::HalfSpace;
using geometry::Leaf;
using geometry::Operation;
using geometry::Random;
using geometry::ShapePtr;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Torus;
using geometry::Tree;

using Cells = std::vector<Cell>;

constexpr double kTolerance = 1e-9;  // of the options, in sizes below 1

/** The distance, which must be proved to the tolerance. */
Separation Measure(const Cells& a, const Cells& b, const Pose& X_WA, const Pose& X_WB) {
  const Separation out = MeasureDistance(a, b, X_WA, X_WB);
  EXPECT_EQ(out.status, Status::kOk) << out.reason;
  EXPECT_LE(out.lower, out.distance);
  EXPECT_NEAR(Norm(out.p_WA - out.p_WB), out.distance, 1e-12);
  return out;
}

/** How far a point is outside of a solid, by its levels. */
double Outside(const Cells& cells, const Vec3& p) {
  double least = HUGE_VAL;
  for (const Cell& cell : cells) {
    double most = -HUGE_VAL;
    for (const auto& s : cell.surfaces) most = std::fmax(most, geometry::Level(s, p));
    least = std::fmin(least, most);
  }
  return least;
}

TEST(Distance, ClosedForms) {
  const Cells ball = ToCells(*Leaf(Sphere{0.3})), floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0}));
  const Cells box = ToCells(*Leaf(Box{{1, 1, 1}})), torus = ToCells(*Leaf(Torus{0.4, 0.1}));
  const Cells cone = ToCells(*Leaf(Cone{0.3, 0.0, 0.5}));
  EXPECT_NEAR(Measure(ball, ball, {}, At(1, 2, 2)).distance, 3 - 0.6, kTolerance);
  EXPECT_NEAR(Measure(ball, floor, At(0, 0, 5), {}).distance, 4.7, 5 * kTolerance);
  EXPECT_NEAR(Measure(box, box, {}, At(1.25, 0.3, 0.2)).distance, 0.25, kTolerance);  // faces
  EXPECT_NEAR(Measure(box, box, {}, At(4, 5, 1.1)).distance, std::hypot(3.0, 4.0, 0.1), 1e-8);
  EXPECT_NEAR(Measure(ball, torus, At(0.7, 0, 0.5), {}).distance, std::hypot(0.3, 0.5) - 0.4, 1e-9);
  // On its tip: the nearest point is the apex, where a cone has no tangent plane.
  Separation tip =
      Measure(cone, floor, {ToRotation(Normalized(Quaternion{0, 1, 0.2, 0})), {0, 0, 1}}, {});
  EXPECT_NEAR(tip.distance, 1 - 0.25, 2 * kTolerance);
  EXPECT_NEAR(tip.n.z, 1, 1e-9);
}

// The pin of a shaft in a hole: the nearest points lie across the gap, not at the hole's far side.
TEST(Distance, PegInAHole) {
  const Cells block =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{1, 1, 0.5}}), Leaf(Cylinder{0.3, 2})}));
  const Cells peg = ToCells(*Leaf(Cylinder{0.29, 1.0}));
  const Separation out = Measure(block, peg, {}, At(0.004, 0.003, 0));
  EXPECT_NEAR(out.distance, 0.005, 1e-9);
  EXPECT_NEAR(out.n.x, 0.8, 1e-4);
  EXPECT_NEAR(out.n.y, 0.6, 1e-4);
}

ShapePtr RandomSolid(Random* random, double size) {
  const auto length = [&] { return size * std::pow(10, random->Uniform(-1.5, 0)); };
  const double a = length(), b = length(), c = length();
  switch (random->Below(7)) {
    case 0:
      return Leaf(Box{{a, b, c}});
    case 1:
      return Leaf(Ellipsoid{{a, b, c}});
    case 2:
      return Leaf(Cylinder{a, b});
    case 3:
      return Leaf(Cone{a, 0, b});
    case 4:
      return Leaf(Cone{a, 0.5 * a, c});
    case 5:
      return Leaf(Capsule{a, b});
    default:
      return Leaf(Sphere{a});
  }
}

// Any sizes, and sizes a thousandfold apart: witness points lie in the solids, moved by all but a
// little of the distance the engine finds no overlap, and what is left is the rest of the distance.
TEST(Distance, RandomSolidsOfAnySize) {
  Random random(5);
  const Engine engine{EngineOptions{}};
  for (const double ratio : {1.0, 1e-3, 1e3}) {
    for (const double scale : {1.0, 1e-5, 1e5}) {
      for (int k = 0; k < 20; ++k) {
        const Cells a = ToCells(*RandomSolid(&random, scale));
        const Cells b = ToCells(*RandomSolid(&random, scale * ratio));
        Pose X{random.Rotation(), 2 * scale * (1 + ratio) * random.Direction()};
        const Separation out = MeasureDistance(a, b, {}, X);
        ASSERT_EQ(out.status, Status::kOk) << ratio << ' ' << scale << ' ' << k;
        ASSERT_GT(out.distance, 0);
        const double size = scale * std::fmax(1.0, ratio);
        EXPECT_LE(Outside(a, out.p_WA), 1e-9 * size);
        EXPECT_LE(Outside(b, Inverse(X) * out.p_WB), 1e-9 * size);
        X.p += 0.999 * out.distance * out.n;
        const auto near = MeasurePair(engine, a, b, {}, X, {});
        EXPECT_EQ(near.sum.status, Status::kDisjoint);
        const Separation rest = MeasureDistance(a, b, {}, X);
        EXPECT_NEAR(rest.distance, 1e-3 * out.distance, 3e-9 * std::fmax(size, out.distance));
        // Beyond, edges may pass each other; where the engine finds an overlap there is no
        // distance.
        X.p += 2e-3 * out.distance * out.n;
        const double beyond = MeasureDistance(a, b, {}, X).distance;
        EXPECT_LE(beyond, 1.001e-3 * out.distance + 3e-9 * size);
        const bool meet = MeasurePair(engine, a, b, {}, X, {}).sum.volume > 0;
        EXPECT_EQ(beyond == 0, meet) << beyond;
      }
    }
  }
}

/** Points of a solid that are spread over its bounds, moved onto its surface along a ray to q. */
double SampledDistance(const Cells& a, const Cells& b, const Pose& X, int count, Random* random) {
  double least = HUGE_VAL;
  for (int k = 0; k < count; ++k) {
    const Cell& cell = a[static_cast<std::size_t>(random->Below(static_cast<int>(a.size())))];
    const Vec3 h = cell.bounds.half;
    const Vec3 p = cell.bounds.X * Vec3{random->Uniform(-h.x, h.x), random->Uniform(-h.y, h.y),
                                        random->Uniform(-h.z, h.z)};
    if (Outside(a, p) > 0) continue;
    // Another method for the point: the distance is that of a tiny ball, less its radius.
    const double radius = 1e-6;
    const Separation out =
        MeasureDistance(ToCells(*Leaf(Sphere{radius})), b, {Mat3::Identity(), p}, X);
    least = std::fmin(least, out.distance + radius);
  }
  return least;
}

// Holes and tubes keep no convex sets: no point of the solid is nearer than what was proved.
TEST(Distance, SolidsThatAreNotConvex) {
  Random random(7);
  const std::vector<ShapePtr> shapes = {
      Leaf(Torus{0.35, 0.1}),
      Tree(Operation::kDifference, {Leaf(Cylinder{0.3, 0.5}), Leaf(Cylinder{0.2, 0.9})}),
      Tree(Operation::kDifference, {Leaf(Box{{0.7, 0.7, 0.4}}), Leaf(Cylinder{0.2, 0.9})}),
      Tree(Operation::kDifference,
           {Leaf(Box{{0.7, 0.7, 0.4}}), Leaf(Sphere{0.3}, At(0, 0, 0.25))})};
  const Cells box = ToCells(*Leaf(Box{{0.3, 0.25, 0.2}}));
  int apart = 0;
  for (const ShapePtr& shape : shapes) {
    const Cells solid = ToCells(*shape);
    for (int k = 0; k < 8; ++k) {
      const Pose X{random.Rotation(), random.InBox(0.7)};
      const Separation out = Measure(solid, box, {}, X);
      if (out.distance == 0) continue;
      ++apart;
      EXPECT_LE(Outside(solid, out.p_WA), 1e-9);
      EXPECT_LE(Outside(box, Inverse(X) * out.p_WB), 1e-9);
      EXPECT_GE(SampledDistance(solid, box, X, 60, &random), out.lower);
    }
  }
  EXPECT_GT(apart, 12);
}

// The same in any frame, and from the other solid.
TEST(Distance, OfFramesAndOfOrder) {
  Random random(11);
  for (int k = 0; k < 30; ++k) {
    const Cells a = ToCells(*RandomSolid(&random, 1)), b = ToCells(*RandomSolid(&random, 1));
    const Pose X{random.Rotation(), 1.5 * random.Direction()}, Y = random.RandomPose(3);
    const double distance = Measure(a, b, {}, X).distance;
    EXPECT_NEAR(Measure(a, b, Y, Y * X).distance, distance, 3e-9);
    EXPECT_NEAR(Measure(b, a, X, {}).distance, distance, 3e-9);
  }
}

TEST(Distance, TellsWhatItCannotDo) {
  const Cells floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0})),
              torus = ToCells(*Leaf(Torus{0.4, 0.1}));
  const Separation both = MeasureDistance(floor, floor, {}, At(0, 0, -1));
  EXPECT_EQ(both.status, Status::kInvalid);
  EXPECT_NE(both.reason.find("unbounded"), std::string::npos);
  // Too few boxes for two tori: what is proved is stated.
  DistanceOptions few;
  few.most_boxes = 200;
  const Pose X{ToRotation(Normalized(Quaternion{1, 0.3, 0.2, 0.1})), {0.9, 0.3, 0.4}};
  const Separation rough = MeasureDistance(torus, torus, {}, X, few);
  EXPECT_EQ(rough.status, Status::kToleranceNotMet);
  EXPECT_GT(rough.lower, 0);
  EXPECT_LT(rough.lower, rough.distance);
}

}  // namespace
}  // namespace intervox::host
