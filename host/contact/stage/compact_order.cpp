#include "host/contact/stage/compact_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "cuda/device/executor.h"

namespace intervox::host::internal {
namespace {

// Cuts lean by so much: a cut along a row of a lattice would otherwise leave it to rounding which
// of the row's points are first.
constexpr double kLean = 0.1;
constexpr std::size_t kSmall = 2048;  // points below which a thread goes on alone
// What points of a part ascend along: no direction of a lattice is across it.
constexpr Vec3 kAscent{1.0, 0.618, 0.382};

/** Normal of the cut across the longest axis of the box around some points. */
Vec3 CutNormal(std::span<const Vec3> points, std::span<const int> some) {
  Vec3 lower = points[static_cast<std::size_t>(some.front())], upper = lower;
  for (const int k : some) {
    lower = Min(lower, points[static_cast<std::size_t>(k)]);
    upper = Max(upper, points[static_cast<std::size_t>(k)]);
  }
  const Vec3 d = upper - lower;
  Vec3 normal{kLean, kLean, kLean};
  normal[d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2] = 1.0;
  return normal;
}

void Halve(std::span<const Vec3> points, std::size_t part, int threads, std::span<int> some) {
  const auto ascend = [&](const Vec3& along) {
    return [points, along](int a, int b) {
      const double at_a = Dot(points[static_cast<std::size_t>(a)], along);
      const double at_b = Dot(points[static_cast<std::size_t>(b)], along);
      return at_a != at_b ? at_a < at_b : a < b;
    };
  };
  if (some.size() <= part) {
    std::sort(some.begin(), some.end(), ascend(kAscent));
    return;
  }
  const std::size_t parts = (some.size() + part - 1) / part, first = parts / 2 * part;
  std::nth_element(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(first), some.end(),
                   ascend(CutNormal(points, some)));
  const int on = some.size() < kSmall ? 1 : threads;
  const auto go_on = [&](int begin, int end) {
    if (begin == 0) Halve(points, part, on, some.first(first));
    if (end == 2) Halve(points, part, on, some.subspan(first));
  };
  cuda::ParallelFor(2, 1, on, go_on);
}

}  // namespace

void CompactOrder(std::span<const Vec3> points, int part, int threads, std::vector<int>* order) {
  order->resize(points.size());
  std::iota(order->begin(), order->end(), 0);
  Halve(points, static_cast<std::size_t>(part), threads, *order);
}

}  // namespace intervox::host::internal
