#include "host/mesh/triangulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "cuda/engine.h"
#include "geometry/openvdb/signed_distance.h"
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

/** The largest distance of the vertices, and of 15 points of each triangle, from the solid's exact
 boundary, by a search of its own. */
std::pair<double, double> Distances(const std::vector<Cell>& cells, const Triangles& mesh) {
  const geometry::SignedDistance distance(cells);
  double at_vertices = 0, inside = 0;
  const double reach = Norm(distance.Upper() - distance.Lower());
  for (const Vec3& p : mesh.p) at_vertices = std::max(at_vertices, std::fabs(distance(p, reach)));
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i <= 4; ++i) {
      for (int j = 0; i + j <= 4; ++j) {
        const Vec3 p = (i * mesh.p[t[0]] + j * mesh.p[t[1]] + (4 - i - j) * mesh.p[t[2]]) / 4.0;
        inside = std::max(inside, std::fabs(distance(p, reach)));
      }
    }
  }
  return {at_vertices, inside};
}

/** Checks all that is promised of a solid of about `size`, at one deviation. */
Triangles ExpectGood(const std::vector<Cell>& cells, double deviation, double size) {
  Triangles mesh = Triangulate(cells, deviation);
  ExpectClosed(mesh);
  EXPECT_EQ(mesh.flat, 0);
  EXPECT_EQ(CountTurned(mesh), 0) << "of " << mesh.triangles.size();
  const auto [at_vertices, inside] = Distances(cells, mesh);
  EXPECT_LE(at_vertices, 1e-10 * size);
  EXPECT_LE(inside, deviation);
  EXPECT_LE(mesh.deviation, deviation);
  EXPECT_LE(inside, mesh.deviation * 1.05 + 1e-12 * size) << "more than it says of itself";
  return mesh;
}

/** The example, cut to a box where it is unbounded. */
std::vector<Cell> BoundedCells(const Primitive& primitive) {
  return geometry::ToCells(*Tree(Operation::kIntersection,
                                 {Leaf(primitive), Leaf(Box{{2.1, 2.3, 2.2}}, At(0.05, -0.03, 0.02))}));
}

TEST(Triangulate, EveryPrimitiveIsNearClosedAndOfTheRightVolume) {
  for (const geometry::Example& example : geometry::Examples()) {
    SCOPED_TRACE(geometry::PrimitiveName(example.primitive));
    const std::vector<Cell> cells = BoundedCells(example.primitive);
    const double exact = ExactVolume(cells);
    const double coarse = EnclosedVolume(ExpectGood(cells, 1e-2, 1)) - exact;
    const double fine = EnclosedVolume(ExpectGood(cells, 1e-3, 1)) - exact;
    EXPECT_LE(std::fabs(coarse), 1e-2 * 12) << "area times deviation";
    // Of first order in the deviation; both are rounding where all is plane.
    EXPECT_LE(std::fabs(fine), 0.25 * std::fabs(coarse) + 1e-12);
  }
}

TEST(Triangulate, PlaneFacesAreExactAndFew) {
  const auto cells = geometry::ToCells(
      *Tree(Operation::kDifference, {Leaf(Box{{1, 2, 3}}), Leaf(Box{{0.2, 0.3, 4}}, At(0.1, 0.2, 0))}));
  const Triangles mesh = ExpectGood(cells, 1e-3, 1);
  EXPECT_NEAR(EnclosedVolume(mesh), 6 - 0.06 * 3, 1e-13);
  EXPECT_EQ(ExpectClosed(mesh), 0);  // a ring
  EXPECT_EQ(mesh.p.size(), 16u);
  EXPECT_EQ(mesh.creases.size(), 24u);
}

TEST(Triangulate, KnowsHolesFromBumps) {
  const ShapePtr block = Leaf(Box{{1, 1, 1}});
  const auto euler = [](const ShapePtr& shape) {
    return ExpectClosed(ExpectGood(geometry::ToCells(*shape), 2e-3, 1));
  };
  EXPECT_EQ(euler(Leaf(Sphere{0.5})), 2);
  EXPECT_EQ(euler(Leaf(Torus{0.5, 0.1})), 0);
  EXPECT_EQ(euler(Tree(Operation::kDifference, {block, Leaf(Sphere{0.3})})), 4);  // a void inside
  const ShapePtr drill = Leaf(Cylinder{0.02, 2});
  EXPECT_EQ(euler(Tree(Operation::kDifference, {block, drill})), 0);
  const Pose across{ToRotation(Normalized(Quaternion{1, 1, 0, 0})), {}};
  EXPECT_EQ(euler(Tree(Operation::kDifference, {block, drill, Leaf(Cylinder{0.02, 2}, across)})), -4);
}

TEST(Triangulate, KeepsWallsThatAreThinnerThanTheDeviation) {
  for (const double wall : {1e-2, 1e-4, 1e-6}) {
    const auto cells = geometry::ToCells(*Tree(
        Operation::kDifference, {Leaf(Cylinder{0.5, 1}), Leaf(Cylinder{0.5 - wall, 2}, At(0, 0, 0))}));
    const Triangles mesh = Triangulate(cells, 1e-3);
    EXPECT_EQ(ExpectClosed(mesh), 0) << wall;
    EXPECT_LE(Distances(cells, mesh).second, 1e-3);
  }
  // Where the deviation is below the wall the volume is the wall's.
  const double wall = 1e-3;
  const auto cells = geometry::ToCells(
      *Tree(Operation::kDifference, {Leaf(Sphere{0.5}), Leaf(Sphere{0.5 - wall})}));
  const Triangles mesh = ExpectGood(cells, 2e-5, 1);
  EXPECT_NEAR(EnclosedVolume(mesh), ExactVolume(cells), 0.01 * ExactVolume(cells));
}

TEST(Triangulate, PartsThatTouchInAnEdgeOrAPointStayClosed) {
  const auto two = [](const Vec3& offset) {
    return geometry::ToCells(*Tree(Operation::kUnion, {Leaf(Box{{1, 1, 1}}),
                                                       Leaf(Box{{1, 1, 1}}, {Mat3::Identity(), offset})}));
  };
  EXPECT_EQ(ExpectClosed(Triangulate(two({1, 1, 0}), 1e-3)), 4);
  EXPECT_EQ(ExpectClosed(Triangulate(two({1, 1, 1}), 1e-3)), 4);
  EXPECT_EQ(ExpectClosed(Triangulate(two({1, 0, 0}), 1e-3)), 2);
  EXPECT_NEAR(EnclosedVolume(Triangulate(two({1, 0.5, 0}), 1e-3)), 2, 1e-13);
}

TEST(Triangulate, ConesKeepTheirApexes) {
  const auto cells = geometry::ToCells(*Leaf(Cone{0.5, 0, 1}));
  const Triangles mesh = ExpectGood(cells, 1e-3, 1);
  double nearest = 1;
  for (const Vec3& p : mesh.p) nearest = std::min(nearest, Norm(p - Vec3{0, 0, 0.5}));
  EXPECT_LE(nearest, 1e-12);
  EXPECT_EQ(ExpectClosed(mesh), 2);
}

TEST(Triangulate, AnySizeAndPlace) {
  const auto shape = [](const Pose& X, double scale) {
    return Tree(Operation::kDifference, {Leaf(Box{{1, 1, 0.4}}), Leaf(Cylinder{0.2, 1}, At(0.1, 0, 0))}, "",
                X, scale);
  };
  const double exact = 0.4 * (1 - kPi * 0.04);
  std::size_t triangles = 0;
  for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    const auto cells = geometry::ToCells(*shape(Pose::Identity(), scale));
    const Triangles mesh = ExpectGood(cells, 1e-3 * scale, scale);
    EXPECT_NEAR(EnclosedVolume(mesh) / (scale * scale * scale), exact, 1e-3);
    if (triangles == 0) triangles = mesh.triangles.size();
    EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), static_cast<double>(triangles),
                0.1 * static_cast<double>(triangles));
  }
  Random random(3);
  for (const double away : {0.0, 1.0, 100.0}) {
    const Pose X{random.Rotation(), away * random.Direction()};
    ExpectGood(geometry::ToCells(*shape(X, 1)), 1e-3, 1 + away);
  }
}

/** A random tree of three to five solids. */
ShapePtr RandomSolid(Random* random) {
  const std::vector<Primitive> solids = {Box{{0.7, 0.5, 0.9}}, Sphere{0.4},         Cylinder{0.3, 1.1},
                                         Cone{0.5, 0.1, 0.9},  Torus{0.45, 0.13},   geometry::Capsule{0.2, 0.6},
                                         Cone{0.4, 0.0, 0.8},  geometry::Ellipsoid{{0.3, 0.5, 0.4}}};
  ShapePtr tree = Leaf(solids[random->Below(8)], random->RandomPose(0.1));
  const int more = 2 + random->Below(3);
  for (int k = 0; k < more; ++k) {
    const auto operation = random->Below(3) == 0 ? Operation::kUnion : Operation::kDifference;
    tree = Tree(operation, {tree, Leaf(solids[random->Below(8)], random->RandomPose(0.4))});
  }
  return tree;
}

TEST(Triangulate, RandomSolidsAreClosedAndNear) {
  int drawn = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Cell> cells;
    try {
      cells = geometry::ToCells(*RandomSolid(&random));
    } catch (const std::invalid_argument&) {
      continue;  // nothing is left of it
    }
    ++drawn;
    const double deviation = 2e-3;
    const Triangles mesh = Triangulate(cells, deviation);
    ExpectClosed(mesh);
    EXPECT_LE(CountTurned(mesh), 0) << "of " << mesh.triangles.size();
    EXPECT_EQ(mesh.flat, 0);
    const auto [at_vertices, inside] = Distances(cells, mesh);
    EXPECT_LE(at_vertices, 1e-9);
    EXPECT_LE(inside, deviation);
    double area = 0;
    for (const auto& t : mesh.triangles) {
      area += 0.5 * Norm(Cross(mesh.p[t[1]] - mesh.p[t[0]], mesh.p[t[2]] - mesh.p[t[0]]));
    }
    EXPECT_NEAR(EnclosedVolume(mesh), ExactVolume(cells), deviation * area);
  }
  EXPECT_GE(drawn, 30);
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

}  // namespace
}  // namespace intervox::host
