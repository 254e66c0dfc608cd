/** @file A shape as Python holds it. */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "geometry/shape.h"

namespace intervox::python {

/** A solid, cut into cells once. */
struct Solid {
  std::string name;
  geometry::ShapePtr shape;
  std::shared_ptr<const std::vector<geometry::Cell>> cells;
};

}  // namespace intervox::python
