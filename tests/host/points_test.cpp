// Points at which cells touch: closed forms, an independent minimiser, gradients, motion.
#include "host/contact/points/points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "geometry/extremes.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/contact/points/nearest.h"
#include "host/contact/points/vertices.h"
#include "host/distance/distance.h"
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

std::vector<PointContact> Find(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB,
                               double* gap = nullptr) {
  PairQuery query{&a, &b, X_WA, X_WB};
  query.tolerance = 1e-9;
  std::vector<PointContact> out;
  const double apart = FindPoints(query, &out);
  if (gap != nullptr) *gap = apart;
  for (const PointContact& point : out) {
    EXPECT_LT(point.x, 0.0);
    EXPECT_NEAR(Norm(point.n), 1.0, 1e-12);
    EXPECT_NEAR(Norm(point.p_WA - point.p_WB - point.x * point.n), 0.0, 1e-12);
  }
  return out;
}

Pose Moved(const Pose& X, const Vec3& by) { return {X.R, X.p + by}; }

/** Small rotation about a point. */
Pose Turned(const Pose& X, const Vec3& about, const Vec3& turn) {
  const double angle = Norm(turn);
  const Vec3 u = turn / angle;
  const double s = std::sin(0.5 * angle);
  const Mat3 R = ToRotation(Quaternion{std::cos(0.5 * angle), s * u.x, s * u.y, s * u.z});
  return {R * X.R, about + R * (X.p - about)};
}

/** The hull of random points in a ball. */
ShapePtr RandomHull(int seed, int count, double radius) {
  Random random(static_cast<unsigned>(seed));
  geometry::Convex hull;
  for (int k = 0; k < count; ++k)
    hull.vertices.push_back(random.Uniform(0.7, 1.0) * radius * random.Direction());
  return Leaf(hull);
}

Cells One(const ShapePtr& shape) {
  Cells cells = ToCells(*shape);
  EXPECT_EQ(cells.size(), 1u);
  return cells;
}

ShapePtr Tube() {
  return Tree(Operation::kDifference, {Leaf(Cylinder{0.3, 0.8}), Leaf(Cylinder{0.2, 2})});
}

/** A cylinder of which a groove across its end takes a part of the rim. */
ShapePtr NotchedCan() {
  const Pose X{Mat3::FromColumns({0, 0, 1}, {0, 1, 0}, {-1, 0, 0}), {0, 0, 0.4}};
  return Tree(Operation::kDifference, {Leaf(Cylinder{0.3, 0.8}), Leaf(Cylinder{0.1, 2}, X)});
}

double Deepest(const std::vector<PointContact>& points) {
  double x = 0.0;
  for (const PointContact& point : points) x = std::min(x, point.x);
  return x;
}

// ---- closed forms, Gonthier A.2
// -------------------------------------------------------------------
TEST(Points, BallOnPlaneEdgeCylinderAndCone) {
  const Cell ball = One(Leaf(Sphere{0.1}))[0];
  const Cell floor = One(Leaf(HalfSpace{{0, 0, 1}, 0.0}))[0];
  const auto on_floor = Find(ball, floor, {Mat3::Identity(), {3, 4, 0.09}}, {});
  ASSERT_EQ(on_floor.size(), 1u);
  EXPECT_NEAR(on_floor[0].x, -0.01, 1e-15);
  EXPECT_NEAR(Norm(on_floor[0].n - Vec3{0, 0, 1}), 0.0, 1e-15);
  EXPECT_NEAR(Norm(on_floor[0].p_WA - Vec3{3, 4, -0.01}), 0.0, 1e-14);
  // Swapped: the normal points toward the other body.
  const auto under = Find(floor, ball, {}, {Mat3::Identity(), {3, 4, 0.09}});
  ASSERT_EQ(under.size(), 1u);
  EXPECT_NEAR(Norm(under[0].n + Vec3{0, 0, 1}), 0.0, 1e-15);
  EXPECT_NEAR(Norm(under[0].p_WB - Vec3{3, 4, -0.01}), 0.0, 1e-14);

  // An edge: the nearest point of a block whose edge is the y axis (A.5)–(A.10).
  const Cell block = One(Leaf(Box{{2, 2, 2}}))[0];
  const Pose X_block{Mat3::Identity(), {-1, 0, -1}};
  const auto on_edge = Find(ball, block, {Mat3::Identity(), {0.03, 0.2, 0.04}}, X_block);
  ASSERT_EQ(on_edge.size(), 1u);
  EXPECT_NEAR(on_edge[0].x, 0.05 - 0.1, 1e-13);
  EXPECT_NEAR(Norm(on_edge[0].n - Vec3{0.6, 0, 0.8}), 0.0, 1e-12);
  EXPECT_NEAR(Norm(on_edge[0].p_WB - Vec3{0, 0.2, 0}), 0.0, 1e-12);
  // Near a corner all three count.
  const auto on_corner = Find(ball, block, {Mat3::Identity(), {0.02, 1.02, 0.04}}, X_block);
  ASSERT_EQ(on_corner.size(), 1u);
  EXPECT_NEAR(on_corner[0].x, std::sqrt(0.0024) - 0.1, 1e-13);

  // Outside of a cylinder and inside of one (A.12)–(A.15).
  const Cell rod = One(Leaf(Cylinder{0.3, 4}))[0];
  const auto on_rod = Find(ball, rod, {Mat3::Identity(), {0.234, 0.312, 0.5}}, {});
  ASSERT_EQ(on_rod.size(), 1u);
  EXPECT_NEAR(on_rod[0].x, 0.39 - 0.3 - 0.1, 1e-13);
  const Cells tube =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{2, 2, 2}}), Leaf(Cylinder{1, 4})}));
  std::vector<PointContact> inside;
  for (const Cell& cell : tube) {
    for (const PointContact& point :
         Find(ball, cell, {Mat3::Identity(), {0.91 * 0.6, 0.91 * 0.8, 0}}, {}))
      inside.push_back(point);
  }
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_NEAR(inside[0].x, -0.01, 1e-12);
  EXPECT_NEAR(Norm(inside[0].n + Vec3{0.6, 0.8, 0}), 0.0, 1e-12);

  // A cone's side, tip and inside (A.16)–(A.24): half angle 45°, tip up at the origin.
  const Cell cone = One(Leaf(Cone{1.0, 0.0, 1.0}))[0];  // from z = −½ to the tip at ½
  const auto on_side = Find(ball, cone, {Mat3::Identity(), {0.5 + 0.05, 0, 0.05}}, {});
  ASSERT_EQ(on_side.size(), 1u);
  EXPECT_NEAR(on_side[0].x, 0.05 * std::sqrt(2.0) - 0.1, 1e-12);
  EXPECT_NEAR(Norm(on_side[0].n - Vec3{std::sqrt(0.5), 0, std::sqrt(0.5)}), 0.0, 1e-12);
  const auto on_tip = Find(ball, cone, {Mat3::Identity(), {0.01, 0, 0.56}}, {});
  ASSERT_EQ(on_tip.size(), 1u);
  EXPECT_NEAR(on_tip[0].x, std::hypot(0.01, 0.06) - 0.1, 1e-12);
}

// ---- balls against an independent minimiser
// ------------------------------------------------------
TEST(Points, BallsAgreeWithTheDistanceOfAMuchSmallerBall) {
  const std::vector<ShapePtr> others = {Leaf(Box{{0.5, 0.7, 0.9}}),
                                        Leaf(Cylinder{0.3, 0.8}),
                                        Leaf(Cone{0.4, 0.1, 0.6}),
                                        Leaf(Cone{0.4, 0.0, 0.6}),
                                        Leaf(Ellipsoid{{0.2, 0.4, 0.6}}),
                                        Leaf(Torus{0.4, 0.1}),
                                        Leaf(Sphere{0.35}),
                                        Leaf(HalfSpace{{0, 0.6, 0.8}, 0.1}),
                                        RandomHull(7, 20, 0.5)};
  Random random(3);
  int touched = 0;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const Cells cells = ToCells(*others[k]);
    for (int trial = 0; trial < 40; ++trial) {
      const Pose X_W{random.Rotation(), random.InBox(2.0)};
      const Vec3 c = X_W * random.InBox(1.0);
      constexpr double kTiny = 1e-4;
      const Cells tiny = ToCells(*Leaf(Sphere{kTiny}));
      const Separation apart = MeasureDistance(tiny, cells, {Mat3::Identity(), c}, X_W);
      if (!(apart.distance > 0.01)) continue;
      const double radius = 1.3 * (apart.distance + kTiny);
      const Cells ball = ToCells(*Leaf(Sphere{radius}));
      ASSERT_EQ(KindOf(ball[0], cells[0]), PairKind::kBall);
      const auto found = Find(ball[0], cells[0], {random.Rotation(), c}, X_W);
      ASSERT_EQ(found.size(), 1u) << "shape " << k << " trial " << trial;
      EXPECT_NEAR(found[0].x, apart.distance + kTiny - radius, 2e-9) << "shape " << k;
      EXPECT_GT(Dot(found[0].n, apart.n), 1 - 1e-6) << "shape " << k;
      ++touched;
    }
  }
  EXPECT_GT(touched, 200);
}

// The foot is found at any distance from the axis of the circle that it lies on: near it all of the
// circle is as far, and a step that misses the foot would lose the contact.
TEST(Points, ABallFindsTheFootOnARimAtAnyDistanceFromItsAxis) {
  constexpr double kBowl = 0.414, kMiddle = 0.4687, kTop = 0.25;
  const double under = kMiddle - kTop, rim = std::sqrt(kBowl * kBowl - under * under);
  const Cell dimpled = One(Tree(
      Operation::kDifference,
      {Leaf(Box{{0.8, 0.8, 0.5}}), Leaf(Sphere{kBowl}, {Mat3::Identity(), {0, 0, kMiddle}})}))[0];
  Random random(8);
  for (int trial = 0; trial < 2000; ++trial) {
    const double rho = 0.9 * rim * std::pow(10.0, random.Uniform(-9.0, 0.0));
    const double phi = random.Uniform(0.0, 2.0 * M_PI), z = random.Uniform(0.6, 2.5);
    const auto foot = NearestOnCell(dimpled, {rho * std::cos(phi), rho * std::sin(phi), z});
    ASSERT_TRUE(foot) << "rho " << rho << " z " << z;
    EXPECT_NEAR(foot->x, std::hypot(rim - rho, z - kTop), 1e-13) << "rho " << rho << " z " << z;
    EXPECT_TRUE(foot->ring);
  }
}

// A ball that is wider than a hole stands on its rim all around, and so in a funnel or on a torus:
// three points at 120° push it to the axis, their depths have the sum of the normals as gradient.
TEST(Points, ABallOnAHoleStandsOnThreePointsOfItsRim) {
  const Cell ball = One(Leaf(Sphere{0.5}))[0];
  const Cell plate =
      One(Tree(Operation::kDifference, {Leaf(Box{{2, 2, 0.4}}), Leaf(Cylinder{0.3, 1})}))[0];
  const Cells block =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{3, 3, 2}}), Leaf(Cone{0.0, 1.0, 1.0})}));
  const Cell& funnel = *std::find_if(block.begin(), block.end(), [](const Cell& cell) {
    return std::any_of(cell.surfaces.begin(), cell.surfaces.end(), [](const geometry::Surface& s) {
      return s.kind == geometry::SurfaceKind::kCone;
    });
  });
  const Cell torus = One(Leaf(Torus{0.4, 0.1}))[0];
  struct Case {
    const char* name;
    const Cell& cell;
    double z;  ///< of the ball's centre, on the axis
  };
  Random random(9);
  for (const auto& [name, cell, z] : {Case{"plate", plate, 0.2 + 0.4 - 0.002},
                                      Case{"funnel", funnel, -0.5 + 0.5 * std::sqrt(2.0) - 0.002},
                                      Case{"torus", torus, std::sqrt(0.36 - 0.16) - 0.002}}) {
    const Pose X_W{random.Rotation(), random.InBox(1.0)};
    for (int trial = 0; trial < 20; ++trial) {
      const double rho = 1e-3 * std::pow(10.0, random.Uniform(-6.0, 0.0));
      const double phi = random.Uniform(0.0, 2.0 * M_PI);
      const Vec3 c{rho * std::cos(phi), rho * std::sin(phi), z};
      const auto found = Find(ball, cell, {random.Rotation(), X_W * c}, X_W);
      ASSERT_EQ(found.size(), 3u) << name;
      Vec3 push;
      for (const PointContact& point : found) {
        push -= point.x * point.n;
        EXPECT_NEAR(point.x, -0.002, 2.0 * rho + 0.001) << name;
        EXPECT_NEAR(Norm(point.n), 1.0, 1e-12);
      }
      // −∂/∂c of Σ ½ x².
      constexpr double kStep = 1e-7;
      for (int k = 0; k < 3; ++k) {
        double by[2];
        for (int side = 0; side < 2; ++side) {
          Vec3 at = X_W * c;
          at[k] += side == 0 ? -kStep : kStep;
          by[side] = 0.0;
          for (const PointContact& point : Find(ball, cell, {Mat3::Identity(), at}, X_W)) {
            by[side] += 0.5 * point.x * point.x;
          }
        }
        EXPECT_NEAR((by[0] - by[1]) / (2.0 * kStep), push[k], 1e-8) << name << " rho " << rho;
      }
    }
  }
}

// ---- planes and polytopes
// ------------------------------------------------------------------------
TEST(Points, TheDeepestPointOnAPlaneIsTheWayOut) {
  const std::vector<ShapePtr> shapes = {Leaf(Box{{0.5, 0.7, 0.9}}),
                                        Leaf(Cylinder{0.3, 0.8}),
                                        Leaf(Cone{0.4, 0.1, 0.6}),
                                        Leaf(Cone{0.0, 0.4, 0.6}),
                                        Leaf(Ellipsoid{{0.2, 0.4, 0.6}}),
                                        Leaf(Torus{0.4, 0.1}),
                                        RandomHull(11, 20, 0.5),
                                        Leaf(Sphere{0.3}),
                                        Tube(),
                                        NotchedCan()};
  const Cells floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0.0}));
  const Cells slab = ToCells(*Leaf(Box{{9, 9, 4}}, {Mat3::Identity(), {0, 0, -2}}));  // likewise
  Random random(5);
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Cells cells = ToCells(*shapes[k]);
    for (int trial = 0; trial < 20; ++trial) {
      const Pose X_WA{random.Rotation(), {0, 0, random.Uniform(-0.1, 0.3)}};
      const auto found = Find(cells[0], floor[0], X_WA, {});
      constexpr double kLifted = 2.0;
      const double x =
          MeasureDistance(cells, slab, Moved(X_WA, {0, 0, kLifted}), {}).distance - kLifted;
      if (x >= 0.0) {
        EXPECT_TRUE(found.empty());
        continue;
      }
      EXPECT_NEAR(Deepest(found), x, 1e-8) << "shape " << k << " trial " << trial;
      // Seen from the other side.
      const auto swapped = Find(floor[0], cells[0], {}, X_WA);
      ASSERT_EQ(swapped.size(), found.size());
      for (std::size_t p = 0; p < found.size(); ++p) {
        EXPECT_NEAR(Norm(swapped[p].n + found[p].n), 0.0, 1e-15);
        // By the moments of an overlap that is no polytope's, to their tolerance.
        EXPECT_NEAR(Norm(swapped[p].p_WA - found[p].p_WB), 0.0, k < 9 ? 1e-13 : 1e-9);
        EXPECT_EQ(swapped[p].feature, found[p].feature);
      }
    }
  }
}

TEST(Points, BodiesStandOnAPlaneOnSeveralPoints) {
  const Cell floor = One(Leaf(HalfSpace{{0, 0, 1}, 0.0}))[0];
  const auto count = [&](const ShapePtr& shape, const Pose& X) {
    std::size_t points = 0;
    for (const Cell& cell : ToCells(*shape)) points += Find(cell, floor, X, {}).size();
    return points;
  };
  const Mat3 lying = Mat3::FromColumns({0, 0, 1}, {0, 1, 0}, {-1, 0, 0});
  EXPECT_EQ(count(Leaf(Box{{1, 1, 1}}), {Mat3::Identity(), {0, 0, 0.49}}), 4u);
  EXPECT_EQ(count(Leaf(Cylinder{0.3, 1}), {Mat3::Identity(), {0, 0, 0.49}}), 3u);
  EXPECT_EQ(count(Leaf(Cylinder{0.3, 1}), {lying, {0, 0, 0.29}}), 2u);
  EXPECT_EQ(One(Tube()).size(), 1u);
  EXPECT_EQ(count(Tube(), {Mat3::Identity(), {0, 0, 0.39}}), 3u);
  EXPECT_EQ(count(Tube(), {lying, {0, 0, 0.29}}), 2u);
  EXPECT_EQ(count(Leaf(Capsule{0.3, 1}), {lying, {0, 0, 0.29}}), 2u);
  EXPECT_EQ(count(Leaf(Capsule{0.3, 1}), {Mat3::Identity(), {0, 0, 0.79}}), 1u);
  EXPECT_EQ(count(Leaf(Torus{0.3, 0.1}), {Mat3::Identity(), {0, 0, 0.09}}), 3u);
  EXPECT_EQ(count(Leaf(Torus{0.3, 0.1}), {lying, {0, 0, 0.39}}), 1u);
  EXPECT_EQ(count(Leaf(Cone{0.3, 0.1, 1}), {Mat3::Identity(), {0, 0, 0.49}}), 3u);
}

/** How far A has to move along n to come free of B: by bisection on a proved test. */
double WayOut(const Cells& a, const Cells& b, const Pose& X_WA, const Pose& X_WB, const Vec3& n,
              double most) {
  double low = 0.0, high = most;
  EXPECT_FALSE(Overlaps(a, b, Moved(X_WA, high * n), X_WB));
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (Overlaps(a, b, Moved(X_WA, middle * n), X_WB) ? low : high) = middle;
  }
  return high;
}

// A slab that is cut: a ball feels its cuts nowhere, and it stands on no corner of a cut.
TEST(Points, CutsAreNotFelt) {
  Cells slab =
      ToCells(*Tree(Operation::kUnion,
                    {Leaf(Box{{1, 1, 1}}), Leaf(Box{{1, 1, 1}}, {Mat3::Identity(), {0.7, 0, 0}})}));
  geometry::MarkExtremes(slab);
  ASSERT_GE(slab.size(), 2u);
  const Cell ball = One(Leaf(Sphere{0.1}))[0];
  for (double x = -0.4; x < 1.1; x += 0.013) {
    std::vector<PointContact> found;
    for (const Cell& cell : slab) {
      for (const PointContact& point : Find(ball, cell, {Mat3::Identity(), {x, 0.1, 0.59}}, {}))
        found.push_back(point);
    }
    ASSERT_EQ(found.size(), 1u) << x;
    EXPECT_NEAR(found[0].x, -0.01, 1e-12) << x;
  }
  const Cell floor = One(Leaf(HalfSpace{{0, 0, 1}, 0.0}))[0];
  std::size_t inside = 0;
  for (const Cell& cell : slab) {
    for (const PointContact& point : Find(cell, floor, {Mat3::Identity(), {0, 0, 0.49}}, {})) {
      const double off =
          std::min(std::fabs(std::fabs(point.p_WA.x) - 0.5), std::fabs(point.p_WA.x - 1.2));
      EXPECT_NEAR(off, 0.0, 1e-12);
      inside += std::fabs(point.p_WA.x - 0.5) < 1e-9 ? 1 : 0;
    }
  }
  EXPECT_EQ(inside, 0u);
}

TEST(Points, PolytopesTouchAlongTheirShortestWayOut) {
  Random random(9);
  int faces = 0, edges = 0, exact = 0, shallow = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const bool boxes = trial % 2 == 0;
    const Cells a = ToCells(*(boxes ? Leaf(Box{{0.5, 0.7, 0.9}}) : RandomHull(trial, 14, 0.5)));
    const Cells b = ToCells(*(boxes ? Leaf(Box{{1, 0.4, 0.6}}) : RandomHull(trial + 1, 18, 0.5)));
    ASSERT_EQ(KindOf(a[0], b[0]), PairKind::kPolytopes);
    const Pose X_WA{random.Rotation(), random.InBox(0.7)}, X_WB{random.Rotation(), {}};
    double gap = 0.0;
    const auto found = Find(a[0], b[0], X_WA, X_WB, &gap);
    if (!Overlaps(a, b, X_WA, X_WB)) {
      EXPECT_TRUE(found.empty()) << trial;
      EXPECT_LE(gap, MeasureDistance(a, b, X_WA, X_WB).distance + 1e-9);
      continue;
    }
    ASSERT_FALSE(found.empty()) << trial;
    (found.size() == 1 && found[0].feature >= (1 << 13) ? edges : faces) += 1;
    const double depth = -Deepest(found);
    if (depth > 0.15) continue;  // it sticks out at the other side
    // Along n it comes free at the depth, but for deepest corners beside the face and for edges
    // that count as a corner of a face which is nearly as deep; along no other direction much
    // sooner.
    const double way = WayOut(a, b, X_WA, X_WB, found[0].n, 3.0);
    EXPECT_GT(way, 0.9 * depth) << trial;
    EXPECT_LT(way, 1.2 * depth) << trial;
    exact += std::fabs(way - depth) < 1e-3 * depth ? 1 : 0;
    ++shallow;
    for (int k = 0; k < 30; ++k) {
      const Vec3 u = random.Direction();
      EXPECT_TRUE(Overlaps(a, b, Moved(X_WA, 0.9 * depth * u), X_WB)) << trial;
    }
    // Each within 11.5° of the face's.
    for (const PointContact& point : found) EXPECT_LT(Norm(point.n - found[0].n), 0.4);
  }
  EXPECT_GT(exact, 0.8 * shallow);
  EXPECT_GT(faces, 10);
  EXPECT_GT(edges, 5);
}

TEST(Points, OfTwoFacesOnEachOtherCornersStandOnTheOthersFaceAtAnyTilt) {
  const Cell table = One(Leaf(Box{{1, 1, 0.1}}))[0], brick = One(Leaf(Box{{0.4, 0.2, 0.1}}))[0];
  Random random(21);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 axis = Normalized(Vec3{random.Uniform(-1, 1), random.Uniform(-1, 1), 0});
    const double tilt = std::pow(10.0, random.Uniform(-6, -1));
    const Pose X_WB = Turned({Mat3::Identity(), {0, 0, 0.0999}}, {0, 0, 0.0999}, tilt * axis);
    const auto under = Find(table, brick, {}, X_WB), above = Find(brick, table, X_WB, {});
    ASSERT_FALSE(under.empty()) << tilt;
    ASSERT_EQ(under.size(), above.size()) << tilt;
    for (const PointContact& point : under) {
      EXPECT_NEAR(Norm(point.n + Vec3{0, 0, 1}), 0.0, 1e-12) << tilt;
      EXPECT_NEAR(point.p_WA.z, 0.05, 1e-12);
      const auto other = std::find_if(above.begin(), above.end(), [&](const PointContact& p) {
        return Norm(p.p_WA - point.p_WB) < 1e-12;
      });
      ASSERT_NE(other, above.end()) << tilt;
      EXPECT_NEAR(Norm(other->n - Vec3{0, 0, 1}), 0.0, 1e-12) << tilt;
      EXPECT_NEAR(other->x, point.x, 1e-12) << tilt;
    }
  }
}

TEST(Points, AFaceOnAFaceTouchesAtTheCornersOfWhatTheyShare) {
  const Cell table = One(Leaf(Box{{1, 1, 0.1}}))[0], brick = One(Leaf(Box{{0.4, 0.2, 0.1}}))[0];
  const Pose X_table{Mat3::Identity(), {0, 0, -0.05}};
  const auto inside = Find(brick, table, {Mat3::Identity(), {0.1, 0, 0.049}}, X_table);
  ASSERT_EQ(inside.size(), 4u);
  for (const PointContact& point : inside) {
    EXPECT_NEAR(point.x, -1e-3, 1e-15);
    EXPECT_NEAR(std::fabs(point.p_WA.y), 0.1, 1e-15);
  }
  // Over the table's edge: two corners stand on the edge.
  const auto over = Find(brick, table, {Mat3::Identity(), {0.45, 0, 0.049}}, X_table);
  ASSERT_EQ(over.size(), 4u);
  double right = 0.0;
  for (const PointContact& point : over) right = std::max(right, point.p_WA.x);
  EXPECT_NEAR(right, 0.5, 2e-6);
  // A table smaller than what lies on it: its own corners.
  const auto covers = Find(table, brick, {Mat3::Identity(), {0, 0, 0.099}}, {});
  ASSERT_EQ(covers.size(), 4u);
  for (const PointContact& point : covers) EXPECT_NEAR(std::fabs(point.p_WA.x), 0.2, 1e-6);
  // Features do not depend on small motions.
  const auto moved = Find(brick, table, {Mat3::Identity(), {0.4501, 1e-4, 0.0491}}, X_table);
  ASSERT_EQ(moved.size(), 4u);
  std::vector<int> before, after;
  for (const PointContact& point : over) before.push_back(point.feature);
  for (const PointContact& point : moved) after.push_back(point.feature);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(before, after);
}

// ---- any others: to first order
// ------------------------------------------------------------------
TEST(Points, OtherPairsAreAsDeepAsTheirWayOut) {
  struct Case {
    ShapePtr a, b;
    Pose X_WA;
    double depth, share;
  };
  const Mat3 lying = Mat3::FromColumns({0, 0, 1}, {0, 1, 0}, {-1, 0, 0});
  const Mat3 aslant = ToRotation(Quaternion{std::cos(0.3), 0, 0, std::sin(0.3)}) * lying;
  const std::vector<Case> cases = {
      {Leaf(Cylinder{0.1, 0.4}), Leaf(Box{{1, 1, 1}}), {lying, {0, 0, 0.6 - 1e-3}}, 1e-3, 1e-5},
      {Leaf(Cylinder{0.1, 0.4}),
       Leaf(Box{{1, 1, 1}}),
       {Mat3::Identity(), {0, 0, 0.7 - 1e-3}},
       1e-3,
       1e-5},
      {Leaf(Ellipsoid{{0.2, 0.3, 0.4}}),
       Leaf(Box{{1, 1, 1}}),
       {Mat3::Identity(), {0, 0, 0.9 - 1e-3}},
       1e-3,
       1e-5},
      {Leaf(Ellipsoid{{0.2, 0.3, 0.4}}),
       Leaf(Ellipsoid{{0.3, 0.2, 0.5}}),
       {Mat3::Identity(), {0, 0, 0.9 - 1e-3}},
       1e-3,
       1e-5},
      {Leaf(Cylinder{0.1, 0.8}),
       Leaf(Cylinder{0.1, 0.8}),
       {aslant, (0.2 - 1e-3) * Vec3{-std::sin(0.6), std::cos(0.6), 0}},
       1e-3,
       1e-5},
      {Leaf(Torus{0.3, 0.05}), Leaf(Box{{0.2, 0.2, 1}}), {lying, {0, 0, 0.85 - 1e-3}}, 1e-3, 1e-5}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Cells a = ToCells(*cases[k].a), b = ToCells(*cases[k].b);
    const auto found = Find(a[0], b[0], cases[k].X_WA, {});
    ASSERT_FALSE(found.empty()) << k;
    EXPECT_NEAR(-Deepest(found), cases[k].depth, cases[k].share * cases[k].depth) << k;
  }
}

// A can and a table, a can on a can, a pyramid's tip: vertices of each inside the other, as deep as
// their feet, with the normal as gradient, wherever they come in; apart, the gap is no lie.
TEST(Points, OfRoundPartsAreVerticesInTheOther) {
  const std::vector<Cell> parts = {One(Leaf(Cylinder{0.3, 0.8}))[0],
                                   One(Leaf(Cylinder{0.5, 0.1}))[0],
                                   One(Leaf(Cone{0.4, 0.0, 0.9}))[0],
                                   One(Leaf(Cone{0.4, 0.2, 0.5}))[0],
                                   One(Tube())[0],
                                   One(Leaf(Box{{0.7, 0.9, 0.5}}))[0],
                                   One(RandomHull(3, 12, 0.5))[0]};
  const auto is_tube = [](std::size_t k) { return k == 4; };
  Random random(31);
  int inside = 0, apart = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (i >= 5 && j >= 5) continue;
      if ((is_tube(i) && j < 5) || (is_tube(j) && i < 5)) {
        EXPECT_EQ(KindOf(parts[i], parts[j]), PairKind::kAny);
        continue;
      }
      ASSERT_EQ(KindOf(parts[i], parts[j]), PairKind::kVertices);
      for (int trial = 0; trial < 40; ++trial) {
        PairQuery query{&parts[i], &parts[j], {random.Rotation(), random.InBox(0.9)}, {}};
        query.X_WB.R = random.Rotation();
        std::vector<PointContact> found;
        const auto gap = PointsOfVertices(query, kHertzPower, &found);
        if (gap && *gap > 0.0) {
          ++apart;
          EXPECT_TRUE(found.empty());
          const Separation near =
              MeasureDistance({query.a, 1}, {query.b, 1}, query.X_WA, query.X_WB);
          EXPECT_GE(near.distance, *gap - 1e-9);
          continue;
        }
        EXPECT_EQ(found.empty(), !gap);
        for (const PointContact& point : found) {
          ++inside;
          EXPECT_LT(point.x, 0.0);
          const Vec3 p_A = TransposeTimes(query.X_WA.R, point.p_WA - query.X_WA.p);
          const Vec3 p_B = TransposeTimes(query.X_WB.R, point.p_WB - query.X_WB.p);
          // By the distance of cells moved apart the deepest point is known to 1e-4.
          const double known = point.feature < 0 ? 1e-4 : 1e-9;
          EXPECT_NEAR(geometry::Level(parts[i], p_A), 0.0, known);
          EXPECT_NEAR(geometry::Level(parts[j], p_B), 0.0, known);
          EXPECT_NEAR(Norm(point.p_WA - point.p_WB - point.x * point.n), 0.0, 1e-12);
        }
      }
    }
  }
  EXPECT_GT(inside, 300);
  EXPECT_GT(apart, 300);
}

// As vertices come in and go the deepest point, of an edge across an edge, is there before and
// after: their energy does not jump.
TEST(Points, OfRoundPartsHaveAnEnergyThatDoesNotJump) {
  const std::vector<Cell> rounds = {One(Leaf(Cylinder{0.3, 0.8}))[0],
                                    One(Leaf(Cone{0.4, 0.2, 0.5}))[0]};
  const std::vector<Cell> others = {One(Leaf(Box{{0.7, 0.9, 0.5}}))[0],
                                    One(RandomHull(3, 12, 0.5))[0]};
  constexpr double kDeep = 0.02, kPower = 2.0;
  constexpr int kSteps = 301;  // odd: no turn by 0
  Random random(17);
  double largest = 0.0;
  for (int trial = 0; trial < 40; ++trial) {
    const Cell& a = rounds[static_cast<std::size_t>(trial % 2)];
    const Cell& b = others[static_cast<std::size_t>(trial / 2 % 2)];
    const auto energy = [&](const Pose& X) {
      std::vector<PointContact> found;
      FindPoints({&a, &b, X, {}}, PairKind::kVertices, kPower, &found);
      double sum = 0.0;
      for (const PointContact& point : found) sum += point.weight * point.x * point.x;
      return sum;
    };
    Pose X{random.Rotation(), {}};
    const Vec3 along = random.Direction();
    double low = 0.0, high = 3.0;
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (low + high);
      X.p = middle * along;
      (energy(X) > kDeep * kDeep ? low : high) = middle;
    }
    const Vec3 v = kDeep * random.Direction(), w = 4.0 * kDeep * random.Direction();
    double before = -1.0;
    for (int step = 0; step <= kSteps; ++step) {
      const double u = static_cast<double>(step) / kSteps - 0.5;
      const double now = energy({Turned({X.R, {}}, {}, u * w).R, X.p + u * v});
      if (before >= 0.0) largest = std::max(largest, std::fabs(now - before) / (kDeep * kDeep));
      before = now;
    }
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_LT(largest, 0.05);
}

// An edge that goes through a tube's wall into its bore weighs less and less: no energy jumps.
TEST(Points, OfAnEdgeThroughATubesWallFade) {
  const Cell tube = One(Tube())[0], box = One(Leaf(Box{{1.4, 0.5, 0.5}}))[0];
  // Its lower edge crosses the tube, which lies along z, beside the axis.
  double before = 0.0, most = 0.0, jump = 0.0;
  for (int k = 0; k <= 400; ++k) {
    const double way = 1e-3 * k;
    std::vector<PointContact> found;
    FindPoints(
        {&box, &tube, {Turned({}, {}, {0, 0, 0.25 * M_PI}).R, {-0.6 + way, 0.6 - way, 0}}, {}},
        PairKind::kVertices, 2.0, &found);
    double sum = 0.0;
    for (const PointContact& point : found) sum += point.weight * point.x * point.x;
    if (k > 0) jump = std::max(jump, std::fabs(sum - before));
    most = std::max(most, sum);
    before = sum;
  }
  EXPECT_GT(most, 1e-3);
  EXPECT_LT(jump, 0.1 * most);
}

// A box within a hole touches nothing, though it is deep in the hull of the plate; on the plate it
// stands on its corners, as on a box; and across the rim it is as deep as the solid, not the hull.
TEST(Points, OfAHullCountWhereTheyAreOnTheSolid) {
  Cell plate =
      One(Tree(Operation::kDifference, {Leaf(Box{{2, 2, 0.4}}), Leaf(Cylinder{0.3, 1})}))[0];
  geometry::IndexCornersOfHull(&plate);
  const Cell box = One(Leaf(Box{{0.3, 0.3, 0.3}}))[0];
  ASSERT_EQ(KindOf(box, plate), PairKind::kPolytopes);
  EXPECT_TRUE(Find(box, plate, {Mat3::Identity(), {0, 0, 0.3}}, {}).empty());
  const auto beside = Find(box, plate, {Mat3::Identity(), {0.7, 0.1, 0.35 - 1e-3}}, {});
  ASSERT_EQ(beside.size(), 4u);
  for (const PointContact& point : beside) EXPECT_NEAR(point.x, -1e-3, 1e-12);
  const auto across = Find(box, plate, {Mat3::Identity(), {0.3, 0, 0.35 - 1e-3}}, {});
  ASSERT_EQ(across.size(), 1u);
  EXPECT_NEAR(across[0].x, -1e-3, 1e-9);
}

/** A can that stands on a table has the points that it has on a half-space. */
void ExpectOfACanOnATableThoseOfACanOnAPlane(const Cell& can) {
  const Cell floor = One(Leaf(HalfSpace{{0, 0, 1}, 0.0}))[0];
  const Cell table = One(Leaf(Box{{3, 3, 1}}, {Mat3::Identity(), {0, 0, -0.5}}))[0];
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3 upright =
        trial % 2 == 0 ? Mat3::Identity() : Mat3::FromColumns({0, 0, 1}, {0, 1, 0}, {-1, 0, 0});
    const Vec3 turn = std::pow(10.0, random.Uniform(-9.0, -2.0)) * random.Direction();
    const Pose X = Turned({upright, {0.2, 0.3, (trial % 2 == 0 ? 0.4 : 0.3) - 0.005}}, {}, turn);
    auto on_table = Find(can, table, X, {}), on_floor = Find(can, floor, X, {});
    ASSERT_EQ(on_table.size(), on_floor.size()) << trial;
    for (std::size_t k = 0; k < on_table.size(); ++k) {
      EXPECT_EQ(on_table[k].feature, on_floor[k].feature);
      EXPECT_NEAR(on_table[k].x, on_floor[k].x, 1e-15);
      EXPECT_NEAR(Norm(on_table[k].p_WA - on_floor[k].p_WA), 0.0, 1e-15);
      EXPECT_NEAR(Norm(on_table[k].n - on_floor[k].n), 0.0, 1e-15);
    }
  }
}

TEST(Points, OfACanOrATubeOnATableAreThoseOnAPlane) {
  ExpectOfACanOnATableThoseOfACanOnAPlane(One(Leaf(Cylinder{0.3, 0.8}))[0]);
  ExpectOfACanOnATableThoseOfACanOnAPlane(One(Tube())[0]);
}

// A box within a tube touches its wall at the corners that are in it, and none of the hull's.
TEST(Points, OfABoxInATubeAreItsCornersInTheWall) {
  const Cell tube = One(Tube())[0], box = One(Leaf(Box{{0.1, 0.1, 0.4}}))[0];
  EXPECT_TRUE(Find(box, tube, {}, {}).empty());
  const auto found = Find(box, tube, {Mat3::Identity(), {0.145, 0, 0}}, {});
  ASSERT_EQ(found.size(), 4u);
  for (const PointContact& point : found) {
    EXPECT_NEAR(point.x, 0.2 - std::hypot(0.195, 0.05), 1e-12);
    EXPECT_NEAR(point.n.x, -0.195 / std::hypot(0.195, 0.05), 1e-12);
  }
}

// ---- invariants
// ----------------------------------------------------------------------------------
TEST(Points, TheDepthHasTheNormalAsItsGradientAndMovesWithTheBodies) {
  struct Case {
    ShapePtr a, b;
    Vec3 at;
  };
  const std::vector<Case> cases = {
      {Leaf(Sphere{0.2}), Leaf(Box{{1, 1, 1}}), {0.55, 0.6, 0.1}},
      {Leaf(Sphere{0.2}), Leaf(Ellipsoid{{0.4, 0.5, 0.3}}), {0.3, 0.3, 0.2}},
      {Leaf(Torus{0.4, 0.1}), Leaf(Sphere{0.3}), {0.5, 0.3, 0.2}},
      {Leaf(Ellipsoid{{0.4, 0.5, 0.3}}), Leaf(HalfSpace{{0, 0, 1}, 0.0}), {0, 0, 0.25}},
      {Leaf(Cylinder{0.2, 0.6}), Leaf(HalfSpace{{0, 0, 1}, 0.0}), {0, 0, 0.2}},
      {Leaf(Box{{0.4, 0.5, 0.3}}), Leaf(Box{{1, 1, 1}}), {0, 0, 0.7}}};
  Random random(13);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Cells a = ToCells(*cases[k].a), b = ToCells(*cases[k].b);
    for (int trial = 0; trial < 10; ++trial) {
      const Pose X_WA{random.Rotation(), cases[k].at};
      const auto found = Find(a[0], b[0], X_WA, {});
      if (found.empty()) continue;
      const Pose X = {random.Rotation(), random.InBox(5.0)};
      const auto away = Find(a[0], b[0], X * X_WA, X);
      ASSERT_EQ(away.size(), found.size());
      constexpr double kStep = 1e-6;
      for (std::size_t p = 0; p < found.size(); ++p) {
        const PointContact& at = found[p];
        EXPECT_NEAR(away[p].x, at.x, 1e-12) << k;
        EXPECT_NEAR(Norm(away[p].p_WA - X * at.p_WA), 0.0, 1e-9) << k;
        const auto change = [&](const Pose& up, const Pose& down) {
          double out = 0.0;
          for (const auto& [pose, sign] : {std::pair{up, 1.0}, std::pair{down, -1.0}}) {
            for (const PointContact& point : Find(a[0], b[0], pose, {})) {
              if (point.feature == at.feature) out += sign * point.x / (2 * kStep);
            }
          }
          return out;
        };
        const Vec3 u = random.Direction();
        if (at.x > -1e-5) continue;
        EXPECT_NEAR(change(Moved(X_WA, kStep * u), Moved(X_WA, -kStep * u)), Dot(at.n, u), 1e-5)
            << k;
        // x changes by n · (dθ × (p − about)): no moment but that of the normal at its point.
        const Vec3 about = X_WA.p;
        // The side points of a rim run along it.
        const bool runs = k == 4 && at.feature % 3 != 0;
        if (runs) continue;
        EXPECT_NEAR(change(Turned(X_WA, about, kStep * u), Turned(X_WA, about, -kStep * u)),
                    Dot(at.n, Cross(u, at.p_WA - about)), 1e-5)
            << k;
      }
    }
  }
}

// The side points of a rim run along it as it turns, each the other way round: their sum does not.
TEST(Points, TheSidesOfARimTogetherHaveTheirNormalsAsGradient) {
  const Cell floor = One(Leaf(HalfSpace{{0, 0, 1}, 0.0}))[0],
             disc = One(Leaf(Cylinder{0.3, 0.1}))[0];
  Random random(17);
  for (int trial = 0; trial < 20; ++trial) {
    const Pose X_WA = Turned({Mat3::Identity(), {0, 0, 0.04}}, {}, 0.02 * random.Direction());
    const auto found = Find(disc, floor, X_WA, {});
    if (found.size() != 3) continue;
    constexpr double kStep = 1e-6;
    const Vec3 u = random.Direction();
    const auto sum = [&](const Pose& pose) {
      double out = 0.0;
      for (const PointContact& point : Find(disc, floor, pose, {})) out += point.x;
      return out;
    };
    double power = 0.0;
    for (const PointContact& point : found) power += Dot(point.n, Cross(u, point.p_WA - X_WA.p));
    EXPECT_NEAR((sum(Turned(X_WA, X_WA.p, kStep * u)) - sum(Turned(X_WA, X_WA.p, -kStep * u))) /
                    (2 * kStep),
                power, 1e-5);
  }
}

}  // namespace
}  // namespace intervox::host::points
