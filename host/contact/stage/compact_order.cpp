#include "host/contact/stage/compact_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace intervox::host::internal {
namespace {

/** Across which axis the box around some points is longest. */
int LongestAxis(std::span<const Vec3> points, std::span<const int> some) {
  Vec3 lower = points[static_cast<std::size_t>(some.front())], upper = lower;
  for (const int k : some) {
    lower = Min(lower, points[static_cast<std::size_t>(k)]);
    upper = Max(upper, points[static_cast<std::size_t>(k)]);
  }
  const Vec3 d = upper - lower;
  return d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
}

void Halve(std::span<const Vec3> points, std::size_t part, std::span<int> some) {
  if (some.size() <= part) {
    std::sort(some.begin(), some.end());
    return;
  }
  const std::size_t parts = (some.size() + part - 1) / part, first = parts / 2 * part;
  const int axis = LongestAxis(points, some);
  std::nth_element(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(first), some.end(),
                   [&](int a, int b) {
                     const double at_a = points[static_cast<std::size_t>(a)][axis];
                     const double at_b = points[static_cast<std::size_t>(b)][axis];
                     return at_a != at_b ? at_a < at_b : a < b;
                   });
  Halve(points, part, some.first(first));
  Halve(points, part, some.subspan(first));
}

}  // namespace

void CompactOrder(std::span<const Vec3> points, int part, std::vector<int>* order) {
  order->resize(points.size());
  std::iota(order->begin(), order->end(), 0);
  Halve(points, static_cast<std::size_t>(part), *order);
}

}  // namespace intervox::host::internal
