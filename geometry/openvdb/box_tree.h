/** @file A tree of axis-aligned boxes for questions about what lies near a point. */
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "geometry/bounds.h"

namespace intervox::geometry::internal {

/** A balanced binary tree over boxes. Immutable after construction; safe from all threads. */
class BoxTree {
 public:
  /** @param boxes  finite; at least one. Their indices are what a visit gets. */
  explicit BoxTree(const std::vector<Aabb>& boxes);
  BoxTree() = default;

  /** Calls visit(index) for the boxes no farther from p than `reach` [m], in the tree's order,
   until it returns true; it may shrink `reach` on the way. @returns whether a visit did. */
  template <class Visit>
  bool AnyWithin(const Vec3& p, const double& reach, Visit visit) const {
    std::array<int, 64> stack{};
    int depth = 1;
    while (depth > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(stack[--depth])];
      const Vec3 away = Max(Max(node.box.lower - p, p - node.box.upper), Vec3{});
      if (SquaredNorm(away) > reach * reach) continue;
      if (node.item >= 0) {
        if (visit(node.item)) return true;
        continue;
      }
      stack[depth++] = node.right;
      stack[depth++] = node.left;
    }
    return false;
  }

 private:
  struct Node {
    Aabb box;
    int item = -1;  ///< of a leaf
    int left = 0, right = 0;
  };
  int Build(const std::vector<Aabb>& boxes, std::vector<int>::iterator begin,
            std::vector<int>::iterator end);

  std::vector<Node> nodes_;  // the root first; depth below log2(items) + 2
};

}  // namespace intervox::geometry::internal
