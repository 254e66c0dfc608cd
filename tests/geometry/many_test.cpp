// Solids of many primitives: the same cells as one by one, at a cost that grows as n log n.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "geometry/box_index.h"
#include "geometry/crowd.h"
#include "geometry/decompose.h"
#include "geometry/hollows.h"
#include "geometry/neighbours.h"
#include "partition.h"

namespace intervox::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BoxIndex, FindsWhatALookThroughFinds) {
  Random random(61);
  for (const double reach : {0.02, 1.0, 50.0}) {
    BoxIndex index;
    std::vector<Aabb> boxes;
    std::vector<int> near;
    for (int k = 0; k < 700; ++k) {
      const Vec3 p = random.InBox(reach);
      Vec3 h = random.InBox(0.05 * (k % 7));
      h = Abs(h);
      Aabb box{p - h, p + h};
      if (k % 50 == 3) box.upper[k % 3] = kInfinity;
      if (k % 50 == 4) box.lower = {-kInfinity, -kInfinity, -kInfinity};
      if (k % 50 == 5)
        box = {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
      std::vector<int> expected;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        if (Overlap(boxes[b], box)) expected.push_back(static_cast<int>(b));
      }
      index.Find(box, &near);
      ASSERT_EQ(near, expected) << k;
      boxes.push_back(box);
      index.Add(box);
    }
  }
}

/** Boxes side by side, or apart, in a square of n rows. */
Shape Tiles(int n, double size) {
  Shape tiles;
  tiles.operation = Operation::kUnion;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      tiles.children.push_back(Leaf(Box{{size, size, 0.5}}, At(i, j, 0)));
    }
  }
  return tiles;
}

/** A plate with n rows of n holes, square or round. */
Shape Plate(int n, bool round) {
  Shape plate;
  plate.operation = Operation::kDifference;
  plate.children.push_back(Leaf(Box{{1.0 * n, 1.0 * n, 0.5}}, At(0.5 * (n - 1), 0.5 * (n - 1), 0)));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      plate.children.push_back(round ? Leaf(Cylinder{0.3, 2}, At(i, j, 0))
                                     : Leaf(Box{{0.4, 0.4, 2}}, At(i, j, 0)));
    }
  }
  return plate;
}

/** Round tubes between balls: a square of n by n nodes, joined along the axes. Balls first, so that
 the tubes end on them. */
Shape Truss(int n, bool nodes) {
  Shape truss;
  truss.operation = Operation::kUnion;
  const auto each = [n, &truss](const auto& add) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) add(i, j, &truss.children);
    }
  };
  if (nodes) each([](int i, int j, auto* to) { to->push_back(Leaf(Sphere{0.17}, At(i, j, 0))); });
  each([n](int i, int j, auto* to) {
    const Mat3 along_x{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, along_y{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
    if (i + 1 < n) to->push_back(Leaf(Cylinder{0.06, 1}, {along_x, {i + 0.5, 1.0 * j, 0}}));
    if (j + 1 < n) to->push_back(Leaf(Cylinder{0.06, 1}, {along_y, {1.0 * i, j + 0.5, 0}}));
  });
  return truss;
}

/** What cutting a solid and splitting it around its hollow faces takes. */
Effort EffortOf(const Shape& shape, std::size_t* cells) {
  Effort effort;
  *cells = SplitHollows(ToCells(shape, &effort), &effort).size();
  return effort;
}

struct Kind {
  const char* name;
  Shape (*make)(int);
  int rows;            ///< for some 5,000 primitives
  double per_surface;  ///< most surfaces searched for each primitive
};

// Four times the primitives take about four times the work, up to 5,000, and each takes little.
TEST(ManyPrimitives, CostNLogN) {
  for (const Kind& kind :
       {Kind{"apart", [](int n) { return Tiles(n, 0.8); }, 71, 0},
        Kind{"side by side", [](int n) { return Tiles(n, 1.0); }, 71, 0},
        Kind{"overlapping", [](int n) { return Tiles(n, 1.01); }, 71, 250},
        Kind{"round holes", [](int n) { return Plate(n, true); }, 71, 350},
        Kind{"square holes", [](int n) { return Plate(n, false); }, 71, 115},
        Kind{"nodes and struts", [](int n) { return Truss(n, true); }, 41, 45}}) {
    std::size_t few_cells = 0, many_cells = 0;
    const Effort few = EffortOf(kind.make(kind.rows / 2), &few_cells);
    const Shape shape = kind.make(kind.rows);
    const Effort many = EffortOf(shape, &many_cells);
    const auto primitives = static_cast<double>(shape.children.size());
    ASSERT_GT(primitives, 4900) << kind.name;
    EXPECT_LE(many_cells, 5 * few_cells) << kind.name;
    EXPECT_LE(many.cuts, 5 * few.cuts) << kind.name;
    EXPECT_LE(many.searches, 5 * few.searches) << kind.name;
    EXPECT_LE(many.surfaces, 5 * few.surfaces) << kind.name;
    EXPECT_LE(many.pairs, 5 * few.pairs) << kind.name;
    EXPECT_LE(static_cast<double>(many.surfaces), kind.per_surface * primitives) << kind.name;
  }
}

// A strut's end is a hollow face, but it lies against its node; bare tubes cut each other instead.
TEST(ManyPrimitives, StrutsThatEndOnNodesAreOneCellEach) {
  const Shape truss = Truss(4, true);
  const std::vector<Cell> cells = ToCells(truss);
  ASSERT_EQ(cells.size(), truss.children.size());
  EXPECT_EQ(SplitHollows(cells).size(), cells.size());
  for (const Cell& cell : cells) EXPECT_FALSE(cell.neighbours.empty()) << cell.name;
  // The same tubes without the balls' cells: their ends are free, so that they are split.
  std::vector<Cell> struts(cells.begin() + 16, cells.end());
  LinkNeighbours(struts);
  EXPECT_GT(SplitHollows(struts).size(), struts.size());
}

// More holes than are cut before the plate is shared out: none is lost, and the parts are linked.
TEST(ManyPrimitives, APlateWithMoreHolesThanOneCellTakesIsSharedOut) {
  const int n = 33;
  const Shape plate = Plate(n, false);
  ASSERT_GT(plate.children.size(), kMostTools + 1);
  const std::vector<Cell> cells = ToCells(plate);
  double volume = 0;
  for (const Cell& cell : cells) {
    volume += 8 * cell.bounds.half.x * cell.bounds.half.y * cell.bounds.half.z;
    EXPECT_FALSE(cell.neighbours.empty());
  }
  EXPECT_NEAR(volume, 0.5 * n * n * (1 - 0.16), 1e-9 * n * n);
  EXPECT_FALSE(FindOverlap(cells));
  // All of it hangs together.
  std::vector<int> reached{0};
  std::vector<bool> seen(cells.size());
  seen[0] = true;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const int b : cells[static_cast<std::size_t>(reached[k])].neighbours) {
      if (!seen[static_cast<std::size_t>(b)]) reached.push_back(b);
      seen[static_cast<std::size_t>(b)] = true;
    }
  }
  EXPECT_EQ(reached.size(), cells.size());
}

}  // namespace
}  // namespace intervox::geometry
