/** @file A tree of axis-aligned boxes for questions about what lies near a point or along a ray. */
#pragma once

#include <vector>

#include "geometry/bounds.h"

namespace intervox::geometry {

/** A balanced binary tree over boxes. Immutable after construction; safe from all threads. */
class BoxTree {
 public:
  /** @param boxes  finite; there may be none. Their indices are what a visit gets. */
  explicit BoxTree(const std::vector<Aabb>& boxes);
  BoxTree() = default;

  /** Calls visit(index) for the boxes that may(box) lets pass with all boxes around them, in the
   tree's order, until it returns true; a visit may make `may` stricter. @returns whether a visit
   did. */
  template <class May, class Visit>
  bool Any(May may, Visit visit) const {
    int stack[64], depth = 0;
    if (!nodes_.empty()) stack[depth++] = 0;
    while (depth > 0) {
      const int index = stack[--depth];
      const Node& node = nodes_[static_cast<std::size_t>(index)];
      if (!may(node.box)) continue;
      if (node.item >= 0) {
        if (visit(node.item)) return true;
        continue;
      }
      stack[depth++] = node.right;
      stack[depth++] = index + 1;
    }
    return false;
  }

  /** Any() for the boxes no farther from p than `reach` [m], which a visit may shrink. */
  template <class Visit>
  bool AnyWithin(const Vec3& p, const double& reach, Visit visit) const {
    const auto near = [&](const Aabb& box) {
      const Vec3 away = Max(Max(box.lower - p, p - box.upper), Vec3{});
      return SquaredNorm(away) <= reach * reach;
    };
    return Any(near, visit);
  }

 private:
  struct Node {
    Aabb box;
    int item = -1;  ///< of a leaf
    int right = 0;  ///< child of an inner node, whose left child is the next node
  };
  void Build(const std::vector<Aabb>& boxes, std::vector<int>::iterator begin,
             std::vector<int>::iterator end);

  std::vector<Node> nodes_;  // the root first; depth below log2(items) + 2
};

}  // namespace intervox::geometry
