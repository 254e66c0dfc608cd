/** @file Which of many boxes overlap: a linear bounding volume hierarchy. */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/bounds.h"

namespace intervox {

/** Two things by their indices, i < j. */
struct IndexPair {
  std::int32_t i = 0;
  std::int32_t j = 0;
  /** By i, then by j. */
  bool operator<(const IndexPair& o) const { return i != o.i ? i < o.i : j < o.j; }
  /** Both indices are equal. */
  bool operator==(const IndexPair&) const = default;
};

/** Finds the pairs of boxes that share a point, by a linear bounding volume hierarchy in the order
 of size class and Morton code. The cost follows n log n plus the pairs, and one large box among
 small ones costs no more than its own pairs: each class of size has subtrees of its own. Keeps its
 working memory. */
class BoxPairs {
 public:
  /** Clears `pairs` and fills it with all pairs of boxes that share a point, ascending. The same
   result for any number of threads (0: all cores).
   @param boxes  finite, lower ≤ upper. */
  void Find(std::span<const geometry::Aabb> boxes, std::vector<IndexPair>* pairs, int threads = 0);

 private:
  void Build(std::span<const geometry::Aabb> boxes, int threads);
  void AddPairs(int leaf, std::vector<std::uint64_t>* found) const;

  /** Boxes of a complete binary tree: node k has the children 2k and 2k + 1, and the leaf at place
   i of the order is node width_ + i. */
  std::vector<geometry::Aabb> nodes_;
  int width_ = 1;
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> order_;  ///< box at each place
  std::vector<std::uint64_t> found_;
};

}  // namespace intervox
