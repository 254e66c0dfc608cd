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
/** Right prism over a regular polygon, along z, centred; a corner on the +x axis [m]. */
struct Prism {
  int sides = 0;
  double radius = 0;  ///< of the circle through the corners
  double height = 0;
};
/** Box with edge lengths `size` whose top, at z = size.z/2, is only `top` long in x; its lower end
 in x stays upright. Centred as the box [m]. */
struct Wedge {
  Vec3 size;
  double top = 0;
};
/** Centred box whose edges and corners are rounded with a radius: all points within the radius of
 a smaller box [m]. */
struct RoundedBox {
  Vec3 size;
  double radius = 0;
};
/** What fills the corner between the walls x = 0 and y = 0 up to a quarter of a cylinder that
 touches both, along z, centred in z [m]. Taken away from an edge it rounds it. */
struct Fillet {
  double radius = 0;
  double length = 0;
};
/** A corner of an outline and the line or arc from it to the next corner, the last to the first.
 The bulge is the tangent of a quarter of the arc's angle: 0 a line, 1 a half circle, positive
 where it turns left. */
struct OutlinePoint {
  double x = 0, y = 0;  ///< [m]
  double bulge = 0;
};
/** An outline in the x-y plane drawn out along z, centred in z [m]. */
struct Extrude {
  std::vector<OutlinePoint> outline;
  double height = 0;
};
/** An outline in the half-plane x ≥ 0 turned about the axis that it has as y, which becomes z. */
struct Revolve {
  std::vector<OutlinePoint> outline;
};

/** A screw thread about z, centred, between planes z = ±length/2; at z = 0 its crest passes the +x
 axis. A ridge of straight flanks winds about a core; where the root is farther out than the crest
 it is the ridge of a nut, which has no core. Round in z are `sides` flat pieces a turn. */
struct Thread {
  double radius = 0;       ///< of the crest, to the corners [m]
  double root_radius = 0;  ///< where the ridge ends, to the corners [m]
  double pitch = 0;        ///< rise with each turn [m]; negative: left-handed
  double length = 0;       ///< [m]
  double crest = 0;        ///< width of the crest along z [m]
  double flank_deg = 60;   ///< angle between the flanks [°]
  int sides = 0;
};

/** The closed set of primitives. Adding one: one struct here, one file, one line in the variant;
 the completeness test names what is missing. */
using Primitive =
    std::variant<HalfSpace, Box, Sphere, Ellipsoid, Cylinder, Cone, Capsule, Torus, Quadric, Convex,
                 HalfSpaces, Prism, Wedge, RoundedBox, Fillet, Extrude, Revolve, Thread>;

/** What an inner node of a CSG tree does with its children; kGrid has the grid of its only child,
 or one that was read. */
enum class Operation { kPrimitive, kUnion, kIntersection, kDifference, kGrid };

struct Shape;
/** A shared immutable solid. */
using ShapePtr = std::shared_ptr<const Shape>;

/** A solid as a grid, with what it was made of: the node's one child, a file, or a formula. */
struct GridSource {
  std::shared_ptr<const LevelSet> field;  ///< not null
  double voxel_size = 0.0;                ///< edge of a voxel [m]
  double half_width = 3.0;                ///< of the band, in voxels
  bool unbiased = false;                  ///< see WithoutBias
  std::string file;                       ///< that it was read from; empty: no file
  std::string text;  ///< what it is, as scenes write it; empty: the child's grid. Of a part from a
                     ///< file the voxel size is left out
};

/** An immutable CSG node: a primitive, or an operation on children; placed by a pose and a uniform
 scale. The node's frame is `X`; points of the parent map to local ones by x_local = X⁻¹ x / scale.
 */
struct Shape {
  std::string name;  ///< for messages and for the names of cells
  Operation operation = Operation::kPrimitive;
  Primitive primitive;             ///< used when operation is kPrimitive
  std::vector<ShapePtr> children;  ///< used otherwise; difference: first minus the rest
  GridSource grid;                 ///< used when operation is kGrid
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
