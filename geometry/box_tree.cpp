#include "geometry/box_tree.h"

#include <algorithm>
#include <numeric>

namespace intervox::geometry {

BoxTree::BoxTree(const std::vector<Aabb>& boxes) {
  std::vector<int> items(boxes.size());
  std::iota(items.begin(), items.end(), 0);
  nodes_.reserve(2 * boxes.size());
  if (!boxes.empty()) Build(boxes, items.begin(), items.end());
}

void BoxTree::Build(const std::vector<Aabb>& boxes, std::vector<int>::iterator begin,
                    std::vector<int>::iterator end) {
  const auto at = [&](int item) -> const Aabb& { return boxes[static_cast<std::size_t>(item)]; };
  const auto twice_center = [&](int item) { return at(item).lower + at(item).upper; };
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  Node node{at(*begin), -1, 0};
  Vec3 least = twice_center(*begin), most = least;
  for (auto it = begin; it != end; ++it) {
    node.box = {Min(node.box.lower, at(*it).lower), Max(node.box.upper, at(*it).upper)};
    least = Min(least, twice_center(*it));
    most = Max(most, twice_center(*it));
  }
  if (end - begin == 1) {
    node.item = *begin;
  } else {
    const Vec3 spread = most - least;
    const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0
                     : spread.y >= spread.z                       ? 1
                                                                  : 2;
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](int a, int b) {
      const double u = twice_center(a)[axis], v = twice_center(b)[axis];
      return u != v ? u < v : a < b;
    });
    Build(boxes, begin, middle);
    node.right = static_cast<int>(nodes_.size());
    Build(boxes, middle, end);
  }
  nodes_[index] = node;
}

}  // namespace intervox::geometry
