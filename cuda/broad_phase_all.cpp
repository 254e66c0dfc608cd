#include <bit>
#include <mutex>

#include "cuda/broad_phase.h"
#include "cuda/executor.h"
#include "cuda/pair_frame.h"
#include "cuda/sort_keys.h"

namespace intervox {

namespace {

constexpr double kSlack = 1e-12;  // covers rounding, relative to world coordinates
constexpr int kGrain = 256;       // leaves of one task

struct Leaf {
  Vec3 lower, upper;  // world
  std::int32_t body = 0;
  std::int32_t cell = 0;
};

// 21 bits, two zeros between neighbours.
std::uint64_t Spread(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffff;
  v = (v | v << 16) & 0x1f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  return (v | v << 2) & 0x1249249249249249;
}

Leaf MakeLeaf(const geometry::Cell& cell, const Pose& X_WB, int body, int index) {
  const Mat3 R = X_WB.R * cell.bounds.X.R;
  const Vec3 centre = X_WB * cell.bounds.X.p;
  const Vec3& h = cell.bounds.half;
  Vec3 half{Dot(Abs(R.row0), h), Dot(Abs(R.row1), h), Dot(Abs(R.row2), h)};
  half += kSlack * (half + Abs(centre) + Abs(X_WB.p));
  return {centre - half, centre + half, body, index};
}

bool Overlap(const Leaf& a, const Vec3& lower, const Vec3& upper) {
  return a.lower.x <= upper.x && lower.x <= a.upper.x && a.lower.y <= upper.y &&
         lower.y <= a.upper.y && a.lower.z <= upper.z && lower.z <= a.upper.z;
}

// A complete binary tree over the leaves in Morton order: node k has children 2k and 2k + 1, leaf i
// is node `width` + i.
struct Tree {
  std::vector<Leaf> leaves;
  std::vector<Vec3> lower, upper;
  int width = 1;
};

void Build(std::vector<Leaf> unsorted, int threads, Tree* tree) {
  const int count = static_cast<int>(unsorted.size());
  Vec3 lower = unsorted[0].lower, upper = unsorted[0].upper;
  for (const Leaf& leaf : unsorted) {
    lower = Min(lower, leaf.lower);
    upper = Max(upper, leaf.upper);
  }
  const Vec3 span = upper - lower;
  std::vector<std::uint64_t> keys(count);
  std::vector<std::int32_t> order(count);
  cuda::ParallelFor(count, kGrain, threads, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Vec3 middle = 0.5 * (unsorted[i].lower + unsorted[i].upper) - lower;
      keys[i] = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double t = span[axis] > 0 ? middle[axis] / span[axis] : 0.0;
        keys[i] |= Spread(static_cast<std::uint64_t>(t * 2097151.0)) << axis;
      }
      order[i] = i;
    }
  });
  cuda::SortByKey(&keys, &order);
  tree->width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(count)));
  tree->leaves.resize(count);
  // Nodes without leaves are boxes that nothing overlaps.
  tree->lower.assign(2 * tree->width, Vec3{1e300, 1e300, 1e300});
  tree->upper.assign(2 * tree->width, Vec3{-1e300, -1e300, -1e300});
  for (int i = 0; i < count; ++i) {
    tree->leaves[i] = unsorted[order[i]];
    tree->lower[tree->width + i] = tree->leaves[i].lower;
    tree->upper[tree->width + i] = tree->leaves[i].upper;
  }
  for (int k = tree->width - 1; k > 0; --k) {
    tree->lower[k] = Min(tree->lower[2 * k], tree->lower[2 * k + 1]);
    tree->upper[k] = Max(tree->upper[2 * k], tree->upper[2 * k + 1]);
  }
}

// Calls f(j) for each leaf j after i whose box overlaps leaf i's.
template <class F>
void VisitLater(const Tree& tree, int i, F&& f) {
  const Leaf& leaf = tree.leaves[i];
  struct Node {
    int index, end;  // its leaves end before `end`
    int size;
  };
  Node stack[64];
  int top = 0;
  stack[top++] = {1, tree.width, tree.width};
  while (top > 0) {
    const Node node = stack[--top];
    if (node.end <= i + 1 || !Overlap(leaf, tree.lower[node.index], tree.upper[node.index])) {
      continue;
    }
    if (node.size == 1) {
      f(node.index - tree.width);
      continue;
    }
    const int half = node.size / 2;
    stack[top++] = {2 * node.index + 1, node.end, half};
    stack[top++] = {2 * node.index, node.end - half, half};
  }
}

bool Apart(const BodyCells& a, int cell_a, const BodyCells& b, int cell_b) {
  cuda::PairFrame frame;
  frame.a = cuda::MakeView(a.cells[cell_a]);
  frame.b = cuda::MakeView(b.cells[cell_b]);
  frame.X_LA = {a.X_WB.R, a.X_WB.p - b.X_WB.p};
  frame.X_LB = {b.X_WB.R, {}};
  frame.first = frame.a.bounded ? 0 : frame.b.bounded ? 1 : -1;
  return cuda::AreApart(frame);
}

}  // namespace

void FindAllCandidates(std::span<const BodyCells> bodies, std::vector<BodyCellPair>* pairs,
                       int threads) {
  pairs->clear();
  std::vector<std::int32_t> first(bodies.size());  // global number of a body's first cell
  std::vector<std::int32_t> body_of;
  std::vector<Leaf> leaves, unbounded;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    first[i] = static_cast<std::int32_t>(body_of.size());
    for (std::size_t c = 0; c < bodies[i].cells.size(); ++c) {
      const geometry::Cell& cell = bodies[i].cells[c];
      const int body = static_cast<int>(i), index = static_cast<int>(c);
      body_of.push_back(body);
      if (cell.bounded) {
        leaves.push_back(MakeLeaf(cell, bodies[i].X_WB, body, index));
      } else {
        unbounded.push_back({{}, {}, body, index});
      }
    }
  }
  std::vector<std::uint64_t> found;
  const auto add = [&](const Leaf& a, const Leaf& b, std::vector<std::uint64_t>* to) {
    if (a.body == b.body) return;
    const Leaf& u = a.body < b.body ? a : b;
    const Leaf& v = a.body < b.body ? b : a;
    if (Apart(bodies[u.body], u.cell, bodies[v.body], v.cell)) return;
    to->push_back(static_cast<std::uint64_t>(first[u.body] + u.cell) << 32 |
                  static_cast<std::uint32_t>(first[v.body] + v.cell));
  };
  for (std::size_t i = 0; i < unbounded.size(); ++i) {
    for (const Leaf& leaf : leaves) add(unbounded[i], leaf, &found);
    for (std::size_t j = i + 1; j < unbounded.size(); ++j) add(unbounded[i], unbounded[j], &found);
  }
  if (!leaves.empty()) {
    Tree tree;
    Build(std::move(leaves), threads, &tree);
    std::mutex mutex;
    cuda::ParallelFor(
        static_cast<int>(tree.leaves.size()), kGrain, threads, [&](int begin, int end) {
          std::vector<std::uint64_t> mine;
          for (int i = begin; i < end; ++i) {
            VisitLater(tree, i, [&](int j) { add(tree.leaves[i], tree.leaves[j], &mine); });
          }
          const std::scoped_lock lock(mutex);
          found.insert(found.end(), mine.begin(), mine.end());
        });
  }
  // Keys are unique, so sorting them makes the order independent of the threads.
  cuda::SortKeys(&found);
  pairs->reserve(found.size());
  for (const std::uint64_t key : found) {
    const auto a = static_cast<std::int32_t>(key >> 32);
    const auto b = static_cast<std::int32_t>(key & 0xffffffffu);
    pairs->push_back({body_of[a], a - first[body_of[a]], body_of[b], b - first[body_of[b]]});
  }
}

}  // namespace intervox
