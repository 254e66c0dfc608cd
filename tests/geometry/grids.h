/** @file Grids of primitives, and lenses of balls, for tests. */
#pragma once

#include <cmath>
#include <vector>

#include "geometry/grid/grid_cells.h"
#include "geometry/grid/make_level_set.h"
#include "geometry/shape.h"

namespace intervox::testing {

/** Runs the body on this thread. */
inline void Serially(int count, const std::function<void(int, int)>& body) { body(0, count); }

/** The cells of a primitive. */
inline std::vector<geometry::Cell> CellsOf(const geometry::Primitive& primitive) {
  geometry::Shape shape;
  shape.primitive = primitive;
  return geometry::ToCells(shape);
}

/** The grid of a primitive as one cell. */
inline geometry::Cell GridCell(const geometry::Primitive& primitive, double voxel_size,
                               double half_width = 3) {
  return geometry::MakeGridCell(
      geometry::MakeLevelSet(CellsOf(primitive), voxel_size, half_width, Serially), {}, 1, "grid");
}

/** Volume of the lens of two balls of radius R, `depth` deep. */
inline double LensVolume(double R, double depth) {
  const double distance = 2 * R - depth;
  return std::acos(-1.0) * (4 * R + distance) * depth * depth / 12;
}

}  // namespace intervox::testing
