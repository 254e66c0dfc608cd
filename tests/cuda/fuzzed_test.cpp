// Pairs and solids that random lattices of sizes, poses and tiny perturbations once brought down.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cuda/moments/mass_properties.h"
#include "geometry/shape.h"
#include "tests/cuda/pairs.h"
#include "tests/geometry/random_shapes.h"

namespace intervox {
namespace {

using geometry::Leaf;
using geometry::Operation;
using geometry::ShapePtr;
using geometry::Tree;

Pose At(const Vec3& p, const Quaternion& q) { return {ToRotation(Normalized(q)), p}; }

// ∫∫ 2√(r² − 2pq) dp dq over [0, L]²: the inner integral in closed form, Simpson's rule outside.
double TwistedVolume(double r, double L) {
  const auto inner = [&](double p) {
    if (p == 0) return 2 * r * L;
    return 2 / (3 * p) * (r * r * r - std::pow(r * r - 2 * p * L, 1.5));
  };
  const int n = 2000;
  double sum = inner(0) + inner(L);
  for (int i = 1; i < n; ++i) sum += (i % 2 == 0 ? 2 : 4) * inner(L * i / n);
  return sum * L / (3 * n);
}

TEST(Fuzzed, ASurfaceTwistedAlongTheBoxIsSplitAcross) {
  // x² + y² − z² ≤ r² in a box along the generators y ± z: the form vanishes on two of its axes,
  // and a grid that halves only the third converges, to a wrong volume.
  const double r = 0.5, L = 0.3, root = std::sqrt(0.5);
  geometry::Shape quadric;
  quadric.primitive = geometry::Quadric{{1, 1, -1, 0, 0, 0, 0, 0, 0, -r * r}};
  const geometry::Cell solid = geometry::ToCells(quadric).front();
  const geometry::Cell box = testing::BoxCell({4, L, L});
  const Pose X{Mat3::FromColumns({1, 0, 0}, {0, root, root}, {0, -root, root}),
               {0, 0, 0}};  // p along y + z, q along z − y
  PairQuery q{&box, &solid, X, {}};
  q.X_WA.p = X.R * Vec3{0, 0.5 * L, -0.5 * L};
  const double V = TwistedVolume(r, L);
  for (const LeafRule rule : {LeafRule::kAuto, LeafRule::kClip}) {
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
      q.rule = rule;
      q.tolerance = tolerance;
      const InterferenceMetrics m = ComputeMetrics(q);
      EXPECT_EQ(m.status, Status::kOk);
      EXPECT_NEAR(m.volume, V, tolerance * V);
      EXPECT_LE(m.volume_lo, V);
      EXPECT_GE(m.volume_hi, V);
    }
  }
}

geometry::Primitive Octahedron() {
  return geometry::Convex{
      {{0.2, 0, 0}, {-0.2, 0, 0}, {0, 0.2, 0}, {0, -0.2, 0}, {0, 0, 0.2}, {0, 0, -0.2}}};
}

TEST(Fuzzed, ASheetThatEndsWithinRoundingOfAQuadrantEnds) {
  // Two cut capsules, a rounding apart from symmetric, whose generators fold at the very end of a
  // quadrant: the flux rule once looked for a sheet there without end.
  const ShapePtr first = Tree(
      Operation::kDifference, {Leaf(geometry::Capsule{0.2, 0.2}), Leaf(Octahedron())}, "",
      At({0.10000000000000087, -5.651901918900977e-16, -2.8707677471420404e-16},
         {0.7071067811865476, 0.7071067811865474, 1.5206309082067854e-16, 2.171054222569592e-16}));
  const ShapePtr bar = Leaf(geometry::Capsule{0.1, 0.2},
                            At({0.04999996227730768, 0.2000003956690914, 0.24999907550955908},
                               {0.9999999999992757, -8.420169274335021e-07, -8.589571096562212e-07,
                                3.870899649310532e-08}));
  const ShapePtr corner = Leaf(
      geometry::Convex{{{0, 0, 0}, {0.4, 0, 0}, {0, 0.4, 0}, {0, 0, 0.4}}},
      At({-0.10000000000565049, -0.3000000009735475, 1.0533134228679409e-10},
         {0.7071067811601104, 4.842036879599255e-10, -6.692038982664684e-10, 0.7071067812129845}));
  const ShapePtr second =
      Tree(Operation::kDifference, {bar, corner}, "",
           At({-0.09999999971024222, -0.09999999990669427, 0.2500000007026463},
              {1.0, 7.433221543263943e-10, -6.095364964511993e-10, -7.30689504198656e-10}));
  const ShapePtr part = Tree(Operation::kDifference, {first, second});
  const MassProperties m = ComputeMassProperties(geometry::ToCells(*part), 1, 1e-4);
  EXPECT_NEAR(m.volume, 0.04797639, 2e-6);  // by 2,500² ray columns
}

TEST(Fuzzed, ABallThatEndsAPinOfItsRadius) {
  // Outside of a capsule's half ball and inside of its cylinder's continuation: plane, cylinder and
  // ball share one circle, which the flux rule once took twice. Its parts add up to the box.
  const ShapePtr capsule = Leaf(geometry::Capsule{0.2, 0.4});
  std::vector<geometry::Cell> cells =
      geometry::ToCells(*Tree(Operation::kDifference, {Leaf(geometry::Box{{9, 9, 9}}), capsule}));
  for (const geometry::Cell& cell : geometry::ToCells(*capsule)) cells.push_back(cell);
  const Vec3 size{0.5, 0.6, 0.7};
  const geometry::Cell box = testing::BoxCell(size);
  testing::Random random(5);
  for (int i = 0; i < 200; ++i) {
    // A half ball's centre lies well within the box.
    const Pose X_BW = random.RandomPose(0.1) * Pose{Mat3::Identity(), {0, 0, -0.2}};
    double sum = 0;
    for (const geometry::Cell& cell : cells) {
      PairQuery q{&box, &cell, {}, X_BW};
      const InterferenceMetrics m = ComputeMetrics(q);
      EXPECT_TRUE(m.status == Status::kOk || m.status == Status::kDisjoint) << i;
      sum += m.volume;
    }
    EXPECT_NEAR(sum, size.x * size.y * size.z, 1e-3 * sum) << i;
  }
}

}  // namespace
}  // namespace intervox
