/** @file The signed distance to the boundary of a union of disjoint cells. */
#pragma once

#include <span>
#include <vector>

#include "geometry/box_tree.h"
#include "geometry/cell.h"

namespace intervox::geometry {

/** The signed Euclidean distance to the boundary of the union of disjoint cells, negative inside.

 The closest point is found among the faces, edges and corners of the cells, by closed forms where a
 surface has one and by Newton's method on curves and general quadrics; faces between cells do not
 count. Error: rounding, where Newton's method finds the nearest of several stationary points; on
 curved edges it starts from the surfaces' own closest points.
 A point costs the cells within reach of it, found in a tree of their boxes. Immutable after
 construction; safe from all threads. */
class SignedDistance {
 public:
  /** @param cells  bounded; copied. @throws std::invalid_argument when one is unbounded or there is
   none; the message names it. */
  explicit SignedDistance(std::span<const Cell> cells);

  /** The distance of p to the boundary [m], clamped to ±reach; reach > 0. */
  double operator()(const Vec3& p, double reach) const;
  /** Whether p lies in the closed union. */
  bool Contains(const Vec3& p) const;
  /** An axis-aligned box around the union. */
  const Vec3& Lower() const { return lower_; }
  /** An axis-aligned box around the union. */
  const Vec3& Upper() const { return upper_; }

 private:
  bool Accepts(const Cell& cell, const Vec3& x) const;
  bool OnBoundary(const Vec3& x, std::span<const Vec3> normals) const;
  void Improve(const Cell& cell, const Vec3& p, bool is_inside, double* best) const;

  std::vector<Cell> cells_;
  BoxTree tree_;  // of the cells' boxes
  Vec3 lower_;
  Vec3 upper_;
  double tolerance_ = 0.0;  // of membership [m]
};

}  // namespace intervox::geometry
