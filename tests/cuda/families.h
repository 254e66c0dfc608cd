/** @file One cell of each family of shapes, and solids of several cells, for properties that all of
 * them must have.
 */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "tests/cuda/pairs.h"
#include "tests/geometry/grids.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::testing {

/** A box with a round hole along z. */
inline std::vector<Cell> HoledBoxCells(const Vec3& size, double radius) {
  auto box = std::make_shared<geometry::Shape>();
  box->primitive = geometry::Box{size};
  auto drill = std::make_shared<geometry::Shape>();
  drill->primitive = geometry::Cylinder{radius, 4 * size.z};
  geometry::Shape shape;
  shape.operation = geometry::Operation::kDifference;
  shape.children = {box, drill};
  return geometry::ToCells(shape);
}

/** A named cell. */
struct Family {
  std::string name;
  Cell cell;
};

/** Every family, about half a metre across. */
inline std::vector<Family> AllFamilies() {
  return {{"ellipsoid", CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}})[0]},
          {"cylinder", CellsOf(geometry::Cylinder{0.3, 0.8})[0]},
          {"cone", CellsOf(geometry::Cone{0.4, 0.1, 0.7})[0]},
          {"tip", CellsOf(geometry::Cone{0.4, 0.0, 0.7})[0]},
          {"box", BoxCell({0.5, 0.6, 0.7})},
          {"holed box", HoledBoxCells({1, 1, 0.5}, 0.25)[0]},
          {"torus", CellsOf(geometry::Torus{0.4, 0.15})[0]}};
}

/** A solid as cells, and the cells of its complement within a few metres. */
struct Solid {
  std::string name;
  std::vector<Cell> cells;
  std::vector<Cell> outside;
};

/** A family's cell as a solid. */
inline Solid SolidOf(const Family& family) {
  return {family.name, {family.cell}, ComplementPieces(family.cell)};
}

/** A solid of several cells; its complement is what is left of a large box. */
inline Solid SolidOf(const std::string& name, const geometry::ShapePtr& shape) {
  using geometry::Operation;
  const geometry::ShapePtr all = geometry::Leaf(geometry::Box{{9, 9, 9}});
  return {name, geometry::ToCells(*shape),
          geometry::ToCells(*geometry::Tree(Operation::kDifference, {all, shape}))};
}

/** The shapes that AllFamilies leaves out: solids of several cells, many planes, general quadrics.
 About half a metre across. */
inline std::vector<Solid> MoreSolids() {
  using geometry::Leaf;
  using geometry::Operation;
  Random random(11);
  geometry::Convex hull;
  geometry::HalfSpaces wedge;
  for (int i = 0; i < 20; ++i) hull.vertices.push_back(0.4 * random.Direction());
  for (int i = 0; i < 10; ++i) {
    const Vec3 n = random.Direction();
    wedge.half_spaces.push_back({n, random.Uniform(0.25, 0.35)});
    wedge.half_spaces.push_back({-n, random.Uniform(0.25, 0.35)});
  }
  const auto cut = [](const std::array<double, 10>& coefficients, const Vec3& size) {
    return geometry::Tree(Operation::kIntersection,
                          {Leaf(geometry::Quadric{coefficients}), Leaf(geometry::Box{size})});
  };
  return {SolidOf("half-space", Leaf(geometry::HalfSpace{{0, 0, 1}, 0.05})),
          SolidOf("capsule", Leaf(geometry::Capsule{0.2, 0.4})), SolidOf("hull", Leaf(hull)),
          SolidOf("half-spaces", Leaf(wedge)),
          // x² + 1.5 y² ≤ 0.3 (z + 0.3)
          SolidOf("paraboloid", cut({1, 1.5, 0, 0, 0, 0, 0, 0, -0.3, -0.09}, {2, 2, 0.6})),
          // x² + 1.3 y² − 0.6 z² ≤ 0.2²
          SolidOf("hyperboloid", cut({1, 1.3, -0.6, 0, 0, 0, 0, 0, 0, -0.04}, {2, 2, 0.6})),
          // 2 x² − y² ≤ 0.4 z, a saddle
          SolidOf("saddle", cut({2, -1, 0, 0, 0, 0, 0, 0, -0.4, 0}, {0.7, 0.6, 0.5}))};
}

/** A solid and the one it was made to fit, both centred so that equal poses seat it. */
struct Fit {
  Solid part;
  Solid seat;
};

/** A peg in a hole, a cone in its socket, a ball in a groove; clearances in [m]. */
inline std::vector<Fit> Fits() {
  using geometry::Leaf;
  using geometry::Operation;
  const auto drilled = [](const geometry::Primitive& drill, const Pose& X) {
    return geometry::Tree(Operation::kDifference,
                          {Leaf(geometry::Box{{0.5, 0.5, 0.2}}), Leaf(drill, X)});
  };
  const Pose across{Mat3::FromColumns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}), {}};
  return {{SolidOf("peg", Leaf(geometry::Cylinder{0.0999, 0.3})),
           SolidOf("hole", drilled(geometry::Cylinder{0.1, 1.0}, {}))},
          {SolidOf("cone", Leaf(geometry::Cone{0.05, 0.15, 0.2})),
           SolidOf("socket", drilled(geometry::Cone{0.05, 0.15, 0.2}, {}))},
          {SolidOf("ball", Leaf(geometry::Sphere{0.0995})),
           SolidOf("groove", drilled(geometry::Cylinder{0.1, 1.0}, across))}};
}

}  // namespace intervox::testing
