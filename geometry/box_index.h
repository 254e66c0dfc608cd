/** @file A growing set of boxes that finds those near a box. */
#pragma once

#include <cstddef>
#include <vector>

#include "geometry/box_tree.h"

namespace intervox::geometry {

/** Boxes numbered in the order in which they are added. Trees over stretches of them, each at least
 twice as long as the next, keep n additions and lookups at O(n log² n). Infinite and empty boxes
 are allowed. */
class BoxIndex {
 public:
  /** Adds a box under the next number. */
  void Add(const Aabb& box);

  /** Adds boxes under the next numbers, faster than one by one. */
  void Add(const std::vector<Aabb>& boxes);

  /** Lists the numbers of the boxes that share a point with `box`, ascending. */
  void Find(const Aabb& box, std::vector<int>* near) const;

 private:
  struct Stretch {
    std::size_t begin = 0, end = 0;
    std::vector<int> finite;  ///< the numbers in the tree
    std::vector<int> others;  ///< the numbers of boxes that are not finite
    BoxTree tree;
  };
  void GrowStretches();
  Stretch MakeStretch(std::size_t begin, std::size_t end) const;

  std::vector<Aabb> boxes_;
  std::vector<Stretch> stretches_;
  std::size_t indexed_ = 0;  ///< boxes in stretches; the rest is looked through
};

}  // namespace intervox::geometry
