/** @file Boxes around the cells of bodies, lower bounds of their distance, and cells grown to prove
 one. */
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "geometry/box_tree.h"
#include "geometry/cell.h"

namespace intervox::host {

/** A cell's oriented box in its body's frame; for an unbounded cell its planes instead. */
struct CellBox {
  Vec3 center;          ///< [m]
  Mat3 R;               ///< axes as columns
  Vec3 half;            ///< [m]
  double radius = 0.0;  ///< of the ball around the box [m]
  bool bounded = true;
  std::vector<Vec3> plane_normals;    ///< out of the cell
  std::vector<double> plane_offsets;  ///< the cell has n·x ≤ offset [m]
};

/** A cell grown by a distance (geometry/grow.h). */
struct GrownCell {
  std::optional<geometry::Cell> cell;  ///< empty where the cell cannot be grown
  double distance = 0.0;               ///< [m]
};

/** How far cells are grown, as shares of the radius of the ball around each: far for bodies under
 way, less for what is close and slow. */
inline constexpr std::array<double, 2> kGrowth = {1e-2, 1e-3};

/** The cells of a body with their boxes and the ball around them all. */
struct BodyCells {
  std::span<const geometry::Cell> cells;
  std::vector<CellBox> boxes;
  geometry::BoxTree tree;  ///< over the boxes, in the body's frame
  std::vector<std::array<GrownCell, kGrowth.size()>> grown;  ///< of each cell, the farthest first
  Vec3 center;                                               ///< of the ball, body frame [m]
  double radius = 0.0;                                       ///< [m]
  bool bounded = true;                                       ///< all cells are
};

/** Boxes of the cells; the cells must outlive the result. */
BodyCells MakeBodyCells(std::span<const geometry::Cell> cells);

/** A lower bound of the distance of two cells by their boxes [m], the second seen from the first's
 body by X_IJ; not positive where they may touch. Stops at a bound above `enough`. Separating axes;
 about 0.1 µs. */
double BoxGap(const CellBox& a, const CellBox& b, const Pose& X_IJ, double enough);

/** Bound on how far any point of the ball around a body has moved between two poses [m]. */
double Displacement(const Pose& now, const Pose& then, const BodyCells& ball);

}  // namespace intervox::host
