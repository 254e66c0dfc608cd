#include "cuda/broad_phase/broad_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "cuda/broad_phase/sort_keys.h"
#include "cuda/device/executor.h"

namespace intervox {

namespace {

constexpr int kGrain = 256;       // leaves of one task
constexpr int kBits = 20;         // of a Morton code, for each axis
constexpr int kSizeClasses = 16;  // in the four bits above it
constexpr int kClassOctaves = 2;  // sizes of one class differ by up to a factor of four

// 21 bits, two zeros between neighbours.
std::uint64_t Spread(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffff;
  v = (v | v << 16) & 0x1f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  return (v | v << 2) & 0x1249249249249249;
}

double Size(const geometry::Aabb& box) {
  const Vec3 d = box.upper - box.lower;
  return std::fmax(std::fmax(d.x, d.y), d.z);
}

// The class of a box's size below the largest: 0 for the largest.
std::uint64_t SizeClass(double size, double largest) {
  if (!(size > 0)) return kSizeClasses - 1;
  const int octaves = std::ilogb(largest) - std::ilogb(size);
  return static_cast<std::uint64_t>(std::clamp(octaves / kClassOctaves, 0, kSizeClasses - 1));
}

}  // namespace

void BoxPairs::Build(std::span<const geometry::Aabb> boxes, int threads) {
  const int count = static_cast<int>(boxes.size());
  Vec3 lower = boxes[0].lower, upper = boxes[0].upper;
  double largest = 0.0;
  for (const geometry::Aabb& box : boxes) {
    lower = Min(lower, box.lower);
    upper = Max(upper, box.upper);
    largest = std::fmax(largest, Size(box));
  }
  const Vec3 span = upper - lower;
  keys_.resize(count);
  order_.resize(count);
  constexpr double kCells = (1 << kBits) - 1;
  cuda::ForEach(boxes.size(), kGrain, threads, [&](std::size_t i) {
    const Vec3 middle = 0.5 * (boxes[i].lower + boxes[i].upper) - lower;
    keys_[i] = SizeClass(Size(boxes[i]), largest) << 3 * kBits;
    for (int axis = 0; axis < 3; ++axis) {
      const double t = span[axis] > 0 ? middle[axis] / span[axis] : 0.0;
      const double place = kCells * std::fmin(std::fmax(t, 0.0), 1.0);
      keys_[i] |= Spread(static_cast<std::uint64_t>(place)) << axis;
    }
    order_[i] = static_cast<int>(i);
  });
  cuda::SortByKey(&keys_, &order_);
  width_ = static_cast<int>(std::bit_ceil(static_cast<unsigned>(count)));
  // Nodes without leaves are boxes that nothing overlaps.
  nodes_.assign(2 * static_cast<std::size_t>(width_),
                {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}});
  for (int i = 0; i < count; ++i) nodes_[width_ + i] = boxes[order_[i]];
  for (int k = width_ - 1; k > 0; --k) {
    const geometry::Aabb &left = nodes_[2 * k], &right = nodes_[2 * k + 1];
    nodes_[k] = {Min(left.lower, right.lower), Max(left.upper, right.upper)};
  }
}

// Adds the pairs of a leaf with the later ones that its box overlaps.
void BoxPairs::AddPairs(int leaf, std::vector<std::uint64_t>* found) const {
  const geometry::Aabb& box = nodes_[width_ + leaf];
  struct Node {
    int index, end;  // its leaves end before `end`
    int size;
  };
  Node stack[64];
  int top = 0;
  stack[top++] = {1, width_, width_};
  while (top > 0) {
    const Node node = stack[--top];
    if (node.end <= leaf + 1 || !geometry::Overlap(box, nodes_[node.index])) continue;
    if (node.size == 1) {
      const auto [i, j] = std::minmax(order_[leaf], order_[node.index - width_]);
      found->push_back(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint32_t>(j));
      continue;
    }
    const int half = node.size / 2;
    stack[top++] = {2 * node.index + 1, node.end, half};
    stack[top++] = {2 * node.index, node.end - half, half};
  }
}

void BoxPairs::Find(std::span<const geometry::Aabb> boxes, std::vector<IndexPair>* pairs,
                    int threads) {
  pairs->clear();
  found_.clear();
  if (boxes.size() < 2) return;
  Build(boxes, threads);
  const int count = static_cast<int>(boxes.size());
  std::mutex mutex;
  cuda::ParallelFor(count, kGrain, threads, [&](int begin, int end) {
    thread_local std::vector<std::uint64_t> mine;
    mine.clear();
    for (int leaf = begin; leaf < end; ++leaf) AddPairs(leaf, &mine);
    const std::scoped_lock lock(mutex);
    found_.insert(found_.end(), mine.begin(), mine.end());
  });
  // Keys are unique, so sorting them makes the order independent of the threads.
  cuda::SortKeys(&found_);
  pairs->reserve(found_.size());
  for (const std::uint64_t key : found_) {
    pairs->push_back(
        {static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key & 0xffffffffu)});
  }
}

}  // namespace intervox
