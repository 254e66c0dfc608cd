/** @file One cell of each family of shapes, for properties that all of them must have. */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "tests/cuda/pairs.h"

namespace intervox::testing {

/** The cells of a primitive. */
inline std::vector<Cell> CellsOf(const geometry::Primitive& primitive) {
  geometry::Shape shape;
  shape.primitive = primitive;
  return geometry::ToCells(shape);
}

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

}  // namespace intervox::testing
