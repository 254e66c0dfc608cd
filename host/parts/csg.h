/** @file OpenSCAD's trees of solids, `.csg`, as exact solids. */
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "host/parts/readers.h"

namespace intervox::host {

/** How round shapes of a tree are taken: nothing leaves it to each shape's `$fn`, facets where it
 is above 0; true makes all of them facets, false all true surfaces. */
using Facets = std::optional<bool>;

/** What ReadCsg made of a file. */
struct CsgSolid {
  geometry::ShapePtr shape;  ///< in the file's units
  int round = 0;             ///< spheres and cylinders taken as true surfaces
  int faceted = 0;           ///< and as facets
  int empty = 0;             ///< shapes without volume, which OpenSCAD drops too
};

/** Reads what `openscad -o part.csg part.scad` writes: cube, sphere, cylinder, polyhedron,
 multmatrix, union, difference, intersection, hull; group, color and render count as unions.

 Rotations, printed with six digits, are made orthonormal. Stretched balls become ellipsoids,
 stretched cylinders and cones quadrics between planes.
 @param y_is_up  (x, y, z) → (x, −z, y)
 @throws InputError naming file, line and remedy for everything else and for an empty solid. */
CsgSolid ReadCsg(const PartFile& file, Facets facets, bool y_is_up, const std::string& name);

}  // namespace intervox::host
