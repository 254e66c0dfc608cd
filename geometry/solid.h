/** @file A CSG tree made ready for questions about points and rays. */
#pragma once

#include <vector>

#include "geometry/bounds.h"
#include "geometry/ray.h"
#include "geometry/shape.h"

namespace intervox::geometry {

/** A stretch of a ray inside a solid. */
struct SolidSpan {
  double lo = 0.0;
  double hi = 0.0;
  Vec3 entry_normal;  ///< outward unit normals; zero where the ray's range ends inside
  Vec3 exit_normal;
  int entry_node = -1;  ///< node of the primitive entered through, depth-first from 0
  int exit_node = -1;
};

/** Points and rays against a whole CSG tree, without cutting it into cells.

 Holds copies of everything; the shape may go. All calls are const and thread-safe. */
class Solid {
 public:
  /** @throws std::invalid_argument as ToCells does for bad sizes, poses and operands. */
  explicit Solid(const Shape& shape);

  /** The point, in the solid's frame, lies in the closed solid. */
  bool Contains(const Vec3& p) const { return Level(p) <= 0; }

  /** The signed level [m]: max and min of the primitives' level functions; at most 0 exactly
   inside, close to the signed distance near faces, less than the distance off edges. */
  double Level(const Vec3& p) const;

  /** The gradient of Level, of the surface that decides it. */
  Vec3 Gradient(const Vec3& p) const;

  /** The stretches of origin + t direction inside the solid, t_min ≤ t ≤ t_max: ascending and
   disjoint; touching ones are merged. */
  std::vector<SolidSpan> RaySpans(const Vec3& origin, const Vec3& direction, double t_min,
                                  double t_max) const;

  /** The axis-aligned box in W of the solid posed at X_WS: unions add, intersections cut, of
   differences the first operand counts. Each primitive's box is exact. */
  Aabb Bounds(const Pose& X_WS) const;

 private:
  struct Node {
    Operation operation = Operation::kPrimitive;
    int index = 0;
    std::vector<Cell> pieces;  ///< of a primitive, in the solid's frame
    std::vector<int> children;
  };
  /** A level with the surface that decides it. */
  struct Decided {
    double level = 0.0;
    const Surface* surface = nullptr;
    double sign = 1.0;
  };

  int Add(const Shape& shape, const Pose& X, double scale, const std::string& place);
  Decided Decide(int node, const Vec3& p) const;
  std::vector<SolidSpan> Spans(int node, const Vec3& origin, const Vec3& direction, double t_min,
                               double t_max) const;
  Aabb NodeBounds(int node, const Pose& X_WS) const;

  std::vector<Node> nodes_;
};

/** The point lies in the closed cell. */
bool Contains(const Cell& cell, const Vec3& p);

/** max over the cell's surfaces of side·f(p) [m]. */
double Level(const Cell& cell, const Vec3& p);

/** The point lies in the closed solid. Builds a Solid: use that for many points. */
bool Contains(const Shape& shape, const Vec3& p);

/** Solid::Level. Builds a Solid: use that for many points. */
double Level(const Shape& shape, const Vec3& p);

}  // namespace intervox::geometry
