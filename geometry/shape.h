/** @file Solids as immutable CSG trees of primitives. */
#pragma once

#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

/** Solid n·p ≤ offset; the normal is normalised, the offset with it. */
struct HalfSpace {
  Vec3 normal{0, 0, 1};
  double offset = 0;
};
/** Centred box with edge lengths size [m]. */
struct Box {
  Vec3 size;
};
/** Ball of the given radius [m]. */
struct Sphere {
  double radius = 0;
};
/** Ellipsoid with semi-axes radii [m]. */
struct Ellipsoid {
  Vec3 radii;
};
/** Cylinder along z, centred [m]. */
struct Cylinder {
  double radius = 0, height = 0;
};
/** Frustum along z, centred; one radius may be 0 [m]. */
struct Cone {
  double radius_bottom = 0, radius_top = 0, height = 0;
};
/** Cylinder of the given length along z with two half balls [m]. */
struct Capsule {
  double radius = 0, length = 0;
};
/** Torus around z [m]. */
struct Torus {
  double major_radius = 0, minor_radius = 0;
};
/** q = xx x² + yy y² + zz z² + xy xy + xz xz + yz yz + x x + y y + z z + c ≤ 0. */
struct Quadric {
  std::array<double, 10> coefficients{};
};
/** Convex hull of points [m]. */
struct Convex {
  std::vector<Vec3> vertices;
};
/** Intersection of half-spaces. */
struct HalfSpaces {
  std::vector<HalfSpace> half_spaces;
};

/** The closed set of primitives. Adding one: one struct here, one file, one line in the variant;
 the completeness test names what is missing. */
using Primitive = std::variant<HalfSpace, Box, Sphere, Ellipsoid, Cylinder, Cone, Capsule, Torus,
                               Quadric, Convex, HalfSpaces>;

/** What an inner node of a CSG tree does with its children. */
enum class Operation { kPrimitive, kUnion, kIntersection, kDifference };

struct Shape;
/** A shared immutable solid. */
using ShapePtr = std::shared_ptr<const Shape>;

/** An immutable CSG node: a primitive, or an operation on children; placed by a pose and a uniform
 scale. The node's frame is `X`; points of the parent map to local ones by x_local = X⁻¹ x / scale.
 */
struct Shape {
  std::string name;  ///< for messages and for the names of cells
  Operation operation = Operation::kPrimitive;
  Primitive primitive;             ///< used when operation is kPrimitive
  std::vector<ShapePtr> children;  ///< used otherwise; difference: first minus the rest
  Pose X;                          ///< pose of this node in its parent
  double scale = 1.0;              ///< uniform, > 0
};

/** Decomposes a solid into disjoint cells in the solid's frame: unions are made disjoint,
 differences cut, empty cells dropped by certified bounds, faces between cells of the solid tagged
 `cut`, neighbours set. The order is deterministic: depth-first in the tree.
 @throws std::invalid_argument for sizes that are not positive and finite, flat hulls, empty solids;
 the message names node and value. */
std::vector<Cell> ToCells(const Shape& shape);

}  // namespace intervox::geometry
