#include "host/mesh/triangulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "cuda/engine.h"
#include "geometry/grid/signed_distance.h"
#include "geometry/solid.h"
#include "host/mesh/bodies.h"
#include "host/scene/shape_metrics.h"
#include "tests/geometry/random_shapes.h"
#include "tests/mesh/closed.h"

namespace intervox::host {
namespace {

using geometry::At;
using geometry::Box;
using geometry::Cell;
using geometry::Cone;
using geometry::Cylinder;
using geometry::Leaf;
using geometry::Operation;
using geometry::Primitive;
using geometry::Random;
using geometry::ShapePtr;
using geometry::Sphere;
using geometry::Torus;
using geometry::Tree;

constexpr double kPi = std::numbers::pi;

double ExactVolume(const std::vector<Cell>& cells) {
  MeasureOptions options;
  options.tolerance = 1e-8;
  return MeasureSolid(Engine(), cells, options).sum.volume;
}

/** How far a mesh is from its solid. */
struct Distances {
  double of_vertices = 0.0;   ///< the largest [m]
  double of_triangles = 0.0;  ///< at 15 points of each
};

/** The distances from the solid's exact boundary, found by another method: a search for the closest
 points of cells. It does not know the apexes of cones; the level of the tree does. Of large meshes
 some triangles are taken. */
Distances Measure(const ShapePtr& shape, const Triangles& mesh) {
  const geometry::SignedDistance distance(geometry::ToCells(*shape));
  const geometry::Solid solid(*shape);
  const double reach = Norm(distance.Upper() - distance.Lower());
  const auto at = [&](const Vec3& p) {
    return std::min(std::fabs(distance(p, reach)), std::fabs(solid.Level(p)));
  };
  Distances most;
  const std::size_t step = 1 + mesh.triangles.size() / 250;
  for (std::size_t k = 0; k < mesh.triangles.size(); k += step) {
    const auto& t = mesh.triangles[k];
    for (const int v : t) most.of_vertices = std::max(most.of_vertices, at(mesh.p[v]));
    for (int i = 0; i <= 4; ++i) {
      for (int j = 0; i + j <= 4; ++j) {
        most.of_triangles =
            std::max(most.of_triangles,
                     at((i * mesh.p[t[0]] + j * mesh.p[t[1]] + (4 - i - j) * mesh.p[t[2]]) / 4.0));
      }
    }
  }
  return most;
}

/** Checks all that is promised of a solid of about `size`, at one deviation. */
Triangles ExpectGood(const ShapePtr& shape, double deviation, double size) {
  Triangles mesh = Triangulate(geometry::ToCells(*shape), deviation);
  ExpectClosed(mesh);
  EXPECT_LE(TurnedArea(mesh), 1e-3) << "of the whole";
  const Distances found = Measure(shape, mesh);
  EXPECT_LE(found.of_vertices, 1e-10 * size);
  EXPECT_LE(found.of_triangles, 1.05 * deviation);
  EXPECT_LE(mesh.deviation, 1.05 * deviation);
  EXPECT_LE(found.of_triangles, mesh.deviation * 1.1 + 1e-12 * size)
      << "more than it says of itself";
  return mesh;
}

/** The example, cut to a box where it is unbounded. */
ShapePtr Bounded(const Primitive& primitive) {
  return Tree(Operation::kIntersection,
              {Leaf(primitive), Leaf(Box{{2.1, 2.3, 2.2}}, At(0.05, -0.03, 0.02))});
}

TEST(Triangulate, EveryPrimitiveIsNearClosedAndOfTheRightVolume) {
  for (const geometry::Example& example : geometry::Examples()) {
    SCOPED_TRACE(geometry::PrimitiveName(example.primitive));
    const ShapePtr shape = Bounded(example.primitive);
    if (std::holds_alternative<geometry::Revolve>(example.primitive)) {
      // Its thin rings may keep the asked deviation out of reach; the mesh says what it comes to.
      const Triangles mesh = Triangulate(geometry::ToCells(*shape), 1e-2);
      ExpectClosed(mesh);
      EXPECT_LE(Measure(shape, mesh).of_triangles, 1.1 * mesh.deviation);
      continue;
    }
    const double exact = ExactVolume(geometry::ToCells(*shape));
    const double coarse = EnclosedVolume(ExpectGood(shape, 1e-2, 1)) - exact;
    const double fine = EnclosedVolume(ExpectGood(shape, 1e-3, 1)) - exact;
    EXPECT_LE(std::fabs(coarse), 1e-2 * 12) << "area times deviation";
    // Of first order in the deviation; both are rounding where all is plane.
    EXPECT_LE(std::fabs(fine), 0.25 * std::fabs(coarse) + 1e-12);
  }
}

TEST(Triangulate, TwoNappesMeetInAPoint) {
  // x² + y² ≤ z²/2, |z| ≤ 1: two cones, which share their apex.
  const auto cells = geometry::ToCells(
      *Tree(Operation::kIntersection,
            {Leaf(geometry::Quadric{{1, 1, -0.5, 0, 0, 0, 0, 0, 0, 0}}), Leaf(Box{{3, 3, 2}})}));
  const Triangles mesh = Triangulate(cells, 1e-3);
  EXPECT_EQ(ExpectClosed(mesh), 4);
  EXPECT_LE(TurnedArea(mesh), 1e-3);
  EXPECT_NEAR(EnclosedVolume(mesh), 2 * kPi * 0.5 / 3, 5e-3);
}

TEST(Triangulate, PlaneFacesAreExactAndFew) {
  const ShapePtr shape = Tree(Operation::kDifference,
                              {Leaf(Box{{1, 2, 3}}), Leaf(Box{{0.2, 0.3, 4}}, At(0.1, 0.2, 0))});
  const Triangles mesh = ExpectGood(shape, 1e-3, 1);
  EXPECT_NEAR(EnclosedVolume(mesh), 6 - 0.06 * 3, 1e-13);
  EXPECT_EQ(ExpectClosed(mesh), 0);  // a ring
  EXPECT_EQ(mesh.p.size(), 16u);
  EXPECT_EQ(mesh.creases.size(), 24u);
}

TEST(Triangulate, KnowsHolesFromBumps) {
  const ShapePtr block = Leaf(Box{{1, 1, 1}});
  const auto euler = [](const ShapePtr& shape) { return ExpectClosed(ExpectGood(shape, 2e-3, 1)); };
  EXPECT_EQ(euler(Leaf(Sphere{0.5})), 2);
  EXPECT_EQ(euler(Leaf(Torus{0.5, 0.1})), 0);
  EXPECT_EQ(euler(Tree(Operation::kDifference, {block, Leaf(Sphere{0.3})})), 4);  // a void inside
  const ShapePtr drill = Leaf(Cylinder{0.02, 2});
  EXPECT_EQ(euler(Tree(Operation::kDifference, {block, drill})), 0);
  const Pose across{ToRotation(Normalized(Quaternion{1, 1, 0, 0})), {}};
  // Equal drills that cross touch each other in two points, near which the deviation is not kept.
  const ShapePtr crossed =
      Tree(Operation::kDifference, {block, drill, Leaf(Cylinder{0.02, 2}, across)});
  EXPECT_EQ(ExpectClosed(Triangulate(geometry::ToCells(*crossed), 2e-3)), -4);
}

TEST(Triangulate, KeepsThinWalls) {
  const auto tube = [](double wall) {
    return Tree(Operation::kDifference, {Leaf(Cylinder{0.5, 1}), Leaf(Cylinder{0.5 - wall, 2})});
  };
  EXPECT_EQ(ExpectClosed(ExpectGood(tube(1e-2), 2e-3, 1)), 0);
  // A wall that is thinner than the deviation is there, though its two sides are not kept apart.
  for (const double wall : {1e-3, 1e-5}) {
    const Triangles mesh = Triangulate(geometry::ToCells(*tube(wall)), 2e-3);
    EXPECT_EQ(ExpectClosed(mesh), 0) << wall;
    EXPECT_LE(mesh.deviation, 2e-3);
    double inner = 1, outer = 0;
    for (const Vec3& p : mesh.p) {
      inner = std::min(inner, std::hypot(p.x, p.y));
      outer = std::max(outer, std::hypot(p.x, p.y));
    }
    EXPECT_NEAR(outer - inner, wall, 1e-12);
  }
  const ShapePtr shell = Tree(Operation::kDifference, {Leaf(Sphere{0.5}), Leaf(Sphere{0.495})});
  const Triangles mesh = ExpectGood(shell, 1e-3, 1);
  EXPECT_EQ(ExpectClosed(mesh), 4);
  EXPECT_NEAR(EnclosedVolume(mesh), 4 * kPi / 3 * (0.125 - 0.495 * 0.495 * 0.495), 1e-3);
}

TEST(Triangulate, PartsThatTouchInAnEdgeOrAPointStayClosed) {
  const auto two = [](const Vec3& offset) {
    return geometry::ToCells(
        *Tree(Operation::kUnion,
              {Leaf(Box{{1, 1, 1}}), Leaf(Box{{1, 1, 1}}, {Mat3::Identity(), offset})}));
  };
  EXPECT_EQ(ExpectClosed(Triangulate(two({1, 1, 0}), 1e-3)), 4);
  EXPECT_EQ(ExpectClosed(Triangulate(two({1, 1, 1}), 1e-3)), 4);
  EXPECT_EQ(ExpectClosed(Triangulate(two({1, 0, 0}), 1e-3)), 2);
  EXPECT_NEAR(EnclosedVolume(Triangulate(two({1, 0.5, 0}), 1e-3)), 2, 1e-13);
}

TEST(Triangulate, ConesKeepTheirApexes) {
  for (const double radius : {0.05, 0.5, 2.0}) {
    const Triangles mesh = ExpectGood(Leaf(Cone{radius, 0, 1}), 1e-3, 1);
    double nearest = 1;
    for (const Vec3& p : mesh.p) nearest = std::min(nearest, Norm(p - Vec3{0, 0, 0.5}));
    EXPECT_LE(nearest, 1e-12) << radius;
    // The last 1e-4 of a narrow tip may be in several parts.
    const int euler = ExpectClosed(mesh);
    EXPECT_TRUE(radius < 0.1 ? euler >= 2 : euler == 2) << radius << " " << euler;
  }
}

TEST(Triangulate, AnySizeAndPlace) {
  const auto shape = [](const Pose& X, double scale) {
    return Tree(Operation::kDifference,
                {Leaf(Box{{1, 1, 0.4}}), Leaf(Cylinder{0.2, 1}, At(0.1, 0, 0))}, "", X, scale);
  };
  const double exact = 0.4 * (1 - kPi * 0.04);
  std::size_t triangles = 0;
  for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    const Triangles mesh = ExpectGood(shape(Pose::Identity(), scale), 1e-3 * scale, scale);
    EXPECT_NEAR(EnclosedVolume(mesh) / (scale * scale * scale), exact, 1e-3);
    if (triangles == 0) triangles = mesh.triangles.size();
    EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), static_cast<double>(triangles),
                0.1 * static_cast<double>(triangles));
  }
  Random random(3);
  for (const double away : {0.0, 1.0, 100.0}) {
    const Pose X{random.Rotation(), away * random.Direction()};
    ExpectGood(shape(X, 1), 1e-3, 1 + away);
  }
}

/** A plate of columns × rows square fields with a hole of radius 0.3 in each. */
ShapePtr Plate(int columns, int rows) {
  std::vector<ShapePtr> operands{Leaf(Box{{double(columns), double(rows), 0.5}},
                                      At(0.5 * (columns - 1), 0.5 * (rows - 1), 0))};
  for (int k = 0; k < columns * rows; ++k) {
    operands.push_back(Leaf(Cylinder{0.3, 2}, At(k % columns, k / columns, 0)));
  }
  return Tree(Operation::kDifference, std::move(operands));
}

/** Checks a plate with holes: closed, one handle for each hole, of the right volume. */
void ExpectPlate(int columns, int rows) {
  const int holes = columns * rows;
  const double deviation = 0.02;
  const Triangles mesh = Triangulate(geometry::ToCells(*Plate(columns, rows)), deviation);
  EXPECT_EQ(ExpectClosed(mesh), 2 - 2 * holes);
  EXPECT_LE(TurnedArea(mesh), 1e-3);
  EXPECT_LE(mesh.deviation, deviation);
  // Chords leave up to 2/3 of the deviation around a hole.
  const double exact = 0.5 * holes * (1 - 0.09 * kPi);
  EXPECT_GE(EnclosedVolume(mesh), exact);
  EXPECT_LE(EnclosedVolume(mesh), exact + 0.5 * holes * 0.6 * kPi * deviation * 2 / 3);
}

TEST(Triangulate, PlatesKeepEachHole) {
  ExpectPlate(1, 1);
  ExpectPlate(5, 2);
}

TEST(SlowTriangulate, PlatesOfAHundredHoles) { ExpectPlate(10, 10); }

/** A random tree of three to five solids. */
ShapePtr RandomSolid(Random* random) {
  const std::vector<Primitive> solids = {
      Box{{0.7, 0.5, 0.9}}, Sphere{0.4},
      Cylinder{0.3, 1.1},   Cone{0.5, 0.1, 0.9},
      Torus{0.45, 0.13},    geometry::Capsule{0.2, 0.6},
      Cone{0.4, 0.0, 0.8},  geometry::Ellipsoid{{0.3, 0.5, 0.4}}};
  ShapePtr tree = Leaf(solids[random->Below(8)], random->RandomPose(0.1));
  const int more = 2 + random->Below(3);
  for (int k = 0; k < more; ++k) {
    const auto operation = random->Below(3) == 0 ? Operation::kUnion : Operation::kDifference;
    tree = Tree(operation, {tree, Leaf(solids[random->Below(8)], random->RandomPose(0.4))});
  }
  return tree;
}

/** The corners of each triangle are apart in single precision, as files have them. */
void ExpectDistinctInFiles(const Triangles& mesh) {
  int degenerate = 0;
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const Vec3 a = mesh.p[t[i]], b = mesh.p[t[(i + 1) % 3]];
      const bool same = static_cast<float>(a.x) == static_cast<float>(b.x) &&
                        static_cast<float>(a.y) == static_cast<float>(b.y) &&
                        static_cast<float>(a.z) == static_cast<float>(b.z);
      degenerate += same ? 1 : 0;
    }
  }
  EXPECT_EQ(degenerate, 0) << "of " << mesh.triangles.size();
}

TEST(Triangulate, RandomSolidsAreClosedAndNear) {
  int drawn = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const ShapePtr shape = RandomSolid(&random);
    std::vector<Cell> cells;
    try {
      cells = geometry::ToCells(*shape);
    } catch (const std::invalid_argument&) {
      continue;  // nothing is left of it
    }
    ++drawn;
    const double deviation = 4e-3;
    const Triangles mesh = Triangulate(cells, deviation);
    ExpectClosed(mesh);
    ExpectDistinctInFiles(mesh);
    EXPECT_LE(TurnedArea(mesh), 3e-3) << "of the whole";
    const Distances found = Measure(shape, mesh);
    EXPECT_LE(found.of_vertices, 0.1 * deviation) << "where several surfaces nearly touch";
    EXPECT_LE(found.of_triangles, 1.5 * deviation) << "creases that are cut short included";
    double area = 0;
    for (const auto& t : mesh.triangles) {
      area += 0.5 * Norm(Cross(mesh.p[t[1]] - mesh.p[t[0]], mesh.p[t[2]] - mesh.p[t[0]]));
    }
    EXPECT_NEAR(EnclosedVolume(mesh), ExactVolume(cells), deviation * area);
  }
  EXPECT_GE(drawn, 5);
}

TEST(Triangulate, RefusesWhatItCannotDo) {
  const auto message = [](const std::vector<Cell>& cells, double deviation) {
    try {
      Triangulate(cells, deviation);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto ball = geometry::ToCells(*Leaf(Sphere{1}));
  for (const double deviation : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_NE(message(ball, deviation).find("Give a length"), std::string::npos) << deviation;
  }
  const auto floor = geometry::ToCells(*Leaf(geometry::HalfSpace{{0, 0, 1}, 0}));
  EXPECT_NE(message(floor, 1e-3).find("unbounded"), std::string::npos);
  EXPECT_TRUE(Triangulate({}, 1e-3).triangles.empty());
}

TEST(CutToBox, UnboundedCellsEndAtTheBox) {
  const auto floor = geometry::ToCells(*Leaf(geometry::HalfSpace{{0, 0, 1}, 0.25}));
  const auto cut = CutToBox(floor, {{-1, -2, -3}, {1, 2, 3}});
  EXPECT_NEAR(EnclosedVolume(Triangulate(cut, 1e-3)), 2 * 4 * 3.25, 1e-12);
  EXPECT_TRUE(CutToBox(floor, {{-1, -1, 1}, {1, 1, 2}}).empty());
  const auto ball = geometry::ToCells(*Leaf(Sphere{1}));
  EXPECT_EQ(CutToBox(ball, {{5, 5, 5}, {6, 6, 6}}).size(), 1u);
}

// At 1e5 m a ball's mesh was 4.9 % too small: vertices could not be moved onto its surface.
TEST(Triangulate, WhatLiesFarFromTheOriginIsAsGoodAsNearIt) {
  for (const Primitive& primitive : {Primitive(Sphere{0.02}), Primitive(Torus{0.02, 0.006}),
                                     Primitive(Cone{0.02, 0.005, 0.03})}) {
    const auto pierced =
        Tree(Operation::kDifference, {Leaf(primitive), Leaf(Cylinder{0.004, 0.1})});
    double near = 0;
    for (const double away : {0.0, 0.19, 0.3, 10.0, 1e3, 1e5, 1e7}) {
      const Vec3 p = away * Vec3{0.6, -0.64, 0.48};
      const std::vector<Cell> cells =
          geometry::ToCells(*Tree(Operation::kUnion, {pierced}, "", At(p.x, p.y, p.z)));
      const Triangles mesh = Triangulate(cells, 2e-4);
      ExpectClosed(mesh);
      EXPECT_LE(mesh.deviation, 2e-4) << away;
      const double volume = EnclosedVolume(mesh);
      if (away == 0) near = volume;
      EXPECT_NEAR(volume, near, 2e-4 * near + 1e-12 * away) << away;
    }
  }
}

// Splitting ended at 130,000 triangles, 18 times farther from the ball than asked.
TEST(SlowTriangulate, FineTrianglesAreAsNearAsAsked) {
  const Triangles mesh = Triangulate(geometry::ToCells(*Leaf(Sphere{0.02})), 4e-7);
  EXPECT_LE(mesh.deviation, 4e-7);
  EXPECT_GT(mesh.triangles.size(), 200'000u);
}

TEST(Triangulate, TellsHowFarItIs) {
  std::vector<double> told;
  Triangulate(geometry::ToCells(*Leaf(Torus{0.02, 0.006})), 1e-5,
              [&](double fraction) { told.push_back(fraction); });
  ASSERT_GT(told.size(), 20u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_GE(told.front(), 0);
  EXPECT_LE(told.back(), 1);
  EXPECT_GT(told.back(), 0.9);
}

}  // namespace
}  // namespace intervox::host
